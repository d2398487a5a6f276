/** More of what upstream does that ours does otherwise (specification of resource sets, 2), and what a takeover meets. */
import { expect } from 'vitest'
import { at } from '../../../kube/src/object/index.ts'
import { manifest, onClusters, type Script } from './script.cases.ts'
import {
  addCluster,
  addConfigMap,
  addSet,
  bindingsPath,
  clusterObject,
  clustersPath,
  corePath,
  merge,
  must,
  readyStatus,
  type Stage,
  setsPath,
} from './stage.cases.ts'

const set = (s: Stage, name = 'crs1'): string => `${setsPath(s)}/${name}`
const workload = (name: string): string => `/api/v1/namespaces/default/configmaps/${name}`
const LOOK = { metadata: { labels: { look: 'again' } } }

const unconnected: Script = {
  name: 'A cluster that is not up yet: its entry is there, empty; it is applied to once there is a connection',
  versions: ['1.9', '1.13'],
  clusters: ['c1'],
  steps: [
    {
      name: 'a Cluster without infrastructure',
      async act(s) {
        await must(s, '', 'POST', clustersPath(s), clusterObject(s, 'c1', true) as never)
        await addConfigMap(s, 'a', { x: manifest({ name: 'late-a' }) })
        await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
      },
      sees(seen) {
        expect(seen.entries.c1).toEqual(['crs1'])
        expect(seen.sources.a).toHaveLength(1)
        expect(seen.legacy.crs1).toEqual([
          'Error ResourcesApplied False RemoteClusterClientFailed error getting client: connection to the workload cluster is down',
        ])
        expect(seen.conditions.crs1?.[0]).toBe(
          'ResourcesApplied False InternalError Please check controller logs for errors',
        )
      },
    },
    {
      name: 'it has one',
      act: (s) => merge(s, `${clustersPath(s)}/c1/status`, { status: readyStatus(s.apiVersion) }),
      sees(seen) {
        expect(onClusters(seen)).toEqual(['c1 POST configmaps late-a'])
        expect(seen.legacy.crs1).toEqual(['ResourcesApplied True'])
      },
    },
  ],
}

const unseen: Script = {
  name: 'A Cluster that is recreated unseen keeps its binding: nothing is applied (D12)',
  clusters: ['c1'],
  steps: [
    {
      name: 'the object is gone from the cluster, as from a new one; entry and Cluster stay',
      async act(s) {
        await addConfigMap(s, 'a', { x: manifest({ name: 'unseen-a' }) })
        await addCluster(s, 'c1')
        await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
        await s.settle()
        await must(s, 'c1', 'DELETE', workload('unseen-a'))
        await merge(s, set(s), LOOK)
      },
      async sees(seen, s) {
        expect(seen.entries.c1?.[0]).toMatch(/ applied$/)
        expect((await s.send('c1', 'GET', workload('unseen-a'))).status).toBe(404)
      },
    },
  ],
}

const immutable: Script = {
  name: 'What cannot be changed is tried at each retry, for ever, and its time moves (D8, D16)',
  clusters: ['c1'],
  steps: [
    {
      name: 'an immutable ConfigMap',
      async act(s) {
        await addConfigMap(s, 'a', { x: `${manifest({ name: 'fixed-a' })}immutable: true\n` })
        await addCluster(s, 'c1')
        await addSet(s, 'crs1', { strategy: 'Reconcile', resources: ['ConfigMap/a'] })
      },
    },
    {
      name: 'is to change',
      act: (s) =>
        merge(s, `${corePath(s, 'configmaps')}/a`, {
          data: { x: `${manifest({ name: 'fixed-a', data: { k: 'w' } })}immutable: true\n` },
        }),
      sees(seen, s) {
        expect(onClusters(seen)).toHaveLength(1)
        expect(seen.entries.c1?.[0]).toMatch(/ not applied$/)
        expect(seen.legacy.crs1?.[0]).toContain('patching object /v1, Kind=ConfigMap default/fixed-a: ')
        const tries = s.upstream.requests().filter((r) => r.method === 'PATCH' && r.path.includes('fixed-a'))
        expect(tries.length).toBeGreaterThan(2)
      },
    },
  ],
}

const stale: Script = {
  name: 'Deletion looks at matching clusters only: an entry stays where another set keeps the binding (D11)',
  clusters: ['c1', 'c2'],
  steps: [
    {
      name: 'two sets are applied to both',
      async act(s) {
        await addConfigMap(s, 'a', { x: manifest({ name: 'stale-a' }) })
        await addConfigMap(s, 'b', { x: manifest({ name: 'stale-b' }) })
        for (const c of ['c1', 'c2']) await addCluster(s, c)
        await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
        await s.settle()
        await addSet(s, 'crs2', { resources: ['ConfigMap/b'] })
      },
      sees: (seen) => expect([seen.entries.c1?.length, seen.entries.c2?.length]).toEqual([2, 2]),
    },
    {
      name: 'one cluster does not match any more: its entries stay',
      act: (s) => merge(s, `${clustersPath(s)}/c2`, { metadata: { labels: { fleet: 'other' } } }),
      sees: (seen) => expect(seen.entries.c2).toHaveLength(2),
    },
    {
      name: 'a set goes, and still has an entry',
      act: (s) => must(s, '', 'DELETE', set(s)),
      sees: (seen) => expect([seen.entries.c1?.length, seen.entries.c2?.length]).toEqual([1, 2]),
    },
    {
      name: 'made again, with the label back: nothing is applied to the second cluster',
      async act(s) {
        await must(s, 'c1', 'DELETE', workload('stale-a'))
        await merge(s, `${clustersPath(s)}/c2`, { metadata: { labels: { fleet: 'all' } } })
        // It was collected with its set.
        await addConfigMap(s, 'a', { x: manifest({ name: 'stale-a' }) })
        await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
      },
      sees: (seen) => expect(onClusters(seen)).toEqual(['c1 POST configmaps stale-a']),
    },
  ],
}

