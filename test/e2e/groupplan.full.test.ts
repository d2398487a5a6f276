/** `lockstep plan` of a cluster group whose applications are Modules: those are planned with it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { createSimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { type GitServer, serveGit } from '../git/gitserver.ts'
import { TestGitRepository } from '../git/testgitrepository.ts'
import { lockstep, type Ran, type ServedFleet, startFleet } from './lockstep.ts'

const isThere = (await createNodeEnv(createSimEnv('helm').log).processes.find('helm')) !== undefined
if (!isThere) process.stdout.write('skipped: plans of applications as Modules, since helm is not there\n')

const APPS = ['vault', 'ui', 'metrics']
const charts = Object.fromEntries(
  APPS.flatMap((name) => [
    [`charts/${name}/Chart.yaml`, `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`],
    [
      `charts/${name}/templates/a.yaml`,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {v: "{{ .Values.v }}"}\n',
    ],
  ]),
)

let root: string
let server: GitServer
let fleet: ServedFleet
const run = (args: string, input = ''): Promise<Ran> =>
  lockstep(args.split(' '), { env: { KUBECONFIG: fleet.kubeconfig }, input })

/** The pattern, whose applications come one after the other. */
function group(apps: readonly string[], v: string): string {
  const app = (name: string, i: number) => ({
    name,
    namespace: 'default',
    path: `charts/${name}`,
    overrides: [{ name: 'v', value: v }],
    annotations: { 'argocd.argoproj.io/sync-wave': String(i) },
  })
  const applications = Object.fromEntries(apps.map((name, i) => [name, app(name, i)]))
  const values = {
    global: { pattern: 'p', repoURL: `${server.url}/pattern.git`, targetRevision: 'main' },
    clusterGroup: { name: 'hub', namespaces: [{ vault: { operatorGroup: false } }], applications },
  }
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'git' },
      stringData: { 'ca.crt': server.ca },
    },
    {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name: 'edge' },
      spec: {
        source: {
          git: {
            url: `${server.url}/pattern.git`,
            path: '.',
            ref: { branch: 'main' },
            secretRef: { name: 'git' },
          },
        },
        targets: { clusters: ['cluster-1'] },
        render: {
          namespace: 'default',
          clusterGroup: { values, applications: 'Modules' },
        },
      },
    },
  ]
  return objects.map((o) => JSON.stringify(o)).join('\n---\n')
}

interface Planned {
  readonly completes: boolean
  readonly modules: readonly {
    readonly module: string
    readonly change: string
    readonly layer: number
    readonly moves: number
    readonly objects: readonly { readonly object: string }[]
    readonly leaves: readonly string[]
    readonly waits: readonly { readonly reason: string; readonly message: string }[]
  }[]
}

async function plan(text: string): Promise<Planned> {
  const { out, err } = await run('plan -f - -o json', text)
  expect(err).toBe('')
  return JSON.parse(out) as Planned
}
const shown = ({ modules }: Planned): string[] =>
  modules.map(({ module, change, layer, moves }) => `${layer} ${module} ${change} ${moves}`)

describe.skipIf(!isThere)('a plan of a cluster group', () => {
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'lockstep-groupplan-'))
    server = await serveGit(root)
    new TestGitRepository(root, 'pattern.git').commit(charts)
    fleet = await startFleet(2, '--allow-host', new URL(server.url).host)
  })
  afterAll(async () => {
    await fleet?.stop()
    await server?.close()
    if (root) rmSync(root, { recursive: true })
  })

  it('that is not there yet: its applications come with it, wave after wave, and nothing is written', async () => {
    const text = group(['vault', 'ui'], '1')
    expect((await run('apply -f -', text.split('\n---\n')[0])).code).toBe(0)
    const planned = await plan(text)
    expect(shown(planned)).toEqual(['1 edge new 1', '2 edge-vault new 1', '3 edge-ui new 1'])
    expect(planned.modules[2]!.objects.map((o) => o.object)).toEqual(['ConfigMap ui'])
    expect(JSON.parse((await run('get modules -o json')).out).items ?? []).toEqual([])
  })

  it('that is: of its applications one changes, one comes and one goes', { timeout: 120_000 }, async () => {
    expect((await run('apply -f -', group(['vault', 'ui'], '1'))).code).toBe(0)
    const names = async () => (await run('get modules -o name')).out
    await expect.poll(names, { timeout: 20_000 }).toContain('edge-ui')
    expect((await run('wait module/edge-ui --for ready --timeout 60s')).code).toBe(0)
    expect(shown(await plan(group(['vault', 'ui'], '1')))).toEqual([
      ...['1 edge unchanged 0', '2 edge-vault unchanged 0', '3 edge-ui unchanged 0'],
    ])
    const planned = await plan(group(['vault', 'metrics'], '2'))
    expect(shown(planned)).toEqual([
      ...['1 edge changed 0', '2 edge-vault changed 1', '3 edge-metrics new 1', '3 edge-ui deleted 1'],
    ])
    expect(planned.completes).toBe(true)
    expect(planned.modules.find((m) => m.module === 'edge-ui')!.leaves).toEqual(['cluster-1'])
  })

  it('an application of which has the name of somebody else’s Module says so', async () => {
    const own = JSON.stringify({
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name: 'edge-metrics' },
      spec: { source: { inline: { objects: [] } }, apply: { allowEmpty: true }, targets: {} },
    })
    const { code, out } = await run('plan -f -', `${group(['vault', 'metrics'], '2')}\n---\n${own}`)
    expect(code).toBe(1)
    expect(out).toMatch(
      /edge: OwnedByAnother: .*edge-metrics exists and is not an application of Module edge/,
    )
  })
})
