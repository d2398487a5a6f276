/** Charts of a Helm repository and of a registry, over real HTTPS; rendered by the Helm of this machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import type { Listening } from '../../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { createSimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { configMapKind, controllerRevisionKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64 } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { chartArchive } from '../charts/archive.ts'
import { answer, TestChartRepository, TestRegistry } from '../charts/chartservers.ts'
import type { FleetCase } from './fleet.cases.ts'
import { type Corner, condition } from './fleetsubject.ts'
import { reasonOf } from './refusals.cases.ts'

const env = createNodeEnv(createSimEnv('charts').log)
const isThere = (await env.processes.find('helm')) !== undefined
if (!isThere) process.stdout.write('skipped: charts of repositories, since helm is not there\n')

const tls = join('test', 'git', 'tls')
const CERT = readFileSync(join(tls, 'cert.pem'), 'utf8')
const KEY = readFileSync(join(tls, 'key.pem'), 'utf8')
const ANY = { ...WRITE, precondition: 'any', force: true } as const

interface Setting {
  readonly repository: TestChartRepository
  readonly registry: TestRegistry
  /** `spec` of a module with a version of chart `web`. */
  spec(version: string, more?: object): object
  readonly oci: string
  reconcile(module: string): Promise<void>
}

/** A chart with one ConfigMap, which has the name of the release and says which version it is. */
const files = (mark: string) => ({
  'values.yaml': 'own: chart\n',
  'templates/a.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\n' +
    `data: {version: "{{ .Chart.Version }}", own: "{{ .Values.own }}", mark: "${mark}"}\n`,
})

/** Both servers, a Secret `ca` that they are trusted by, and a Secret `login` that they want. */
async function withCharts(c: Corner, work: (s: Setting) => Promise<void>): Promise<void> {
  const [repository, registry] = [new TestChartRepository(), new TestRegistry()]
  const listen = async ({ handler }: TestChartRepository | TestRegistry): Promise<Listening> => {
    const opened = await env.net.listen(
      { host: '127.0.0.1', port: 0, tls: { cert: CERT, key: KEY } },
      handler,
    )
    if (!opened.ok) throw new Error(opened.error.detail)
    return opened.value
  }
  const listening = [await listen(repository), await listen(registry)]
  const [charts, images] = listening.map((l) => l.url.replace('127.0.0.1', 'localhost'))
  repository.wants = registry.wants = `Basic ${btoa('me:secret')}`
  const secret = (name: string, data: Readonly<Record<string, string>>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: c.namespace },
    data: Object.fromEntries(
      Object.entries(data).map(([k, v]) => [k, bytesToBase64(new TextEncoder().encode(v))]),
    ),
  })
  value(await c.hub.apply(secretKind, secret('ca', { 'ca.crt': CERT }), ANY))
  value(await c.hub.apply(secretKind, secret('login', { username: 'me', password: 'secret' }), ANY))
  let triggers = 0
  try {
    await work({
      repository,
      registry,
      oci: `oci://${new URL(images!).host}/charts`,
      spec: (version, more = {}) => ({
        source: {
          helm: {
            repository: `${charts}/charts`,
            chart: 'web',
            version,
            secretRef: { name: 'login' },
            certSecretRef: { name: 'ca' },
            ...more,
          },
        },
        render: { namespace: c.namespace, helm: { values: { own: 'module' } } },
      }),
      async reconcile(name) {
        const annotations = { 'lockstep.dev/reconcile': String(++triggers) }
        const at = { namespace: c.namespace, name }
        value(await c.hub.patch(moduleKind, at, { metadata: { annotations } }, ANY))
      },
    })
  } finally {
    for (const l of listening) await l.close()
  }
}

const has = (key: string, v: string) => (o: { data?: Readonly<Record<string, string>> } | undefined) =>
  o?.data?.[key] === v

async function inputsOf(c: Corner): Promise<readonly { path: string; digest: string }[]> {
  const { items } = value(await c.hub.list(controllerRevisionKind, { ...READ, namespace: c.namespace }))
  const [last] = [...items].sort((x, y) => y.revision - x.revision)
  return (last!.data as unknown as { inputs: readonly { path: string; digest: string }[] }).inputs
}

