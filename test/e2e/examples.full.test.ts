/** Every example of every help does what it says: against a fleet, and as a shell runs it where it has something for a shell. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { LOOPBACK } from '../../packages/kube/src/env/hostrefusal.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../packages/kube/src/env/node/nodelog.ts'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { PAUSED_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { allCommands } from '../../packages/lockstep/src/cli/commands/registry.ts'
import { installManifests } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import {
  FLEET_NAMESPACE,
  furnish,
  HUB,
  kubeconfigOf,
  type LocalFleet,
  startLocalFleet,
  untilServed,
} from '../../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { type LocalServer, serveLocally } from '../../packages/lockstep/src/cli/kit/localfleet/localserver.ts'
import { manageNamespaces } from '../../packages/lockstep/src/cli/kit/localfleet/managenamespaces.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { ClusterApiHub } from './clusterapihub.ts'
import { eventually, interrupted, type Ran } from './lockstep.ts'
import { sit } from './person.ts'
import { PIPELINE } from './pipelines.ts'

const commands = await allCommands()

const MODULE = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: hello}
spec:
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: hello, namespace: default}}]}}
  targets: {clusterSelector: {}}
`

/** One that went out before, and goes out in stages now. */
const shop = (release: string, rollout: object) => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name: 'shop', namespace: FLEET_NAMESPACE },
  spec: {
    source: { none: {} },
    targets: { clusterSelector: {} },
    release,
    rollout,
  },
})
const STAGED = {
  strategy: 'Staged',
  stages: [{ name: 'canary', clusterSelector: {}, approval: 'Required' }],
}

/** What Helm renders of a chart for Flux: a source, and a unit that waits for another. */
const unit = (name: string, needs: string): string => `---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: apps}
spec:
  interval: 10m
  prune: true
  wait: true
  path: ./${name}
  sourceRef: {kind: GitRepository, name: apps}
  dependsOn: [${needs}]
`
const RENDERED = `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: apps, namespace: apps}
spec: {url: https://example.com/apps.git, interval: 1m, ref: {commit: 9b1c000000000000000000000000000000000000}}
${unit('database', '')}${unit('web', '{name: database}')}`

/** As people have it under Fleeet. */
const FLEEET = `apiVersion: fleet.squaremo.dev/v1alpha1
kind: Module
metadata: {name: podinfo}
spec:
  selector: {}
  sync:
    source: {git: {url: "https://example.com/podinfo", version: {tag: 5.2.0}}}
    package: {kustomize: {path: ./kustomize}}
`

/** As people have it under weaveworks' pipeline-controller. */
const WEAVE = `apiVersion: pipelines.weave.works/v1alpha1
kind: Pipeline
metadata: {name: podinfo, namespace: platform}
spec:
  appRef: {apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, name: podinfo}
  environments:
    - {name: dev, targets: [{namespace: dev}]}
    - {name: prod, targets: [{namespace: prod}]}
  promotion: {strategy: {notification: {}}}
`

/** As people have it for the patterns operator. */
const PATTERN = {
  'values-global.yaml': 'global: {pattern: edge, options: {useCSV: false}}\n',
  'values-hub.yaml':
    'clusterGroup: {name: hub, namespaces: [storage], subscriptions: {odf: {name: odf-operator, namespace: storage}}}\n',
}

/** What Cluster API delivers. */
const SOURCE = `apiVersion: v1
kind: ConfigMap
metadata: {name: shop, namespace: default}
data: {open: "from eight to six"}
`

/** What goes on until it is interrupted, and what it says before. */
const GO_ON: readonly (readonly [RegExp, string])[] = [
  [/^demo\b(?! versioned| fleet| clustergroup| tenancy)/, 'Release 2026.10 is deployed'],
  [/^demo fleet/, 'Release 2026.10 on 60 clusters'],
  [/^up\b/, 'In another terminal'],
  [/^controller\b/, 'caches complete'],
  [/^status -w\b/, 'units ready'],
  [/^events -w\b/, 'Published'],
]

const examples = commands.flatMap(({ name, examples: own, actions = [] }) =>
  [...own, ...actions.flatMap((a) => a.examples)].map(([what, line]) => ({ command: name, what, line })),
)
const goesOn = (line: string) => GO_ON.find(([pattern]) => pattern.test(line))?.[1]
/** On a hub of which nothing is asked any more. */
const isOfSpare = (line: string): boolean => line.startsWith('uninstall')
const REMOVAL = /^cluster remove (\S+)/
/** Those that take something away come last: Modules, then clusters that none of them uses any more. */
const rankOf = (line: string): number => (REMOVAL.test(line) ? 2 : line.startsWith('delete') ? 1 : 0)
const ended = examples
  .filter((e) => goesOn(e.line) === undefined)
  .sort((a, b) => rankOf(a.line) - rankOf(b.line))

