/** What upstream does, as scripts (specification of resource sets, 1.2 and 1.3), its defects among it. */
import { expect } from 'vitest'
import { at } from '../../../kube/src/object/index.ts'
import { begin, manifest, onClusters, type Script, type Seen } from './script.cases.ts'
import {
  addCluster,
  addConfigMap,
  addSecret,
  addSet,
  bindingsPath,
  corePath,
  merge,
  must,
  type Stage,
  setsPath,
} from './stage.cases.ts'

const PAUSE = { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }
const RESUME = { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } }

const set = (s: Stage, name = 'crs1'): string => `${setsPath(s)}/${name}`
const workload = (name: string): string => `/api/v1/namespaces/default/configmaps/${name}`
const isOld = (s: Stage): boolean => s.upstream.version === '1.8'
const applies = (seen: Seen, s: Stage, message: string): void => {
  const newer = seen.conditions.crs1?.filter((c) => !c.startsWith('Paused'))
  if (!isOld(s)) expect(newer).toEqual([message])
}
const setData = (s: Stage, name: string, data: Record<string, string>): Promise<unknown> =>
  merge(s, `${corePath(s, 'configmaps')}/${name}`, { data })

const once: Script = {
  name: 'ApplyOnce applies once',
  clusters: ['c1'],
  steps: [
    {
      name: 'a new set',
      async act(s) {
        await addConfigMap(s, 'a', {
          'b.yaml': manifest({ name: 'once-b' }),
          'a.yaml': `${manifest({ name: 'once-a' })}---\n# nothing\n---\n${manifest({ kind: 'Namespace', name: 'once-ns', namespace: null })}`,
        })
        await addSecret(s, 'b', { 'x.json': `[${JSON.stringify(JSON_CONFIG_MAP)}]` })
        await addCluster(s, 'c1')
        await addSet(s, 'crs1', { resources: ['ConfigMap/a', 'Secret/b'] })
      },
      sees(seen, s) {
        // Keys in byte order, kinds in an order within each value.
        expect(onClusters(seen)).toEqual([
          'c1 POST namespaces once-ns',
          'c1 POST configmaps once-a',
          'c1 POST configmaps once-b',
          'c1 POST configmaps once-json',
        ])
        expect(seen.entries.c1).toEqual([
          expect.stringMatching(/^crs1: ConfigMap\/a sha256:.* applied$/),
          expect.stringMatching(/^crs1: Secret\/b sha256:.* applied$/),
        ])
        const owner = `addons.cluster.x-k8s.io/${s.apiVersion} ClusterResourceSet crs1`
        expect(seen.sources).toEqual({ a: [owner], b: [owner] })
        expect(seen.owners.c1).toEqual([owner])
        expect(seen.legacy.crs1).toEqual(['ResourcesApplied True'])
        if (!isOld(s))
          expect(seen.conditions.crs1).toEqual(['ResourcesApplied True Applied', 'Paused False NotPaused'])
      },
    },
    {
      name: 'a source changes, an object is deleted',
      async act(s) {
        await must(s, 'c1', 'DELETE', workload('once-b'))
        await setData(s, 'a', { 'b.yaml': manifest({ name: 'once-b', data: { k: 'w' } }) })
      },
      sees: (seen) => expect(onClusters(seen)).toEqual([]),
    },
  ],
}

const JSON_CONFIG_MAP = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'once-json', namespace: 'default' },
}

