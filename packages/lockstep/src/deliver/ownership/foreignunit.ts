/** Objects with the marks of another unit: whose they are, and whether they may be taken from it. Pure. */

import type { KubeObject, ObjectReference } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import { unitRef } from '../../decisions/graph/index.ts'
import type { HolderDecision } from '../../decisions/ownership/index.ts'
import { parseUnitName, unitName } from '../plan/unitnames.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'

/** Who asks for an object. */
export interface UnitRequester {
  readonly namespace: string
  /** uid of its Inventory; undefined: it has none yet. */
  readonly inventory: string | undefined
  readonly takeOverFrom: ModuleSpec['apply']['takeOverFrom']
}

/** Whose an object is, by its marks. */
export interface OwnerMarks {
  readonly unit: string | undefined
  readonly inventory: string | undefined
}

export const marksOf = ({ metadata: { labels, annotations } }: KubeObject): OwnerMarks => ({
  unit: labels?.[UNIT_LABEL],
  inventory: annotations?.[INVENTORY_ANNOTATION],
})

/** The label of the unit that an Inventory on the hub is of, by its uid; undefined: there is none with that. */
export type UnitOf = (inventory: string) => string | undefined

/**
 * Where somebody has taken the label off, the Inventory that the annotation names says whose it is. One that is not on the
 * hub has nobody who would look after the object, or let go of it.
 */
export function knownMarks(marks: OwnerMarks, unitOf: UnitOf): OwnerMarks {
  if (marks.unit !== undefined || marks.inventory === undefined) return marks
  const unit = unitOf(marks.inventory)
  return unit === undefined ? NO_MARKS : { ...marks, unit }
}

const NO_MARKS: OwnerMarks = { unit: undefined, inventory: undefined }

/** Other units on the cluster that have objects of this one. */
export interface OtherUnits {
  /** Decision about an object of the bundle that another unit holds, by its marks. */
  holderDecision(ref: ObjectReference, marks: OwnerMarks): HolderDecision
  /** A unit that has the object in one of its revisions as well: `Module platform/shop`. */
  keeperOf(ref: ObjectReference): string | undefined
}

/** For reconciles that read no object of another unit. */
export const noOtherUnits: OtherUnits = { holderDecision: () => 'Wait', keeperOf: () => undefined }

/** It carries the marks of another Inventory than ours. */
export const isOfForeignUnit = ({ inventory }: OwnerMarks, own: string | undefined): boolean =>
  inventory !== undefined && inventory !== own

/**
 * Whether an object of another unit becomes ours (`spec.apply.takeOverFrom`). Not one that was ours and that this unit has
 * taken: two modules that list each other would take it from each other for ever.
 */
export const isTakeable = (
  { unit }: Pick<OwnerMarks, 'unit'>,
  { namespace, takeOverFrom }: Pick<UnitRequester, 'namespace' | 'takeOverFrom'>,
  wasOurs: boolean,
): boolean =>
  !wasOurs &&
  unit !== undefined &&
  takeOverFrom?.some(({ kind, name }) => unitName({ kind, namespace, name }) === unit) === true

/** `Module platform/web`; as it stands where that cannot be read back. */
export function unitText(unit: string | undefined): string {
  const read = unit === undefined ? undefined : parseUnitName(unit)
  return read ? `${read.kind} ${read.namespace}/${read.name}` : (unit ?? 'another unit')
}

/** Objects that name a lost Inventory of their own unit. `unit`: value of their label. */
export function lostBlocker(on: WaitRefOf<'Object'>, unit: string, objects: number): NewBlocker {
  const ref = parseUnitName(unit)
  const refs = ref ? ([on, unitRef({ to: ref }, on.cluster ?? '')] as const) : ([on] as const)
  const module = ref ? `${ref.namespace}/${ref.name}` : unit
  const at = on.cluster === undefined ? '' : `@${on.cluster}`
  return blocked('InventoryLost', refs, { objects, module, unit: `${ref?.name ?? unit}${at}` })
}

/** The message, for people who do not deliver the unit. */
export function lostText(ref: ObjectReference, unit: string): string {
  const { cluster: _, ...on } = objectWaitRef(ref, '')
  return lostBlocker(on, unit, 1).message
}

/** Two units claim one object: it, and the unit that has it. */
export function ownedBlocker(
  on: WaitRefOf<'Object'>,
  { unit, inventory }: OwnerMarks,
  asking?: Omit<UnitRequester, 'inventory'>,
): NewBlocker {
  const owner = unit === undefined ? undefined : parseUnitName(unit)
  const refs = owner ? ([on, unitRef({ to: owner }, on.cluster ?? '')] as const) : ([on] as const)
  const text =
    owner || inventory === undefined ? unitText(unit) : `${unitText(unit)} (Inventory ${inventory})`
  const facts = { owner: text, inventory }
  if (!asking || owner?.namespace !== asking.namespace)
    return blocked('OwnedByAnother', refs, { ...facts, because: 'Apart' })
  if (isTakeable({ unit }, asking, false))
    return blocked('OwnedByAnother', refs, { ...facts, because: 'TakenOver' })
  const entry = `${owner.kind} ${owner.name}`
  return blocked('OwnedByAnother', refs, { ...facts, because: 'NotListed', entry })
}

/** The message, for people who do not deliver the unit. */
export const ownedText = (
  ref: ObjectReference,
  marks: OwnerMarks,
  asking?: Omit<UnitRequester, 'inventory'>,
): string => ownedBlocker(objectWaitRef(ref, ''), marks, asking).message
