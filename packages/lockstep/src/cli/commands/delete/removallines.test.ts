import { expect, it } from 'vitest'
import type { InventoryObject } from '../../../api/kinds/index.ts'
import type { RemovalFate } from '../../../controllers/plan/index.ts'
import { removalLines } from './removallines.ts'

const REST = { version: 'v1', uid: 'u', content: '', fields: '', level: 0 }
const object = (kind: string, name: string, fate: RemovalFate, namespace?: string) => {
  const entry: InventoryObject = { group: '', kind, name, ...REST, ...(namespace ? { namespace } : {}) }
  return { entry, fate }
}
const deleted = (name: string, existed = false) =>
  object('ConfigMap', name, { type: 'Delete', existed }, 'app')
const handed = (to: string, name: string) =>
  object(
    'ConfigMap',
    name,
    { type: 'HandOver', to: { kind: 'Module', namespace: 'platform', name: to } },
    'app',
  )

it('counts objects on all clusters, and names five of each fate', () => {
  const objects = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => deleted(name, name === 'a'))
  expect(
    removalLines('web', [
      { cluster: 'c1', objects },
      { cluster: 'c2', objects },
    ]),
  ).toEqual([
    'deleted: 14 objects on 2 clusters (2 existed before): ConfigMap app/a, ConfigMap app/b, ConfigMap app/c, ConfigMap app/d, ConfigMap app/e and 2 more',
  ])
})

it('describes each fate: receivers apart, confirmations, waits, and unread clusters', () => {
  const objects = [
    object('Namespace', 'used', {
      type: 'Wait',
      message: 'NamespaceInUse: Module platform/b has objects in it',
    }),
    object('Namespace', 'mine', { type: 'Confirm', content: 'ConfigMap precious and 2 more' }),
    object('PersistentVolumeClaim', 'data', { type: 'Confirm', foreign: 'Module team-b/shop' }, 'app'),
    object('Secret', 'asked', { type: 'Confirm' }, 'app'),
    object('Namespace', 'old', { type: 'Existed' }),
    object('ConfigMap', 'stays', { type: 'Orphan' }, 'app'),
    handed('b', 'x'),
    handed('a', 'y'),
    deleted('z'),
  ]
  const problem = 'cannot read c2: connection refused'
  expect(
    removalLines('web', [
      { cluster: 'c1', objects },
      { cluster: 'c2', problem },
    ]),
  ).toEqual([
    'handed over to Module a: 1 object on 1 cluster: ConfigMap app/y',
    'handed over to Module b: 1 object on 1 cluster: ConfigMap app/x',
    'deleted: 1 object on 1 cluster: ConfigMap app/z',
    'existed before, kept until confirmed: 1 object on 1 cluster: Namespace old',
    'needs confirmation: 3 objects on 1 cluster: Namespace mine (contains ConfigMap precious and 2 more, not delivered by Lockstep), PersistentVolumeClaim app/data (also in Module team-b/shop), Secret app/asked',
    'kept, unmanaged: 1 object on 1 cluster: ConfigMap app/stays',
    'waits: 1 object on 1 cluster: Namespace used (NamespaceInUse: Module platform/b has objects in it)',
    'to confirm: lockstep rollout approve web --stage prune',
    'not read: c2: cannot read c2: connection refused',
  ])
})

it('says that a Module has nothing', () => {
  expect(removalLines('web', [])).toEqual(['it has no objects on any cluster'])
})