const reconcile: Script = {
  name: 'Reconcile applies all of a source that has changed, and wipes what others own (D7)',
  clusters: ['c1'],
  steps: [
    {
      name: 'a new set, over an object that is there',
      async act(s) {
        await must(s, 'c1', 'POST', '/api/v1/namespaces/default/configmaps', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'rec-b', namespace: 'default', labels: { theirs: 'yes' } },
          data: { theirs: 'yes' },
        })
        await begin('Reconcile', {
          'x.yaml': `${manifest({ name: 'rec-a' })}---\n${manifest({ name: 'rec-b' })}`,
        })(s)
      },
      async sees(seen, s) {
        expect(onClusters(seen)).toHaveLength(2)
        expect(onClusters(seen)[1]).toContain('"labels":null')
        const body = await must(s, 'c1', 'GET', workload('rec-b'))
        expect(at(body, 'data')).toEqual({ k: 'v' })
        expect(at(body, 'metadata', 'labels')).toBeUndefined()
      },
    },
    {
      name: 'the hash stays: keys are renamed',
      act: (s) => {
        const same = `${manifest({ name: 'rec-a' })}---\n${manifest({ name: 'rec-b' })}`
        return merge(s, `${corePath(s, 'configmaps')}/a`, { data: { 'x.yaml': null, 'y.yaml': same } })
      },
      sees: (seen) => expect(onClusters(seen)).toEqual([]),
    },
    {
      name: 'one object of two changes, the other has drifted',
      async act(s) {
        await must(s, 'c1', 'PATCH', workload('rec-a'), { data: { k: 'drifted' } }, MERGE)
        await setData(s, 'a', {
          'y.yaml': `${manifest({ name: 'rec-a' })}---\n${manifest({ name: 'rec-b', data: { k: 'new' } })}`,
        })
      },
      async sees(seen, s) {
        expect(onClusters(seen)).toHaveLength(2)
        expect(at(await must(s, 'c1', 'GET', workload('rec-a')), 'data', 'k')).toBe('v')
        expect(at(await must(s, 'c1', 'GET', workload('rec-b')), 'data', 'k')).toBe('new')
      },
    },
  ],
}
const MERGE = 'application/merge-patch+json'

const missing: Script = {
  name: 'A missing source ends as True (D2)',
  clusters: ['c1'],
  steps: [
    {
      name: 'one of two is missing',
      async act(s) {
        await addConfigMap(s, 'a', { x: manifest({ name: 'miss-a' }) })
        await addCluster(s, 'c1')
        await addSet(s, 'crs1', { resources: ['ConfigMap/a', 'ConfigMap/b'] })
      },
      sees(seen, s) {
        expect(onClusters(seen)).toHaveLength(1)
        expect(seen.entries.c1).toHaveLength(1)
        expect(seen.legacy.crs1).toEqual(['ResourcesApplied True'])
        applies(seen, s, 'ResourcesApplied True Applied')
      },
    },
    {
      name: 'it comes',
      act: (s) => addConfigMap(s, 'b', { x: manifest({ name: 'miss-b' }) }),
      sees: (seen) => expect(onClusters(seen)).toHaveLength(1),
    },
  ],
}

const wrongType: Script = {
  name: 'A Secret of another type stops the set before anything is applied',
  clusters: ['c1'],
  steps: [
    {
      name: 'the second source is Opaque',
      async act(s) {
        await addConfigMap(s, 'a', { x: manifest({ name: 'type-a' }) })
        await addSecret(s, 'b', { x: manifest({ name: 'type-b' }) }, 'Opaque')
        await addCluster(s, 'c1')
        await addSet(s, 'crs1', { resources: ['ConfigMap/a', 'Secret/b'] })
      },
      sees(seen, s) {
        expect(onClusters(seen)).toEqual([])
        expect(seen.entries).toEqual({})
        expect(seen.legacy.crs1).toEqual([
          'Warning ResourcesApplied False WrongSecretType unsupported secret type',
        ])
        applies(seen, s, 'ResourcesApplied False WrongSecretType Secret type of resource b is not supported')
      },
    },
  ],
}

