/** ClusterResourceSets of Lockstep's in Cluster API's own modes: one table for embedded and for real API servers. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import {
  ANY,
  deploymentKind,
  failure,
  READ,
  value,
  WRITE,
} from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { SET, SET_FINALIZER } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { config, deployment, job, jobKind } from './casemanifests.ts'
import { continuousSetCases } from './sets.continuous.cases.ts'
import { type SetCase, type SetsPlace, yaml } from './sets.place.ts'

const BOTH = ['v1beta2', 'v1beta1'] as const

/** As Cluster API has it: of the values alone, by the order of their keys. */
const hashOf = (...values: readonly string[]): string =>
  `sha256:${createHash('sha256').update(values.join('')).digest('hex')}`

const ownersOf = (o: Stored): unknown[] => (o.metadata.ownerReferences ?? []).map((r) => ({ ...r }))
const isAbsent = async (p: SetsPlace, name: string): Promise<boolean> => {
  const found = await p.c.c1.get(configMapKind, p.key(name), READ)
  return !found.ok && found.error.kind === 'NotFound'
}

const applyOnce: readonly SetCase[] = [
  {
    name: 'ApplyOnce: one POST an object, in the order of Cluster API; binding and owners as Cluster API has them; what is there stays',
    versions: BOTH,
    async run(p) {
      const v1 = (kind: string, name: string, more: object = {}) => ({
        apiVersion: 'v1',
        kind,
        metadata: { name, namespace: p.namespace },
        ...more,
      })
      value(await p.c.c1.create(configMapKind, config('there', p.namespace, { v: 'theirs' }), WRITE))
      const before = await p.on(configMapKind, 'there')
      const mixed = [
        v1('Service', 's', { spec: { ports: [{ port: 80 }] } }),
        ...[v1('ServiceAccount', 'sa'), v1('ConfigMap', 'cm'), v1('Secret', 'sec')],
      ]
      const a = { 'a.yaml': yaml(...mixed), 'B.yaml': yaml(v1('ConfigMap', 'first')) }
      const b = { 'x.yaml': yaml(v1('ConfigMap', 'last'), config('there', p.namespace, { v: 'ours' })) }
      await p.sourceOf('a', a)
      await p.sourceOf('secret-b', b)
      const made = await p.set(['a', 'secret-b'], 'ApplyOnce')
      const set = await p.untilApplied()
      expect(await p.written()).toEqual([
        'POST configmaps/first 201',
        'POST secrets/sec 201',
        'POST configmaps/cm 201',
        'POST serviceaccounts/sa 201',
        'POST services/s 201',
        'POST configmaps/last 201',
        'POST configmaps/there 409',
      ])
      expect(await p.on(configMapKind, 'there')).toEqual(before)
      const binding = await p.untilEntry(['a', 'secret-b'])
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const entry = { applied: true, lastAppliedTime: time }
      expect(binding.spec).toEqual({
        clusterName: 'c1',
        bindings: [
          {
            clusterResourceSetName: 'crs1',
            resources: [
              { ...entry, kind: 'ConfigMap', name: 'a', hash: hashOf(a['B.yaml'], a['a.yaml']) },
              { ...entry, kind: 'Secret', name: 'secret-b', hash: hashOf(b['x.yaml']) },
            ],
          },
        ],
      })
      const { uid } = made.metadata
      const apiVersion = `addons.cluster.x-k8s.io/${p.version}`
      const owner = { apiVersion, kind: 'ClusterResourceSet', name: 'crs1', uid }
      const owned = [binding, await p.seeSource('a'), await p.seeSource('secret-b')]
      expect(owned.map(ownersOf)).toEqual([[owner], [owner], [owner]])
      expect(set.metadata.finalizers).toEqual([SET_FINALIZER])
      expect(set.spec).toEqual(made.spec)
    },
  },
  {
    name: 'a Secret that is Opaque is refused, and said as Cluster API says it; all else is applied; a proper one is applied at once',
    versions: BOTH,
    async run(p) {
      await p.source('a', [config('x', p.namespace, { v: '1' })])
      await p.source('secret-b', [config('y', p.namespace, { v: '1' })], 'Opaque')
      await p.set(['a', 'secret-b'], 'ApplyOnce')
      const says = 'Secret type of resource secret-b is not supported'
      const set = await p.untilSays('ResourcesApplied', `False/WrongSecretType: ${says}`)
      expect(p.saidBefore(set, 'ResourcesApplied')).toMatch(/^False\/WrongSecretType Warning: /)
      await p.untilValue('x', '1')
      expect(await isAbsent(p, 'y')).toBe(true)
      // The type of a Secret never changes.
      await p.removeSource('secret-b')
      await p.source('secret-b', [config('y', p.namespace, { v: '1' })])
      await p.untilApplied()
      expect(await p.written()).toEqual(['POST configmaps/x 201', 'POST configmaps/y 201'])
    },
  },
  {
    name: 'a source that is missing is named, the other one applied; made, it is applied; deleted, nothing is deleted',
    async run(p) {
      await p.source('b', [config('y', p.namespace, { v: '1' })])
      await p.set(['a', 'b'], 'ApplyOnce')
      const missing = `False/ResourceNotFound: ConfigMap ${p.namespace}/a (spec.resources[0])`
      await p.untilSays('ResourcesApplied', missing)
      await p.untilValue('y', '1')
      await p.source('a', [config('x', p.namespace, { v: '1' })])
      await p.untilApplied()
      await p.untilValue('x', '1')
      await p.removeSource('a')
      await p.untilSays('ResourcesApplied', missing)
      expect(await p.written()).toEqual(['POST configmaps/y 201', 'POST configmaps/x 201'])
      expect((await p.on(configMapKind, 'x')).data).toEqual({ v: '1' })
    },
  },
]

