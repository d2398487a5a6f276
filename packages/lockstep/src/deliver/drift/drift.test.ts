/** An object that is older than what was applied: the etcd of its cluster was restored. All other drift: test/fleet/drift.test.ts. */
import { expect, it } from 'vitest'
import type { InventoryObject } from '../../api/kinds/inventory/spec.ts'
import { DEFAULT_ORDER_OPTIONS } from '../../decisions/order/orderoptions.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { driftOf, driftText } from './drift.ts'

const REF = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'x' }
const DESIRED = {
  id: 'x',
  ref: REF,
  object: { apiVersion: 'v1' },
  content: 'c',
  options: DEFAULT_ORDER_OPTIONS,
} as DesiredObject
const MARKS = { unit: 'm.platform.web', inventoryUid: 'i' }

const seen = (applied: string | undefined, live: string): string | undefined => {
  const entry = { uid: 'u', content: 'c', fields: 'f', resourceVersion: applied } as InventoryObject
  const { unit, inventoryUid: inventory } = MARKS
  const object = { unit, inventory, uid: 'u', fields: 'f', resourceVersion: live } as LiveObject
  const drift = driftOf(DESIRED, entry, object, MARKS)
  return drift && driftText(drift)
}

it.each([
  ['100', '99', true],
  ['100', '100', false],
  ['99', '100', false],
  // Nobody has written it down yet, or it is no number.
  [undefined, '1', false],
  ['100', 'abc', false],
  ['b', 'a', false],
])('applied at %s, there at %s: restored: %s', (applied, live, isIt) => {
  const text = 'ConfigMap default/x (older than the applied object: the cluster was restored from a backup)'
  expect(seen(applied, live)).toBe(isIt ? text : undefined)
})
