/** `lockstep uninstall`: what keeps a hub, what goes, and what does not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ApiServer, createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../packages/kube/src/env/node/nodelog.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { ownCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import {
  BUNDLE_LABEL,
  CONFIRM_DELETION_ANNOTATION,
  SYSTEM_NAMESPACE,
} from '../../packages/lockstep/src/api/labels.ts'
import { uninstallReport } from '../../packages/lockstep/src/cli/commands/uninstall/uninstallreport.ts'
import { installManifests } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import { kubeconfigOf } from '../../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { type LocalServer, serveLocally } from '../../packages/lockstep/src/cli/kit/localfleet/localserver.ts'
import { clusterApiDefinitions } from '../../packages/simulators/src/clusterapi/definitions.cases.ts'
import { eventually, type Ran } from './lockstep.ts'
import { sit } from './person.ts'

const env = createNodeEnv(nodeLog('silent'))
const servers = new Map<string, ApiServer>()
let folder: string
let local: LocalServer
let hub: ApiServer
let nth = 0

const run = (args: string): Promise<Ran> =>
  sit(args.split(' '), { variables: { KUBECONFIG: join(folder, 'kubeconfig') } })
const stored = (resource: string, namespace?: string): string[] =>
  hub.local.list(resource, namespace).map((o) => o.metadata.name ?? '')
const ours = (): string[] => [
  ...stored('customresourcedefinitions.apiextensions.k8s.io').filter((n) => n.endsWith('lockstep.dev')),
  ...stored('clusterroles.rbac.authorization.k8s.io').filter((n) => n.startsWith('lockstep')),
  ...stored('namespaces').filter((n) => n === SYSTEM_NAMESPACE),
]
/** As soon as its kind is served. */
async function put(object: object): Promise<void> {
  const o = object as KubeObject
  await eventually(async () => hub.local.served(o.apiVersion, o.kind) !== undefined, `${o.kind} is served`)
  const done = hub.local.apply(o, 'test', { force: true })
  if (!done.ok) throw new Error(JSON.stringify(done.error))
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-uninstall-'))
  const opened = await serveLocally(env, servers, 0)
  if (!opened.ok) throw new Error(opened.error.detail)
  local = opened.value
})
beforeEach(() => {
  const name = `hub-${nth++}`
  hub = createApiServer(env, { name })
  servers.set(name, hub)
  writeFileSync(
    join(folder, 'kubeconfig'),
    kubeconfigOf(['hub'], () => local.accessOf(name), 'platform'),
  )
})
afterAll(async () => {
  await local.close()
  rmSync(folder, { recursive: true, force: true })
})

async function install(withSets = false): Promise<void> {
  const spaces = ['platform'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  for (const o of [
    ...spaces,
    ...installManifests({
      namespaces: ['platform'],
      profiles: withSets ? ['flux', 'resource-sets'] : ['flux'],
      controller: { image: 'registry.example.com/lockstep:0.1.0' },
    }),
  ])
    await put(o)
}

const META = { namespace: 'platform' }
const module = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { ...META, name: 'web' },
  spec: { source: { none: {} }, targets: { clusterSelector: {} } },
}
const hold = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Hold',
  metadata: { ...META, name: 'h' },
  spec: { targetRef: { kind: 'Module', name: 'web' }, reason: 'a test' },
}
const bundle = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...META, name: 'bundle', labels: { [BUNDLE_LABEL]: 'abc' } },
  type: 'lockstep.dev/bundle',
}
const set = (annotations: object = {}) => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  metadata: { ...META, name: 'cni', annotations },
  spec: {
    strategy: 'ApplyOnce',
    clusterSelector: { matchLabels: { a: 'b' } },
    resources: [{ kind: 'ConfigMap', name: 'cni' }],
  },
})

/** Definitions of Lockstep are protected; those of sets, which it shares with Cluster API, are not. */
const CONFIRMED = `Confirmed the deletion of ${ownCrds().length} definitions with annotation ${CONFIRM_DELETION_ANNOTATION}.\n`

