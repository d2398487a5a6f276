/** Reasons of charts and repositories end when a user has corrected the source, its Secret or the Module. */
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { chartArchive, chartYaml } from '../charts/archive.ts'
import { answer, TestChartRepository } from '../charts/chartservers.ts'
import { HOST_KEY, simPrograms } from '../charts/simprograms.ts'
import { type ReasonCase, reasonCases } from './reasoncase.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const URL = 'https://charts.test'
const files = { 'templates/a.yaml': configManifest('a', '1') }

class ChartStory extends Story {
  readonly repository = new TestChartRepository()
  private triggers = 0

  static override async begin(name: string, clusters: readonly string[]): Promise<ChartStory> {
    const begun = await Story.begin(name, clusters)
    begun.manager.stop()
    const story = new ChartStory(begun.fleet)
    story.fleet.env.net.serve(URL, story.repository.handler)
    story.restart()
    return story
  }

  override restart(): void {
    this.manager.stop()
    const { env } = this.fleet
    this.manager = this.fleet.startController({ ...env, processes: simPrograms(env) })
  }

  add(version: string, more: Readonly<Record<string, string>> = {}): string {
    return this.repository.add('web', version, { files: { ...files, ...more } })
  }

  /** The chart as it should have been. */
  async correct(version: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
    this.repository.remove('web', version)
    this.add(version, more)
    await this.reconcile()
  }

  async chart(version: string, helm: object = {}, render: object = {}): Promise<void> {
    const source = { helm: { repository: `${URL}/charts`, chart: 'web', version, ...helm } }
    await this.module('m', source, { render: { namespace: 'default', helm: { ...render } } })
  }

  async reconcile(): Promise<void> {
    const body = { metadata: { annotations: { 'lockstep.dev/reconcile': String(++this.triggers) } } }
    const key = { namespace: NAMESPACE, name: 'm' }
    must(await this.during(this.fleet.hub.patch(moduleKind, key, body, USER)))
  }

  async credentials(data: Readonly<Record<string, string>>): Promise<void> {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: NAMESPACE },
      data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, btoa(v)])),
    }
    must(await this.during(this.fleet.hub.apply(secretKind, secret, { ...USER, force: true })))
  }
}

const LOGIN = { secretRef: { name: 'login' } }
const AUTHORIZATION = `Basic ${btoa('me:right')}`
const REDIS = `${chartYaml('web', '1.0.0')}dependencies:\n  - name: redis\n    version: 17.x\n`
const chance = (value: string) => ({
  'templates/a.yaml': configManifest('a', value),
})

const row = (
  says: RegExp,
  cause: (story: ChartStory) => Promise<unknown>,
  mend: (story: ChartStory) => Promise<unknown>,
  more: Partial<ReasonCase<ChartStory>> = {},
): ReasonCase<ChartStory> => ({ cause, stored: (story) => story.blockers('m'), says, mend, ...more })