const image = (o: Stored | undefined) => at(o, 'spec', 'template', 'spec', 'containers', 0, 'image')
const withoutReplicas = (name: string, namespace: string, of: string) => {
  const { spec, ...d } = deployment(name, namespace, of)
  const { replicas: _theirs, ...rest } = spec
  return { ...d, spec: rest }
}

const reconcile: readonly SetCase[] = [
  {
    name: 'Reconcile: a source that changes is applied, and what drifted is back; replicas that somebody has set stay',
    versions: BOTH,
    async run(p) {
      const objects = (of: string) => [
        withoutReplicas('web', p.namespace, of),
        config('x', p.namespace, { v: '1' }),
      ]
      await p.source('a', objects('web:v1'))
      await p.source('b', [config('y', p.namespace, { v: '1' })])
      await p.set(['a', 'b'], 'Reconcile')
      await p.untilApplied()
      await p.edit(deploymentKind, 'web', { spec: { replicas: 5 } }, 'hpa')
      for (const name of ['x', 'y'])
        await p.edit(configMapKind, name, { data: { v: 'theirs', more: 'mine' } })
      const from = p.writes().length
      await p.source('a', objects('web:v2'))
      const web = await p.untilOn(deploymentKind, 'web', 'v2', (o) => image(o) === 'web:v2')
      expect(at(web, 'spec', 'replicas')).toBe(5)
      expect((await p.untilValue('x', '1')).data).toEqual({ v: '1', more: 'mine' })
      await p.untilApplied()
      expect((await p.written()).slice(from).sort()).toEqual([
        'PATCH configmaps/x 200',
        'PATCH deployments/web 200',
      ])
      expect((await p.on(configMapKind, 'y')).data).toEqual({ v: 'theirs', more: 'mine' })
    },
  },
  {
    name: 'Reconcile: a Job that cannot change is tried once, and said; with replace-immutable it is made anew',
    async run(p) {
      await p.source('a', [job('init', p.namespace, 'init:v1')])
      await p.set(['a'], 'Reconcile')
      await p.untilApplied()
      const { uid } = (await p.on(jobKind, 'init')).metadata
      const from = p.writes().length
      const ofJob = async () => (await p.written()).slice(from).filter((w) => w.includes('jobs/'))
      await p.source('a', [job('init', p.namespace, 'init:v2')])
      const says = `Job ${p.namespace}/init: .spec.template is immutable; set lockstep.dev/replace-immutable: "true" or rename it`
      await p.untilSet('refused', (s) => p.said(s, 'ResourcesApplied').includes(says))
      expect(await ofJob()).toEqual(['PATCH jobs/init 422'])
      await p.annotate({ [SET.replaceImmutable]: 'true' })
      await p.untilApplied()
      const anew = await p.on(jobKind, 'init')
      expect([image(anew), anew.metadata.uid === uid]).toEqual(['init:v2', false])
      expect((await ofJob()).filter((w) => w.startsWith('DELETE'))).toEqual(['DELETE jobs/init 200'])
    },
  },
]

