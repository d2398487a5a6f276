/** The health of an object on the unit's cluster, as the module has it told, and with what else it hangs on. Pure. */

import { type ExpressionRule, expressionRules, type Health, healthOf, ruleFor } from '@lockstep/health/health'
import { classNameOf, defaultClass, isUnbound, unboundHealth } from '@lockstep/health/state'
import { identityOf, type KubeObject } from '@lockstep/kube/object'
import type { UnitInput } from './unitinput.ts'

/** The module's expression that decides about it; undefined: the rules of its kind do. */
export const expressionFor = (
  o: KubeObject,
  { health }: Pick<UnitInput, 'health'>,
): ExpressionRule | undefined => ruleFor(expressionRules(health.expressions), o)

export function observedObjectHealth(o: KubeObject, input: UnitInput): Health {
  const health = healthOf(o, input.now, expressionFor(o, input), input.health.profile)
  if (!asksItsClass(o, input)) return health
  const found = classOf(o, input)
  return unboundHealth(health, o, found === 'unknown' ? { unread: 'it is being listed' } : found)
}

/** What the health of an object hangs on is being listed: nothing may be said of it yet. */
export const isUnsure = (o: KubeObject, input: UnitInput): boolean =>
  asksItsClass(o, input) && classOf(o, input) === 'unknown'

const asksItsClass = (o: KubeObject, input: UnitInput): boolean =>
  isUnbound(o) && input.health.profile === 'Lockstep' && !expressionFor(o, input)

const STORAGE_CLASS = { group: 'storage.k8s.io', kind: 'StorageClass' }

/** From the cluster; one that the bundle delivers from what is cached of it anyhow. */
function classOf(claim: KubeObject, { desired, live, outside }: UnitInput) {
  const name = classNameOf(claim)
  const own = name === undefined ? undefined : desired.byId.get(identityOf({ ...STORAGE_CLASS, name }))
  const delivered = own === undefined ? undefined : live(desired.objects[own]!)
  if (delivered === 'unknown') return 'unknown'
  if (delivered) return { class: delivered.object }
  const found = outside(name === undefined ? STORAGE_CLASS : { ...STORAGE_CLASS, name })
  switch (found.type) {
    case 'Read':
      return { class: name === undefined ? defaultClass(found.objects) : found.objects[0] }
    case 'Syncing':
      return 'unknown'
    case 'Forbidden':
    case 'Unread':
      return { unread: found.detail }
    case 'NotServed':
    case 'Misplaced':
      return { class: undefined }
  }
}
