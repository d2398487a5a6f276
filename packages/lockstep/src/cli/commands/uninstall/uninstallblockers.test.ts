/** What keeps Lockstep on a hub. */
import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type { ClusterResourceSet } from '../../../api/kinds/clusterresourceset/columns.ts'
import { CAPI_PAUSED, PAUSED_BY_US, SET } from '../../../api/kinds/clusterresourceset/spec.ts'
import type { Inventory, Module, RemoteAssemblage } from '../../../api/kinds/index.ts'
import { type ManagedObjects, uninstallBlockers } from './uninstallblockers.ts'

const meta = (name: string, more: object = {}) => ({
  name,
  namespace: 'n',
  uid: name,
  resourceVersion: '1',
  ...more,
})
const set = (name: string, annotations: Record<string, string> = { [SET.managed]: 'true' }) =>
  ({
    metadata: meta(name, { annotations }),
    spec: { strategy: 'ApplyOnce' },
  }) as unknown as Stored<ClusterResourceSet>
const module = (name: string, ownerReferences: object[] = []) =>
  ({ kind: 'Module', metadata: meta(name, { ownerReferences }), spec: {} }) as unknown as Stored<Module>
const inventory = (moduleName: string, cluster: string, kind = 'Module') =>
  ({
    metadata: meta(`m.${moduleName}.${cluster}`),
    spec: { moduleRef: { kind, name: moduleName, uid: moduleName }, clusterRef: { name: cluster } },
  }) as unknown as Stored<Inventory>
const assemblage = (name: string) =>
  ({ metadata: meta(name), spec: {} }) as unknown as Stored<RemoteAssemblage>
const ofSet = (name: string) => [
  {
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: 'ClusterResourceSet',
    name,
    uid: name,
    controller: true,
  },
]

const NOTHING: ManagedObjects = {
  sets: [],
  setLabels: { 'cluster.x-k8s.io/provider': 'cluster-api' },
  isOwnDefinition: false,
  modules: [],
  inventories: [],
  foreign: [],
  closing: [],
}
const problems = (l: Partial<ManagedObjects>): string[] =>
  uninstallBlockers({ ...NOTHING, ...l }).map((k) => k.problem)

describe('a hub is let go of', () => {
  it('where nothing is looked after', () => {
    expect(problems({})).toEqual([])
  })
  it("where ClusterResourceSets are Cluster API's", () => {
    expect(problems({ sets: [set('a', {}), set('b', { [SET.managed]: 'false' })] })).toEqual([])
  })
})

describe('a hub is not let go of', () => {
  it('while pull requests are to be closed first, which nobody would do then', () => {
    expect(uninstallBlockers({ ...NOTHING, closing: [{ metadata: meta('podinfo') } as Stored] })).toEqual([
      {
        problem: '1 object goes only once pull requests are closed (deletionPolicy: Close): n/podinfo',
        suggestion: 'delete it while the controller runs, or set spec.deletionPolicy: Orphan in the Pipeline',
      },
    ])
  })
  it('while ClusterResourceSets are managed: as many, and how they are given back', () => {
    expect(problems({ sets: [set('a'), set('b'), set('c'), set('d', {})] })).toEqual([
      '3 ClusterResourceSets are managed; run lockstep handback crs --all -A',
    ])
    expect(problems({ sets: [set('a')] })[0]).toBe(
      '1 ClusterResourceSet is managed; run lockstep handback crs --all -A',
    )
  })
  it('while one that is given back is still held', () => {
    expect(problems({ sets: [set('a', { [CAPI_PAUSED]: PAUSED_BY_US })] })).toHaveLength(1)
    // A pause of its user is none of ours.
    expect(problems({ sets: [set('a', { [CAPI_PAUSED]: 'true' })] })).toEqual([])
  })
  it('while there are sets of our own definition, which goes with Lockstep and takes them along', () => {
    const [keeps] = uninstallBlockers({ ...NOTHING, isOwnDefinition: true, sets: [set('a', {})] })
    expect(keeps).toEqual({
      problem: '1 ClusterResourceSet is managed, and no Cluster API exists to hand it back to',
      suggestion: expect.stringContaining('delete first: n/a;'),
    })
  })
  it('while Modules deliver: to how many clusters, and what to do', () => {
    const inventories = [inventory('web', 'c1'), inventory('web', 'c2'), inventory('db', 'c1')]
    expect(uninstallBlockers({ ...NOTHING, modules: [module('web'), module('db')], inventories })).toEqual([
      {
        problem: '2 Modules are deployed to 2 clusters: n/db, n/web',
        suggestion: expect.stringMatching(/lockstep delete module.*Orphan/),
      },
    ])
  })
  it('the Module of a set is the set: it goes with that, and is not to be deleted by hand', () => {
    const l = { modules: [module('crs-a', ofSet('a'))], inventories: [inventory('crs-a', 'c1')] }
    expect(problems({ sets: [set('a')], ...l })).toEqual([expect.stringContaining('handback')])
  })
  it('while records of what was delivered are there: of clusters that are away, or of what is just going', () => {
    const [keeps] = uninstallBlockers({ ...NOTHING, inventories: [inventory('web', 'c9')] })
    expect(keeps?.problem).toBe('1 Inventory of deployed objects exists: n/m.web.c9')
    expect(keeps?.suggestion).toContain('lockstep delete inventory m.web.c9 -n n')
  })
  it('while other controllers deliver by it', () => {
    expect(problems({ foreign: [assemblage('c1')] })).toEqual([
      'other controllers deploy through 1 RemoteAssemblage: n/c1',
    ])
  })
  it('says all that keeps it, and of many the first five', () => {
    const modules = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => module(name))
    expect(problems({ sets: [set('s')], modules, foreign: [assemblage('c1')] })).toEqual([
      expect.stringContaining('ClusterResourceSet'),
      '7 Modules are deployed: n/a, n/b, n/c, n/d, n/e and 2 more',
      expect.stringContaining('RemoteAssemblage'),
    ])
  })
})
