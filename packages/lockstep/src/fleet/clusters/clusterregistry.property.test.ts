/** What is kept between changes is what one would find by looking at everything anew. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertProperty } from '../../../../../test/property.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import type { ClusterView, InventoryKind } from './cluster.ts'
import { ClusterCredential } from './clustercredential.ts'
import { assignClusterNames } from './clusternames.ts'
import { type ClusterMember, ClusterRegistry, type KnownCluster } from './clusterregistry.ts'

const env = createSimEnv('clusters')
const kind = fc.constantFrom<InventoryKind>('ClusterAPI', 'ArgoCD', 'Secret')
const name = fc.constantFrom('a', 'b', 'c')
const uid = fc.constantFrom('1', '2', '3')
const maybeUid = fc.option(uid, { nil: undefined })

const change = fc.oneof(
  fc.record({ type: fc.constant('add' as const), kind, name }),
  fc.record({ type: fc.constant('remove' as const), kind, name }),
  fc.record({ type: fc.constant('reached' as const), kind, name, uid }),
  fc.record({
    type: fc.constant('note' as const),
    kind,
    name,
    uid: maybeUid,
    object: fc.option(name, { nil: undefined }),
  }),
  fc.record({ type: fc.constant('forget' as const), name }),
  fc.record({ type: fc.constant('look' as const) }),
)

const view = (k: InventoryKind, objectName: string): ClusterView => ({
  kind: k,
  namespace: 'platform',
  name: objectName,
  standsIn: false,
  objectName,
  uid: `${k}/${objectName}`,
  labels: {},
  annotations: {},
  properties: {},
  paused: undefined,
  deleting: false,
  initialized: true,
  access: { type: 'Missing', message: '' },
})

type Change = typeof change extends fc.Arbitrary<infer C> ? C : never

/** By its object one record is about it, by its name another: the first counts. */
const TWO_RECORDS_OF_ONE_OBJECT: Change[] = [
  { type: 'add', kind: 'Secret', name: 'c' },
  { type: 'note', kind: 'ClusterAPI', name: 'a', uid: undefined, object: 'c' },
  { type: 'look' },
  { type: 'note', kind: 'Secret', name: 'c', uid: undefined, object: undefined },
]

it('after any changes, in any order, every cluster has the name that it has by the rules', () => {
  assertProperty(
    fc.property(fc.array(change, { maxLength: 14 }), (changes) => {
      const told = new Map<string, string>()
      const roster = new ClusterRegistry((v) => void told.set(`${v.kind}/${v.objectName}`, v.name))
      const members = new Map<string, ClusterMember>()
      const records = new Map<string, KnownCluster>()
      const look = (): void => {
        const candidates = [...members.values()].map((m) => ({
          kind: m.view.kind,
          objectName: m.view.objectName,
          objectUid: m.view.uid,
          uid: m.uid,
          member: m,
        }))
        const wanted = assignClusterNames(
          candidates,
          [...records].map(([n, r]) => ({ name: n, ...r })),
        )
        const found = [...roster.of('platform')]
        expect(found.length).toBe(wanted.length)
        for (const seat of wanted) {
          const { member } = seat.candidate
          expect(roster.get({ namespace: 'platform', name: seat.name })).toBe(member)
          expect([member.view.name, member.view.standsIn]).toEqual([seat.name, seat.standsIn])
          expect(member.duplicateOf).toBe(seat.duplicateOf?.member)
        }
      }
      for (const c of changes) {
        const key = 'kind' in c ? `${c.kind}/${c.name}` : ''
        const member = members.get(key)
        if (c.type === 'add' && !member) {
          const made: ClusterMember = {
            view: view(c.kind, c.name),
            accessVersion: '',
            credential: new ClusterCredential(env, () => {}),
            session: undefined,
            uid: undefined,
            met: undefined,
            broken: undefined,
            duplicateOf: undefined,
          }
          members.set(key, made)
          roster.add(made)
        } else if (c.type === 'remove' && member) {
          members.delete(key)
          roster.remove(member.view)
        } else if (c.type === 'reached' && member) {
          // Who answers is known, as far as names are concerned.
          member.session = { uid: c.uid } as never
          roster.reached(member)
        } else if (c.type === 'note') {
          const record = { kind: c.kind, uid: c.uid, objectUid: c.object && `Secret/${c.object}` }
          records.set(c.name, record)
          roster.note({ namespace: 'platform', name: c.name }, record)
        } else if (c.type === 'forget') {
          records.delete(c.name)
          roster.note({ namespace: 'platform', name: c.name }, undefined)
        } else if (c.type === 'look') look()
      }
      look()
    }),
    { examples: [[TWO_RECORDS_OF_ONE_OBJECT]] },
  )
})