const broken: Script = {
  name: 'Content that cannot be read: swallowed, or said nowhere (D5, D6)',
  clusters: ['c1'],
  steps: [
    {
      name: 'a broken JSON array is applied: nothing of it',
      act: begin('ApplyOnce', { 'x.json': `[{"kind":${' '.repeat(40)}` }),
      sees(seen, s) {
        expect(onClusters(seen)).toEqual([])
        expect(seen.entries.c1?.[0]).toMatch(/ applied$/)
        applies(seen, s, 'ResourcesApplied True Applied')
      },
    },
    {
      name: 'a value under 32 bytes fails its source without a condition',
      async act(s) {
        await addConfigMap(s, 'short', { a: '# x', b: manifest({ name: 'short' }) })
        await addSet(s, 'crs2', { resources: ['ConfigMap/short'] })
      },
      sees(seen, s) {
        expect(onClusters(seen)).toEqual([])
        expect(seen.entries.c1?.[1]).toBe('crs2: ConfigMap/short no hash not applied')
        expect(seen.legacy.crs2).toEqual([])
        if (!isOld(s)) expect(seen.conditions.crs2).toEqual(['Paused False NotPaused'])
      },
    },
    {
      name: 'so does YAML that is none, and a source without data',
      async act(s) {
        await addConfigMap(s, 'yaml', { a: `a: [${' '.repeat(40)}` })
        await addConfigMap(s, 'none', {})
        await addSet(s, 'crs3', { resources: ['ConfigMap/yaml', 'ConfigMap/none'] })
      },
      sees(seen) {
        expect(seen.entries.c1?.slice(2)).toEqual([
          'crs3: ConfigMap/yaml no hash not applied',
          'crs3: ConfigMap/none no hash not applied',
        ])
      },
    },
    {
      name: 'YAML 1.1: octal, yes, a repeated key',
      async act(s) {
        const text = `${manifest({ name: 'yaml11', data: {} })}immutable: yes\nimmutable: no\n`
        await addConfigMap(s, 'old', { a: text })
        await addSet(s, 'crs4', { resources: ['ConfigMap/old'] })
      },
      async sees(seen, s) {
        expect(seen.entries.c1?.[4]).toMatch(/ applied$/)
        expect(at(await must(s, 'c1', 'GET', workload('yaml11')), 'immutable')).toBe(false)
      },
    },
  ],
}

const failing: Script = {
  name: 'One object that is refused: the others are applied, all again at each retry (D9)',
  clusters: ['c1'],
  steps: [
    {
      name: 'no namespace, a kind that is not served, a bad name',
      act: begin('ApplyOnce', {
        x: [
          manifest({ name: 'fail-a' }),
          manifest({ name: 'fail-b', namespace: null }),
          manifest({ name: 'Fail_C' }),
          'apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: fail-d\n',
        ].join('---\n'),
      }),
      sees(seen, s) {
        expect(onClusters(seen)).toHaveLength(2)
        expect(seen.entries.c1?.[0]).toMatch(/ not applied$/)
        expect(seen.entries.c1?.[0]).toContain('sha256:')
        applies(
          seen,
          s,
          'ResourcesApplied False NotApplied Failed to apply ClusterResourceSet resources to Cluster',
        )
        expect(seen.legacy.crs1?.[0]).toContain(
          'creating object /v1, Kind=ConfigMap fail-b: an empty namespace may not be set during creation',
        )
        expect(seen.legacy.crs1?.[0]).toContain(
          'creating object example.com/v1, Kind=Thing fail-d: no matches for kind "Thing" in version "example.com/v1"',
        )
      },
    },
  ],
}

