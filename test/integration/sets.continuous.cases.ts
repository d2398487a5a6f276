/** ClusterResourceSets that are Continuous: one table for embedded and for real API servers. */

import { expect } from 'vitest'
import { ANY, failure, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { config, definition, gadget, gadgetKind, job, jobKind } from './casemanifests.ts'
import type { SetCase, SetsPlace } from './sets.place.ts'

const CONVERGED = 'lockstep.dev/Converged'
const one = (p: SetsPlace, name: string, v = '1') => config(name, p.namespace, { v })
const uidOf = async (p: SetsPlace, name: string) => (await p.on(configMapKind, name)).metadata.uid
const deletes = (p: SetsPlace): Promise<string[]> => p.written((h) => h.method === 'DELETE')

const order: readonly SetCase[] = [
  {
    name: 'Continuous: a definition, an object of its kind and a Namespace in the wrong order of one source: applied at the first try',
    async run(p) {
      const [group, apart] = [`${p.namespace}.x.test`, `${p.namespace}-apart`]
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: apart } }
      await p.source('a', [
        gadget(group, 'g', apart, 3),
        config('x', apart, { v: '1' }),
        definition(group),
        namespace,
      ])
      await p.continuous(['a'])
      await p.untilInSync()
      const key = { namespace: apart, name: 'g' }
      expect(value(await p.c.c1.get(gadgetKind(group), key, READ))).toMatchObject({ spec: { size: 3 } })
      expect(await p.written((h) => h.status >= 300)).toEqual([])
    },
  },
]

const drift: readonly SetCase[] = [
  {
    name: 'Continuous: a value that is updated or applied by force, a label that is removed, an object that is deleted: each put right by one request',
    versions: ['v1beta2', 'v1beta1'],
    async run(p) {
      const names = ['updated', 'forced', 'unlabelled', 'deleted']
      const labelled = (name: string) => {
        const o = one(p, name)
        return { ...o, metadata: { ...o.metadata, labels: { app: name } } }
      }
      await p.source('a', names.map(labelled))
      await p.continuous(['a'])
      await p.untilInSync()
      const before = await Promise.all(names.map((n) => uidOf(p, n)))
      const from = p.writes().length
      await p.edit(configMapKind, 'updated', { data: { v: 'theirs', more: 'mine' } })
      await p.untilValue('updated', '1')
      const byForce = { ...ANY, manager: 'somebody', force: true }
      value(await p.c.c1.apply(configMapKind, one(p, 'forced', 'theirs'), byForce))
      await p.untilValue('forced', '1')
      await p.edit(configMapKind, 'unlabelled', { metadata: { labels: { app: null } } })
      const isLabelled = (o: Stored | undefined) => o?.metadata.labels?.app === 'unlabelled'
      await p.untilOn(configMapKind, 'unlabelled', 'labelled', isLabelled)
      value(await p.c.c1.delete(configMapKind, p.key('deleted'), ANY))
      await p.untilValue('deleted', '1')
      await p.untilInSync()
      expect((await p.written()).slice(from)).toEqual([
        ...names.slice(0, 3).map((n) => `PATCH configmaps/${n} 200`),
        expect.stringMatching(/^(PATCH|POST) configmaps\/deleted 201$/),
      ])
      const after = await Promise.all(names.map((n) => uidOf(p, n)))
      expect(after.map((uid, i) => uid === before[i])).toEqual([true, true, true, false])
      expect((await p.on(configMapKind, 'updated')).data).toEqual({ v: '1', more: 'mine' })
    },
  },
]