const cases: readonly FleetCase[] = [
  {
    name: 'a chart of a repository: a range is followed, what vanishes takes nothing with it',
    run: (c) =>
      withCharts(c, async (s) => {
        const digest = s.repository.add('web', '1.2.2', { files: files('first') })
        await c.module('web', s.spec('^1.2'))
        const first = await c.untilReady('web')
        expect(first.status?.sourceRevision).toBe(`1.2.2@${digest}`)
        expect(await inputsOf(c)).toEqual([{ path: 'source.helm', digest }])
        const made = value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'web' }, READ))
        expect(made.data).toEqual({ version: '1.2.2', own: 'module', mark: 'first' })
        const newer = s.repository.add('web', '1.2.3', { files: files('second') })
        await s.reconcile('web')
        await c.until(c.c1, configMapKind, 'web', 'of the newer version', has('version', '1.2.3'))
        const recorder = await c.record()
        s.repository.remove('web', '1.2.3')
        await s.reconcile('web')
        const older =
          '^1.2 resolves to 1.2.2, older than the published 1.2.3, which stays; to roll back set spec.source.helm.version to 1.2.2'
        const warned = await c.untilModule(
          'web',
          'warned of',
          (m) => condition(m, 'ResolvedOlder') !== undefined,
        )
        expect(condition(warned, 'ResolvedOlder')?.message).toContain(older)
        expect(warned.status?.sourceRevision).toBe(`1.2.3@${newer}`)
        s.repository.remove('web', '1.2.2')
        await s.reconcile('web')
        await reasonOf(c, 'web', 'RefNotFound')
        s.repository.intercept = () => answer(429, { 'retry-after': '60' })
        await s.reconcile('web')
        const { message } = await reasonOf(c, 'web', 'SourceRateLimited')
        expect(message).toMatch(/^localhost:\d+ asks to wait \d+s \(until /)
        recorder.expectNone('deleted')
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'web' }, READ))
      }),
  },
  {
    name: 'a chart of a registry: its manifest is pinned, and one that is pushed anew is told',
    run: (c) =>
      withCharts(c, async (s) => {
        const push = (mark: string) =>
          s.registry.push('charts/web', '2.0.0+b.1', {
            archive: chartArchive('web', '2.0.0+b.1', files(mark)),
          })
        const digest = push('first')
        const spec = s.spec('2.0.0+b.1', { repository: s.oci })
        await c.module('web', spec)
        const first = await c.untilReady('web')
        expect(first.status?.sourceRevision).toBe(`2.0.0+b.1@${digest}`)
        const again = push('second')
        await s.reconcile('web')
        await c.until(c.c1, configMapKind, 'web', 'of what was pushed anew', has('mark', 'second'))
        await c.untilEvent('TagMoved', `version 2.0.0+b.1 was ${digest}, is ${again}`)
        await c.module('web', s.spec('2.0.0+b.1', { repository: s.oci, digest }))
        const { message } = await reasonOf(c, 'web', 'RefMoved')
        expect(message).toContain(`version 2.0.0+b.1 is ${again}, pinned to ${digest}`)
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'web' }, READ))
      }),
  },
  {
    name: 'a chart that is refused: archives, logins, versions; what is published stays',
    run: (c) =>
      withCharts(c, async (s) => {
        s.repository.add('web', '1.0.0', { files: files('first') })
        await c.module('web', s.spec('1.0.0'))
        await c.untilReady('web')
        s.repository.add('web', '1.0.1', { archive: chartArchive('other', '1.0.1') })
        await c.module('web', s.spec('1.0.1'))
        await reasonOf(c, 'web', 'ArchiveRefused')
        await c.module('web', s.spec('1.0.2'))
        const { message } = await reasonOf(c, 'web', 'RefNotFound')
        expect(message).toContain('no version 1.0.2 of chart web; nearest: 1.0.1, 1.0.0')
        await c.module('web', s.spec('^1', { digest: `sha256:${'a'.repeat(64)}` }))
        await reasonOf(c, 'web', 'InvalidSpec')
        s.repository.wants = 'Basic other'
        await c.module('web', s.spec('1.0.x'))
        const refused = await reasonOf(c, 'web', 'SourceAuthFailed')
        expect(refused.message).toContain(`status 401 with Secret ${c.namespace}/login (username)`)
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'web' }, READ))
      }),
  },
]

/** Git and Helm are programs, and a few of them run at a time for all cases. */
export const packedCases: readonly FleetCase[] = isThere
  ? cases.map((c) => ({ patienceSeconds: 120, ...c }))
  : []