const pausing: Script = {
  name: 'A paused set rests from 1.9 on; before, events of others go on',
  clusters: ['c1'],
  steps: [
    { name: 'applied', act: begin('Reconcile', { x: manifest({ name: 'pause-a' }) }) },
    {
      name: 'paused',
      act: (s) => merge(s, set(s), PAUSE),
      sees(seen, s) {
        if (!isOld(s))
          expect(seen.conditions.crs1?.at(-1)).toBe(
            'Paused True Paused ClusterResourceSet has the cluster.x-k8s.io/paused annotation',
          )
      },
    },
    {
      name: 'its source changes',
      act: (s) => setData(s, 'a', { x: manifest({ name: 'pause-a', data: { k: 'w' } }) }),
      sees: (seen, s) => expect(onClusters(seen)).toHaveLength(isOld(s) ? 1 : 0),
    },
    {
      name: 'deleted while paused',
      act: (s) => must(s, '', 'DELETE', set(s)),
      sees: (seen) => expect(seen.finalizers.crs1).toEqual(['addons.cluster.x-k8s.io']),
    },
    {
      name: 'resumed',
      act: (s) => merge(s, set(s), RESUME),
      sees(seen) {
        expect(seen.finalizers.crs1).toBeUndefined()
        expect(seen.entries.c1).toBeUndefined()
      },
    },
  ],
}

const deleting: Script = {
  name: 'Deleting a set: its entries go, objects stay, its sources are collected (D10)',
  clusters: ['c1'],
  steps: [
    {
      name: 'two sets',
      async act(s) {
        await begin('ApplyOnce', { x: manifest({ name: 'del-a' }) })(s)
        await s.settle()
        await addConfigMap(s, 'b', { x: manifest({ name: 'del-b' }) })
        await addSet(s, 'crs2', { resources: ['ConfigMap/b'] })
      },
      sees: (seen) => expect(seen.entries.c1).toHaveLength(2),
    },
    {
      name: 'one goes',
      act: (s) => must(s, '', 'DELETE', set(s)),
      async sees(seen, s) {
        expect(seen.finalizers.crs1).toBeUndefined()
        expect(seen.entries.c1).toEqual([expect.stringContaining('crs2: ')])
        expect(seen.owners.c1).toHaveLength(1)
        expect(onClusters(seen)).toEqual([])
        expect((await s.send('c1', 'GET', workload('del-a'))).status).toBe(200)
      },
    },
    {
      name: 'the other goes, and the binding',
      act: (s) => must(s, '', 'DELETE', set(s, 'crs2')),
      sees: (seen) => expect(seen.entries).toEqual({}),
    },
  ],
}

const clusterGone: Script = {
  name: 'The binding goes with its Cluster; a Cluster that comes again is applied to anew',
  clusters: ['c1'],
  steps: [
    { name: 'applied', act: begin('ApplyOnce', { x: manifest({ name: 'gone-a' }) }) },
    {
      name: 'the Cluster is deleted',
      act: (s) =>
        must(s, '', 'DELETE', `/apis/cluster.x-k8s.io/${s.apiVersion}/namespaces/${s.namespace}/clusters/c1`),
      sees: (seen) => expect(seen.entries).toEqual({}),
    },
    {
      name: 'it comes again',
      act: (s) => addCluster(s, 'c1'),
      sees(seen) {
        expect(onClusters(seen)).toHaveLength(1)
        expect(seen.entries.c1).toHaveLength(1)
      },
    },
  ],
}

const lostEntry: Script = {
  name: 'An entry that somebody takes out is owed again',
  clusters: ['c1'],
  steps: [
    { name: 'applied', act: begin('ApplyOnce', { x: manifest({ name: 'lost-a' }) }) },
    {
      name: 'the entry is taken out, and the set is looked at again',
      async act(s) {
        await merge(s, `${bindingsPath(s)}/c1`, { spec: { bindings: null } })
        await merge(s, set(s), { metadata: { labels: { look: 'again' } } })
      },
      sees(seen) {
        expect(onClusters(seen)).toHaveLength(1)
        expect(seen.entries.c1?.[0]).toMatch(/ applied$/)
      },
    },
  ],
}

export const scripts: readonly Script[] = [
  once,
  reconcile,
  missing,
  wrongType,
  broken,
  failing,
  pausing,
  deleting,
  clusterGone,
  lostEntry,
]