reasonCases<ChartStory>(
  {
    'ArchiveRefused, another chart is packed': row(
      /^ArchiveRefused: .*Chart\.yaml: has name other, requested was web$/,
      async (story) => {
        story.repository.add('web', '1.0.0', { archive: chartArchive('other', '1.0.0') })
        await story.chart('1.0.0')
      },
      (story) => story.correct('1.0.0'),
    ),
    ChartDependencyMissing: row(
      /^ChartDependencyMissing: .*Chart\.yaml:5: redis 17\.x is not in charts\/; commit it/,
      async (story) => {
        story.add('1.0.0', { 'Chart.yaml': REDIS })
        await story.chart('1.0.0')
      },
      async (story) => {
        story.add('1.0.1')
        await story.chart('1.0.1')
      },
    ),
    NondeterministicRender: row(
      /^NondeterministicRender: helm: ConfigMap default\/a: data\.value differs between two runs/,
      async (story) => {
        story.add('1.0.0', chance('{{ randAlphaNum 8 }}'))
        await story.chart('1.0.0')
      },
      (story) => story.chart('1.0.0', {}, { allowRandom: true }),
    ),
    PathEscapes: row(
      /^PathEscapes: spec\.render\.helm\.valuesFiles\[0\]: .*is outside/,
      async (story) => {
        story.add('1.0.0')
        await story.chart('1.0.0', {}, { valuesFiles: ['../prod.yaml'] })
      },
      (story) => story.chart('1.0.0'),
    ),
    PathMissing: row(
      /^PathMissing: spec\.render\.helm\.valuesFiles\[0\]: prod\.yaml: .*no file prod\.yaml/,
      async (story) => {
        story.add('1.0.0')
        await story.chart('1.0.0', {}, { valuesFiles: ['prod.yaml'] })
      },
      (story) => story.chart('1.0.0'),
    ),
    RedirectRefused: row(
      /^RedirectRefused: .*\/index\.yaml: more than 3 redirects$/,
      async (story) => {
        story.add('1.0.0')
        story.repository.intercept = ({ url }) => answer(302, { location: url })
        await story.chart('1.0.0')
      },
      async (story) => {
        story.repository.intercept = undefined
        await story.reconcile()
      },
    ),
    RefMoved: row(
      /^RefMoved: .* version 1\.0\.0 is sha256:\w+, pinned to sha256:a+$/,
      async (story) => {
        story.add('1.0.0')
        await story.chart('1.0.0', { digest: `sha256:${'a'.repeat(64)}` })
      },
      (story) => story.chart('1.0.0'),
    ),
    RefNotFound: row(
      /^RefNotFound: helm https:\/\/charts\.test\/charts: no version 1\.0\.1 of chart web; nearest: 1\.0\.0$/,
      async (story) => {
        story.add('1.0.0')
        await story.chart('1.0.1')
      },
      async (story) => {
        story.add('1.0.1')
        await story.reconcile()
      },
    ),
    'RefNotFound, at the next poll': row(
      /^RefNotFound: /,
      async (story) => {
        story.add('1.0.0')
        await story.chart('1.0.1')
      },
      async (story) => void story.add('1.0.1'),
      { ends: 310 },
    ),
    RemoteBaseRefused: row(
      /^RemoteBaseRefused: helm: values\.schema\.json: \$ref https:\/\/schemas\.test\/a\.json: /,
      async (story) => {
        story.add('1.0.0', { 'values.schema.json': '{"$ref": "https://schemas.test/a.json"}' })
        await story.chart('1.0.0')
      },
      (story) => story.chart('1.0.0', {}, { skipSchemaValidation: true }),
    ),
    ResolvedOlder: {
      cause: async (story) => {
        story.add('1.0.0')
        story.add('1.1.0')
        await story.chart('^1')
        await story.until(() => story.isReady('m'))
        await story.pass(10)
        story.repository.remove('web', '1.1.0')
        await story.reconcile()
      },
      stored: (story) => (story.see('m').status?.conditions ?? []).map((c) => `${c.reason}: ${c.message}`),
      says: /^ResolvedOlder: .*\^1 resolves to 1\.0\.0, older than the published 1\.1\.0, which stays/,
      mend: async (story) => {
        story.add('1.2.0')
        await story.reconcile()
      },
    },
    'SourceAuthFailed, the server gets the right password': row(
      /^SourceAuthFailed: .*index\.yaml: status 401 with Secret platform\/login \(username\); check the credentials$/,
      async (story) => {
        story.add('1.0.0')
        story.repository.wants = AUTHORIZATION
        await story.credentials({ username: 'me', password: 'wrong' })
        await story.chart('1.0.0', LOGIN)
      },
      (story) => story.credentials({ username: 'me', password: 'right' }),
    ),
    'SourceAuthFailed, the Secret gets the missing key': row(
      /^SourceAuthFailed: spec\.source\.helm\.secretRef: Secret platform\/login has username and no password$/,
      async (story) => {
        story.add('1.0.0')
        await story.credentials({ username: 'me' })
        await story.chart('1.0.0', LOGIN)
      },
      (story) => story.credentials({ username: 'me', password: 'right' }),
    ),
    'ResourceNotFound, the Secret of a source is created': row(
      /^ResourceNotFound: spec\.source\.helm\.secretRef: Secret platform\/login does not exist$/,
      async (story) => {
        story.add('1.0.0')
        await story.chart('1.0.0', LOGIN)
      },
      (story) => story.credentials({ username: 'me', password: 'right' }),
    ),
    'SourceRateLimited, until the time that the server gave': row(
      /^SourceRateLimited: charts\.test asks to wait /,
      async (story) => {
        story.add('1.0.0')
        story.repository.intercept = () => answer(429, { 'retry-after': '60' })
        await story.chart('1.0.0')
      },
      async (story) => {
        story.repository.intercept = undefined
      },
      { ends: 60 },
    ),
    SourceTooLarge: row(
      /^SourceTooLarge: .*index\.yaml: more than 1 MiB in a line$/,
      async (story) => {
        story.add('1.0.0')
        story.repository.intercept = ({ url }) =>
          url.endsWith('index.yaml') ? answer(200, {}, `entries: # ${'x'.repeat(1_100_000)}`) : undefined
        await story.chart('1.0.0')
      },
      async (story) => {
        story.repository.intercept = undefined
        await story.reconcile()
      },
    ),
    HostKeyUnknown: row(
      /^HostKeyUnknown: git ssh:\/\/git@git\.test\/web\.git: host key of git\.test is not in known_hosts/,
      async (story) => {
        await story.credentials({ identity: 'key', known_hosts: 'other' })
        const git = { url: 'ssh://git@git.test/web.git', ref: { branch: 'main' }, ...LOGIN }
        await story.module('m', { git })
      },
      (story) => story.credentials({ identity: 'key', known_hosts: HOST_KEY }),
      { isOver: (story) => story.blockers('m').some((b) => b.startsWith('SourceUnreachable: ')) },
    ),
  },
  ChartStory.begin,
)