const pruning: readonly SetCase[] = [
  {
    name: 'Continuous: an object that leaves its source stays; with prune it is deleted, and so is what had left before',
    async run(p) {
      await p.source('a', [one(p, 'x'), one(p, 'y'), one(p, 'z')])
      await p.continuous(['a'])
      await p.untilInSync()
      await p.source('a', [one(p, 'x', '2'), one(p, 'z')])
      await p.untilValue('x', '2')
      await p.untilInSync()
      expect((await p.on(configMapKind, 'y')).data).toEqual({ v: '1' })
      expect(await deletes(p)).toEqual([])
      await p.annotate({ [SET.prune]: 'true' })
      await p.source('a', [one(p, 'x', '3')])
      await p.c.untilGone(p.c.c1, configMapKind, 'z')
      await p.untilValue('x', '3')
      await p.untilInSync()
      expect((await p.on(configMapKind, 'x')).data).toEqual({ v: '3' })
      await p.c.untilGone(p.c.c1, configMapKind, 'y')
      expect((await deletes(p)).sort()).toEqual(['DELETE configmaps/y 200', 'DELETE configmaps/z 200'])
    },
  },
  {
    name: 'Continuous: a source that empties, or is deleted, deletes nothing with prune; taken out of spec.resources it does',
    async run(p) {
      await p.source('a', [one(p, 'x')])
      await p.source('b', [one(p, 'y')])
      await p.continuous(['a', 'b'], { [SET.prune]: 'true' })
      await p.untilInSync()
      await p.source('a', [])
      await p.untilSays(
        'Ready',
        `False/EmptyRender: spec.resources[0]: ConfigMap ${p.namespace}/a has no objects`,
      )
      await p.removeSource('a')
      await p.untilSays('ResourcesApplied', `False/ResourceNotFound: ConfigMap ${p.namespace}/a`)
      expect((await p.on(configMapKind, 'x')).data).toEqual({ v: '1' })
      expect(await deletes(p)).toEqual([])
      await p.refer(['b'])
      await p.c.untilGone(p.c.c1, configMapKind, 'x')
      await p.untilInSync()
      expect(await deletes(p)).toEqual(['DELETE configmaps/x 200'])
      expect((await p.on(configMapKind, 'y')).data).toEqual({ v: '1' })
    },
  },
]

const image = (o: Stored) => at(o, 'spec', 'template', 'spec', 'containers', 0, 'image')

const replacing: readonly SetCase[] = [
  {
    name: 'Continuous: a Job that cannot change is tried once, and said as ImmutableField; with replace-immutable it is made anew',
    async run(p) {
      const objects = (v: string) => [job('init', p.namespace, `init:v${v}`), one(p, 'x', v)]
      await p.source('a', objects('1'))
      await p.continuous(['a'])
      await p.untilInSync()
      const { uid } = (await p.on(jobKind, 'init')).metadata
      const from = p.writes().length
      const ofJob = async () => (await p.written()).slice(from).filter((w) => w.includes('jobs/'))
      await p.source('a', objects('2'))
      const says = `ImmutableField: Job ${p.namespace}/init: .spec.template is immutable; set lockstep.dev/replace-immutable: "true" or rename it`
      await p.untilSet('refused', (s) => p.said(s, CONVERGED).includes(says))
      await p.untilValue('x', '2')
      expect(await ofJob()).toEqual(['PATCH jobs/init 422'])
      await p.annotate({ [SET.replaceImmutable]: 'true' })
      await p.untilInSync()
      const anew = await p.on(jobKind, 'init')
      expect([image(anew), anew.metadata.uid === uid]).toEqual(['init:v2', false])
      expect((await ofJob()).filter((w) => w.startsWith('DELETE'))).toEqual(['DELETE jobs/init 200'])
    },
  },
]

const ends: readonly SetCase[] = [
  {
    name: 'Continuous: a set with deletion-policy Delete takes its objects along, and leaves its sources; another one may follow',
    async run(p) {
      await p.source('a', [one(p, 'x'), one(p, 'y')])
      await p.source('secret-b', [one(p, 'z')])
      await p.continuous(['a', 'secret-b'], { [SET.deletionPolicy]: 'Delete' })
      await p.untilInSync()
      await p.untilEntry(['a', 'secret-b'])
      await p.removeSet()
      for (const name of ['x', 'y', 'z'])
        expect(failure(await p.c.c1.get(configMapKind, p.key(name), READ)).kind).toBe('NotFound')
      for (const name of ['a', 'secret-b'])
        expect((await p.seeSource(name)).metadata.ownerReferences ?? []).toEqual([])
      expect(failure(await p.c.hub.get(p.bindingKind, p.key('c1'), READ)).kind).toBe('NotFound')
      await p.continuous(['a', 'secret-b'])
      await p.untilInSync()
      await p.untilValue('z', '1')
    },
  },
]

export const continuousSetCases: readonly SetCase[] = [...order, ...drift, ...pruning, ...replacing, ...ends]