let folder: string
let fleet: LocalFleet
let local: LocalServer
let namespaces: { stop(): void }
let manager: Manager
let kubeconfig: string
let hub: KubeClient
let capi: ClusterApiHub

/** The clusters that the examples speak of, with everything in this process. */
async function startFleet(): Promise<KubeClient> {
  const env = createNodeEnv(nodeLog('silent'))
  fleet = startLocalFleet(env, {
    clusters: ['prod-eu', 'prod-us'],
    delays: { notice: [1, 5], start: [5, 20] },
  })
  // Of Cluster API alone.
  const edge = createApiServer(env, { name: 'edge-1' })
  const spare = createApiServer(env, { name: 'spare' })
  const servers = new Map([[HUB, fleet.hub], ...fleet.clusters, [edge.name, edge], [spare.name, spare]])
  const opened = await serveLocally(env, servers, 0)
  if (!opened.ok) throw new Error(opened.error.detail)
  local = opened.value
  furnish(fleet, local.accessOf)
  writeFileSync(kubeconfig, kubeconfigOf([...servers.keys()], local.accessOf, FLEET_NAMESPACE))
  for (const o of installManifests({ namespaces: ['platform'], profiles: [] }))
    spare.local.create(o as unknown as KubeObject, 'kubectl')
  writeFileSync(
    join(folder, 'spare.kubeconfig'),
    kubeconfigOf([HUB], () => local.accessOf(spare.name), FLEET_NAMESPACE),
  )
  const client = createHttpClient(env, HUB, env.net.connect(local.endpointOf(HUB), 'operator'))
  await untilServed(env, client)
  namespaces = manageNamespaces(env, fleet.hub, client)
  capi = await ClusterApiHub.open(env, client, local, {
    version: '1.13',
    namespace: 'sets',
    clusters: [edge],
  })
  manager = startManager(env, client, { allowHosts: LOOPBACK })
  await manager.started
  return client
}

/** A folder as a person has it: the examples, a module of their own, `lockstep` on the PATH. */
function furnishFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-examples-'))
  kubeconfig = join(folder, 'lockstep.kubeconfig')
  symlinkSync(resolve('examples'), join(folder, 'examples'))
  writeFileSync(join(folder, 'module.yaml'), MODULE)
  writeFileSync(join(folder, 'rendered.yaml'), RENDERED)
  writeFileSync(join(folder, 'pipelines.yaml'), WEAVE)
  for (const [file, text] of Object.entries(PATTERN)) writeFileSync(join(folder, file), text)
  mkdirSync(join(folder, 'upstream'))
  writeFileSync(join(folder, 'upstream/modules.yaml'), FLEEET)
  mkdirSync(join(folder, 'clusters/prod'), { recursive: true })
  writeFileSync(join(folder, 'clusters/prod/units.yaml'), RENDERED)
  const git = ['init -q', 'add clusters', 'commit -qm one', 'commit -qm two --allow-empty']
  for (const args of git)
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args.split(' ')], {
      cwd: folder,
    })
  mkdirSync(join(folder, 'bin'))
  const bin = join(folder, 'bin/lockstep')
  writeFileSync(
    bin,
    `#!/bin/sh\nexec "${process.execPath}" "${resolve('packages/lockstep/bin/lockstep.js')}" "$@"\n`,
  )
  chmodSync(bin, 0o755)
}

/** Words that a shell would not touch. */
const PLAIN = /^[\w ./:=@,+-]+$/

/** A process for each takes most of the time of this file: a short run starts one only where a shell has something to do. */
const isPlain = (line: string): boolean => process.env.LOCKSTEP_EVERY_WRITE !== '1' && PLAIN.test(line)

const variables = (): Record<string, string> => ({
  PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
  HOME: folder,
  LANG: 'C.UTF-8',
  KUBECONFIG: kubeconfig,
})

/** What follows `lockstep`, as a person has it in this folder. */
const lockstep = (line: string): Promise<Ran> =>
  isPlain(line) ? sit(line.split(' '), { variables: variables(), cwd: folder }) : shell(`lockstep ${line}`)

function shell(line: string): Promise<Ran> {
  const env = variables()
  return new Promise((done) => {
    const child = execFile('sh', ['-c', line], { env, cwd: folder, timeout: 60_000 }, (e, out, err) =>
      done({ code: typeof e?.code === 'number' ? e.code : e ? -1 : 0, out, err }),
    )
    child.stdin?.end()
  })
}