const modes: readonly SetCase[] = [
  {
    name: 'ApplyOnce, Continuous, Reconcile, ApplyOnce by annotation: nothing is deleted or made anew, nothing changes but what differed',
    async run(p) {
      await p.source('a', [config('x', p.namespace, { v: '1' }), config('y', p.namespace, { v: '1' })])
      await p.set(['a'], 'ApplyOnce')
      await p.untilApplied()
      const uids = async () =>
        Promise.all(['x', 'y'].map(async (n) => (await p.on(configMapKind, n)).metadata.uid))
      const before = await uids()
      await p.edit(configMapKind, 'x', { data: { v: 'theirs' } })
      await p.annotate({ [SET.mode]: 'Continuous' })
      await p.untilInSync()
      await p.untilValue('x', '1')
      await p.annotate({ [SET.mode]: 'Reconcile' })
      await p.untilSet('Reconcile', (s) => p.said(s, 'lockstep.dev/Converged') === '')
      await p.source('a', [config('x', p.namespace, { v: '2' }), config('y', p.namespace, { v: '1' })])
      await p.untilValue('x', '2')
      await p.untilApplied()
      await p.annotate({ [SET.mode]: 'ApplyOnce' })
      await p.source('a', [config('x', p.namespace, { v: '3' }), config('y', p.namespace, { v: '1' })])
      await p.source('b', [config('z', p.namespace, { v: '1' })])
      await p.refer(['a', 'b'])
      await p.untilValue('z', '1')
      await p.untilApplied()
      expect((await p.on(configMapKind, 'x')).data).toEqual({ v: '2' })
      expect(await uids()).toEqual(before)
      expect(p.writes().filter((w) => w.startsWith('DELETE'))).toEqual([])
    },
  },
]

const ends: readonly SetCase[] = [
  {
    name: 'a set that is deleted leaves its objects and its sources; no binding says anything of it any more',
    versions: BOTH,
    async run(p) {
      await p.source('a', [config('x', p.namespace, { v: '1' })])
      await p.set(['a'], 'ApplyOnce')
      await p.untilEntry(['a'])
      await p.removeSet()
      expect(failure(await p.c.hub.get(p.bindingKind, p.key('c1'), READ)).kind).toBe('NotFound')
      expect(ownersOf(await p.seeSource('a'))).toEqual([])
      expect((await p.on(configMapKind, 'x')).data).toEqual({ v: '1' })
      value(await p.c.c1.delete(configMapKind, p.key('x'), ANY))
      // Made anew it is another one, and applied.
      await p.set(['a'], 'ApplyOnce')
      await p.untilValue('x', '1')
    },
  },
]

export const setCases: readonly SetCase[] = [
  ...applyOnce,
  ...reconcile,
  ...modes,
  ...ends,
  ...continuousSetCases,
]