const emptySelector: Script = {
  name: 'A set with an empty selector hides changes of Clusters from all sets of its namespace (D14)',
  unchecked: true,
  clusters: ['c1'],
  steps: [
    {
      name: 'a set that nothing matches yet, and one with an empty selector before it',
      async act(s) {
        await must(s, '', 'POST', setsPath(s), {
          apiVersion: `addons.cluster.x-k8s.io/${s.apiVersion}`,
          kind: 'ClusterResourceSet',
          metadata: { name: 'aaa', namespace: s.namespace },
          spec: {
            clusterSelector: {},
            resources: [{ kind: 'ConfigMap', name: 'none' }],
            strategy: 'ApplyOnce',
          },
        })
        await addConfigMap(s, 'a', { x: manifest({ name: 'empty-a' }) })
        await addCluster(s, 'c1')
        await merge(s, `${clustersPath(s)}/c1`, { metadata: { labels: { fleet: 'other' } } })
        await s.settle()
        await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
      },
      sees: (seen) => expect(onClusters(seen)).toEqual([]),
    },
    {
      name: 'the cluster matches, and the set is told',
      async act(s) {
        await merge(s, `${clustersPath(s)}/c1`, { metadata: { labels: { fleet: 'all' } } })
        await s.settle()
        await merge(s, set(s), LOOK)
      },
      sees: (seen) => expect(onClusters(seen)).toEqual(['c1 POST configmaps empty-a']),
    },
  ],
}

const clusterPaused: Script = {
  name: 'A paused Cluster is written to (D16)',
  clusters: ['c1'],
  steps: [
    {
      name: 'a new set on a paused Cluster',
      async act(s) {
        await addCluster(s, 'c1')
        await merge(s, `${clustersPath(s)}/c1`, { spec: { paused: true } })
        await addConfigMap(s, 'a', { x: manifest({ name: 'cluster-paused' }) })
        await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
      },
      sees: (seen) => expect(onClusters(seen)).toEqual(['c1 POST configmaps cluster-paused']),
    },
  ],
}

/** What the takeover rests on: once `Paused` is True nothing of that set is under way. */
const pausedInside: Script = {
  name: 'A pause that lands between two requests: the run ends as it began, then Paused is acknowledged',
  versions: ['1.9', '1.13'],
  clusters: ['c1'],
  steps: [
    { name: 'a cluster', act: (s) => addCluster(s, 'c1') },
    {
      name: 'the annotation comes while the first of two objects is on its way',
      async act(s) {
        await addConfigMap(s, 'a', {
          x: `${manifest({ name: 'inside-a' })}---\n${manifest({ name: 'inside-b' })}`,
        })
        const held = new Promise<() => void>((resolve) => {
          s.upstream.hold((r) => {
            if (r.method !== 'POST' || !r.cluster.endsWith('/c1')) return undefined
            return new Promise<void>((go) => resolve(go))
          })
        })
        await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
        const go = await during(s, held)
        s.upstream.hold(undefined)
        await merge(s, set(s), { metadata: { annotations: { 'cluster.x-k8s.io/paused': 'lockstep' } } })
        await s.wait(500)
        const { body } = await s.send('', 'GET', set(s))
        expect(JSON.stringify(at(body, 'status'))).not.toContain('"True"')
        go()
      },
      sees(seen) {
        expect(onClusters(seen)).toEqual(['c1 POST configmaps inside-a', 'c1 POST configmaps inside-b'])
        const last = seen.writes.findLastIndex((w) => w.startsWith('c1 '))
        const paused = seen.writes.findIndex((w) => w.includes('"reason":"Paused"'))
        expect(paused).toBeGreaterThan(last)
        expect(seen.entries.c1?.[0]).toMatch(/ applied$/)
      },
    },
  ],
}

/** Time passes until something has happened. */
async function during<T>(s: Stage, what: Promise<T>): Promise<T> {
  let found: { readonly value: T } | undefined
  void what.then((value) => {
    found = { value }
  })
  while (!found) await s.wait(20)
  return found.value
}

const killed: Script = {
  name: 'Killed after the objects and before the binding: the next process applies all again',
  clusters: ['c1'],
  steps: [
    { name: 'a cluster', act: (s) => addCluster(s, 'c1') },
    {
      name: 'the patch of the binding never comes',
      async act(s) {
        await addConfigMap(s, 'a', { x: manifest({ name: 'killed-a' }) })
        const binding = `${bindingsPath(s)}/c1`
        const held = new Promise<void>((resolve) => {
          s.upstream.hold((r) => {
            if (r.method !== 'PATCH' || !r.path.startsWith(binding)) return undefined
            resolve()
            return new Promise<void>(() => {})
          })
        })
        await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
        await during(s, held)
        await s.upstream.kill()
        s.upstream.hold(undefined)
      },
      sees(seen) {
        expect(onClusters(seen)).toEqual(['c1 POST configmaps killed-a'])
        expect(seen.entries.c1).toEqual([])
      },
    },
    {
      name: 'another process',
      act: (s) => s.upstream.start(),
      sees(seen, s) {
        expect(s.upstream.requests().filter((r) => r.method === 'POST' && r.cluster !== '')).toHaveLength(2)
        expect(seen.entries.c1?.[0]).toMatch(/ applied$/)
      },
    },
  ],
}

export const defects: readonly Script[] = [
  unconnected,
  unseen,
  immutable,
  stale,
  emptySelector,
  clusterPaused,
  pausedInside,
  killed,
]