/** It cannot be worked on any more, and that is seen. */
async function pause(cluster: string): Promise<void> {
  const write = { purpose: 'user', manager: 'person', precondition: 'any' } as const
  const patch = { metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } }
  const key = { namespace: FLEET_NAMESPACE, name: cluster }
  expect(await hub.patch(secretKind, key, patch, write)).toMatchObject({ ok: true })
  await eventually(
    async () => (await lockstep(`get remoteassemblage ${cluster} -n platform`)).out.includes('Paused'),
    `${cluster} is paused`,
  )
}

/** As `cluster add` makes it, without objects of Modules: a cluster that may be removed. */
async function registerUnused(cluster: string): Promise<void> {
  const { out } = await lockstep(`get modules -n ${FLEET_NAMESPACE} -o name`)
  for (const module of out.split('\n').filter((name) => name !== ''))
    await lockstep(`delete module ${module.split('/')[1]} -n ${FLEET_NAMESPACE}`)
  await eventually(
    async () => !(await lockstep(`get inventories -n ${FLEET_NAMESPACE}`)).out.includes(cluster),
    `nothing is left on ${cluster}`,
  )
  expect(await lockstep(`cluster add ${cluster} -n ${FLEET_NAMESPACE}`)).toMatchObject({ code: 0 })
}

const isThere = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

beforeAll(async () => {
  furnishFolder()
  hub = await startFleet()
})
afterAll(async () => {
  namespaces.stop()
  manager.stop()
  capi.upstream.kill()
  fleet.stop()
  await local.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('an example that ends', () => {
  beforeAll(async () => {
    expect(await lockstep('apply -n platform -f examples/platform/v1')).toMatchObject({ code: 0 })
    await eventually(
      async () => (await lockstep('status -n platform')).out.includes('8 of 8 units ready'),
      '8 of 8 units ready',
    )
    const write = { purpose: 'user', manager: 'person', precondition: 'any', force: true } as const
    const put = async (release: string, rollout: object): Promise<void> =>
      expect(await hub.apply(moduleKind, shop(release, rollout) as never, write)).toMatchObject({ ok: true })
    expect(await sit(['apply', '-f', '-'], { variables: variables(), input: PIPELINE })).toMatchObject({
      code: 0,
    })
    await put('2026.10', { strategy: 'Replace' })
    await eventually(
      async () => (await lockstep('rollout history shop -n platform')).out.includes('Complete'),
      'a release of shop is complete',
    )
    await put('2026.11', STAGED)
    await eventually(
      async () => (await lockstep('status pipeline/podinfo -n platform')).out.includes('AwaitingApproval'),
      'a promotion to prod waits for consent',
    )
    await capi.source('shop', { 'shop.yaml': SOURCE })
    await capi.set('shop', ['shop'])
    await eventually(
      async () => (await lockstep('get crs -n sets')).out.includes(' 1/1 '),
      'Cluster API has applied it',
    )
  })
  it.for(ended)('lockstep $line', async ({ line }, { skip }) => {
    const other = / \| (\w+)/.exec(line)?.[1]
    if (other !== undefined && !isThere(other)) skip(`${other} is not on the PATH`)
    if (line.includes('--orphan prod-us')) await pause('prod-us')
    const [, removed] = REMOVAL.exec(line) ?? []
    if (removed !== undefined) await registerUnused(removed)
    if (isOfSpare(line)) kubeconfig = join(folder, 'spare.kubeconfig')
    const ran = await lockstep(line)
    kubeconfig = join(folder, 'lockstep.kubeconfig')
    // What is not on the PATH of this machine is just what this example is there to tell.
    const lacks = line === 'check' && !isThere('helm') ? 1 : 0
    expect([ran.code, ran.err]).toEqual([lacks, expect.not.stringContaining('error')])
    expect(ran.out).not.toBe('')
  })
})

describe('an example that goes on', () => {
  it.each(examples.filter((e) => goesOn(e.line)))('lockstep $line', async ({ line }) => {
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere, { recursive: true })
    // The port of an example may be taken on this machine.
    const args = line.replace(/--port \d+/, '--port 0').split(' ')
    const ran = await interrupted(args, kubeconfig, goesOn(line)!, { cwd: elsewhere })
    expect(ran.code).toBe(130)
  })
})

it('each has a purpose of its own, in one line', () => {
  for (const c of commands) {
    expect(c.examples.length).toBeGreaterThanOrEqual(2)
    expect(c.examples.length).toBeLessThanOrEqual(4)
  }
  expect(new Set(examples.map((e) => e.line)).size).toBe(examples.length)
  for (const { what } of examples) expect(what).toMatch(/^[A-Z][^\n]{3,70}$/)
})