describe('lockstep uninstall', () => {
  it('shows what would go, and changes nothing', async () => {
    await install()
    await put(hold)
    for (const args of ['uninstall', 'uninstall --dry-run']) {
      const ran = await run(args)
      expect([ran.code, ran.err]).toEqual([
        0,
        'Deleted with their definitions: 1 hold.\nNothing was changed. To uninstall: lockstep uninstall --yes\n',
      ])
      expect(ran.out).toMatch(/^CustomResourceDefinition +modules\.lockstep\.dev +would go$/m)
    }
    expect(ours().length).toBeGreaterThan(10)
  })

  it('tells who leads: that one goes on until its Lease is gone', async () => {
    await install()
    await put({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: SYSTEM_NAMESPACE, name: 'lockstep-leader' },
      spec: {
        holderIdentity: 'desk_1',
        leaseDurationSeconds: 15,
        renewTime: '2999-01-01T00:00:00.000000Z',
      },
    })
    const ran = await run('uninstall')
    expect(ran.err).toContain(
      'A controller leads (desk_1) and ends when its Deployment or Lease is deleted. Outside the hub, stop it first.',
    )
  })

  it('takes away all that install gave, contents of old revisions too, and nothing of others', async () => {
    await install()
    await put(bundle)
    await put({ ...bundle, metadata: { ...META, name: 'other' }, type: 'Opaque' })
    const confirmed: boolean[] = []
    hub.local.watch('customresourcedefinitions.apiextensions.k8s.io', ({ type, object: { metadata } }) => {
      if (type === 'DELETED')
        confirmed.push(metadata.annotations?.[CONFIRM_DELETION_ANNOTATION] === metadata.uid)
    })
    const ran = await run('uninstall --yes')
    expect([ran.code, ran.err]).toEqual([0, CONFIRMED])
    await eventually(
      async () => ours().length === 0,
      'all of it is gone',
      () => ours().join(),
    )
    // Also where the policy, which goes first, would not have asked for it.
    expect(confirmed).toEqual(ownCrds().map(() => true))
    expect(stored('validatingadmissionpolicies.admissionregistration.k8s.io')).toEqual([])
    expect(stored('secrets', 'platform')).toEqual(['other'])
    expect(stored('namespaces')).toContain('platform')
    for (const resource of ['rolebindings.rbac.authorization.k8s.io', 'serviceaccounts'])
      expect(stored(resource, 'platform')).toEqual([])
    const again = await run('uninstall --yes')
    expect([again.code, again.out]).toEqual([
      0,
      expect.stringMatching(/^Lockstep is not installed on hub \(http/),
    ])
  })

  describe('an object that changes after it was read', () => {
    const budgets = 'poddisruptionbudgets.policy'
    /** Contents of revisions are deleted first: then `change` comes between the read and the deletion of the budget. */
    async function uninstallWhile(change: () => unknown): Promise<Ran> {
      await install()
      await put(bundle)
      const watching = hub.local.watch('secrets', ({ type }) => {
        if (type === 'DELETED') change()
      })
      const ran = await run('uninstall --yes')
      watching()
      return ran
    }

    it('is read again, and deleted: the status of a budget moves with each pod', async () => {
      const ran = await uninstallWhile(() => {
        const [budget] = hub.local.list(budgets, SYSTEM_NAMESPACE)
        hub.local.updateStatus({ ...budget!, status: { currentHealthy: 1 } }, 'kube-controller-manager')
      })
      expect([ran.code, ran.err]).toEqual([0, CONFIRMED])
      expect(stored(budgets, SYSTEM_NAMESPACE)).toEqual([])
    })

    it('and has another uid then is refused, and kept', async () => {
      const ran = await uninstallWhile(() => {
        const [budget] = hub.local.list(budgets, SYSTEM_NAMESPACE)
        hub.local.delete(budgets, SYSTEM_NAMESPACE, budget!.metadata.name!, 'test')
        const { uid: _, resourceVersion: __, ...metadata } = budget!.metadata
        hub.local.create({ ...budget!, metadata }, 'test')
      })
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('lockstep-controller')])
      expect(stored(budgets, SYSTEM_NAMESPACE)).toEqual(['lockstep-controller'])
    })
  })

  it('leaves what has only the name', async () => {
    await install()
    const own = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }
    await put({ ...own, metadata: { name: 'lockstep-view' }, rules: [] })
    const ran = await run('uninstall --yes')
    expect(ran.out).toMatch(/^ClusterRole +lockstep-view +stays$/m)
    expect(ran.err).toContain('Other objects have no label app.kubernetes.io/part-of=lockstep.')
    expect(stored('clusterroles.rbac.authorization.k8s.io').filter((n) => n.startsWith('lockstep'))).toEqual([
      'lockstep-view',
    ])
  })

  it('hands ClusterResourceSets back to Cluster API, where they stay', async () => {
    await install()
    for (const o of clusterApiDefinitions('1.13')) await put(o)
    await put(set({ 'lockstep.dev/managed': 'true' }))
    const planned = await run('uninstall')
    expect([planned.code, planned.err]).toEqual([
      0,
      expect.stringContaining('Handed back to Cluster API before: 1 ClusterResourceSet.\n'),
    ])
    expect(ours().length).toBeGreaterThan(10)
    const done = await run('uninstall --yes')
    expect(done).toMatchObject({
      code: 0,
      err: `Handed 1 ClusterResourceSet back to Cluster API.\n${CONFIRMED}`,
    })
    const [left] = hub.local.list('clusterresourcesets.addons.cluster.x-k8s.io', 'platform')
    expect(left?.metadata.name).toBe('cni')
    expect(left?.metadata.annotations ?? {}).toEqual({})
  })

  it('hands nothing back while Modules deliver: both are named', async () => {
    await install()
    for (const o of clusterApiDefinitions('1.13')) await put(o)
    await put(set({ 'lockstep.dev/managed': 'true' }))
    await put(module)
    for (const args of ['uninstall', 'uninstall --yes']) {
      const refused = await run(args)
      expect(refused.code).toBe(1)
      expect(refused.err).toMatch(/1 ClusterResourceSet is managed[\s\S]*1 Module is deployed/)
    }
    const [left] = hub.local.list('clusterresourcesets.addons.cluster.x-k8s.io', 'platform')
    expect(left?.metadata.annotations).toEqual({ 'lockstep.dev/managed': 'true' })
  })

  it('takes our own definition of sets along where there is none; where there is one it is refused', async () => {
    await install(true)
    await put(set())
    const refused = await run('uninstall --yes')
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/no Cluster API exists to hand it\s+back to/),
    ])
    expect(await run('delete crs cni')).toMatchObject({ code: 0 })
    expect(await run('uninstall --yes')).toMatchObject({ code: 0, err: CONFIRMED })
    await eventually(
      async () =>
        !stored('customresourcedefinitions.apiextensions.k8s.io').some((n) => n.includes('x-k8s.io')),
      'the definition of sets is gone',
    )
  })

  it('is refused while Modules deliver', async () => {
    await install()
    await put(module)
    const ran = await run('uninstall --yes')
    expect([ran.code, ran.out]).toEqual([1, ''])
    expect(ran.err).toMatch(
      /1 Module is deployed: platform\/web[\s\S]*lockstep delete module[\s\S]*Nothing was changed/,
    )
    expect(ours().length).toBeGreaterThan(10)
  })

  it('-o json: a report', async () => {
    await install()
    const { out, code } = await run('uninstall -o json')
    const report = uninstallReport.schema.parse(JSON.parse(out))
    expect([code, new Set(report.objects.map((o) => o.state))]).toEqual([0, new Set(['Planned'])])
    // The namespace is the last to go: the Lease is in it.
    expect(report.objects.at(-1)).toMatchObject({ kind: 'Namespace', name: SYSTEM_NAMESPACE })
  })

  it('--yes and --dry-run exclude each other', async () => {
    expect(await run('uninstall --yes --dry-run')).toMatchObject({ code: 2, out: '' })
  })
})
