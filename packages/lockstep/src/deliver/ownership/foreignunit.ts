/** Objects with the marks of another unit: whose they are, and whether they may be taken from it. Pure. */

import { type KubeObject, type ObjectReference, refText } from '@lockstep/kube/object'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import { parseUnitName, unitName } from '../plan/unitnames.ts'

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

/** Two units claim one object. */
export function ownedText(
  ref: ObjectReference,
  { unit, inventory = '' }: OwnerMarks,
  asking?: Omit<UnitRequester, 'inventory'>,
): string {
  const held = `${refText(ref)} belongs to ${unitText(unit)} (Inventory ${inventory})`
  const owner = unit === undefined ? undefined : parseUnitName(unit)
  if (!asking || owner?.namespace !== asking.namespace)
    return `${held}; remove it from one of the two modules`
  if (isTakeable({ unit }, asking, false))
    return `${held}, which has taken it from this module; remove it from one of the two`
  return `${held}; remove it from one of the two, or list ${owner.kind} ${owner.name} in spec.apply.takeOverFrom`
}
