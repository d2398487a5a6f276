/** Objects that a person adopts by their marks: which, and what becomes of the stamp of their unit. Pure. */
import type { MarkedObject } from '../ownership/markedobjects.ts'
import type { Stamp } from './stamp.ts'

export interface MarksQuestion {
  /** Value of the owner label. */
  readonly unit: string
  /** uid of the Inventory of the unit; undefined: none exists before the unit is assigned. */
  readonly inventory: string | undefined
  /** uids of all Inventories of the hub namespace. */
  readonly known: ReadonlySet<string>
  /** Objects of the cluster. */
  readonly marked: readonly MarkedObject[]
  readonly stamp: Stamp | undefined
  /** uid of Namespace kube-system of the hub. */
  readonly hub: string
  /** uid of Namespace kube-system of a hub that a person says is lost. */
  readonly fromHub: string | undefined
}

export type MarksAnswer =
  | { readonly type: 'refused'; readonly problem: string; readonly suggestion: string }
  | {
      readonly type: 'adopt'
      readonly objects: readonly MarkedObject[]
      /** Replaces the stamp of the lost Inventory; undefined: the stamp stays. */
      readonly stamp: Stamp | undefined
    }

/** Before the first admission of the Inventory: every admission is later. */
const UNADMITTED = 0

/**
 * Objects that name an Inventory which does not exist; if the stamp names one, only objects of that one. Without an Inventory the
 * stamp keeps the lost one, and names this hub: the controller rebuilds the Inventory as soon as it creates one.
 */
export function adoptedMarks(q: MarksQuestion): MarksAnswer {
  const { stamp, inventory, hub, fromHub } = q
  if (stamp && stamp.hub !== hub && stamp.hub !== fromHub) {
    const problem = `the stamp of the cluster names the hub with kube-system ${stamp.hub}`
    const suggestion = `if that hub no longer exists, add --from-hub ${stamp.hub}`
    return { type: 'refused', problem, suggestion }
  }
  const former = stamp && stamp.inventory !== inventory ? stamp.inventory : undefined
  if (stamp?.hub === hub && former !== undefined && q.known.has(former)) {
    const problem = `the stamp of the cluster names Inventory ${former}, which exists`
    return { type: 'refused', problem, suggestion: 'lockstep status' }
  }
  const objects = q.marked.filter(
    (o) =>
      o.unit === q.unit &&
      o.inventory !== undefined &&
      !q.known.has(o.inventory) &&
      (former === undefined || o.inventory === former),
  )
  if (inventory === undefined && stamp === undefined && objects.length > 0) {
    const problem = 'the unit has no Inventory yet, and no stamp names a lost one'
    return { type: 'refused', problem, suggestion: 'run the command again when the unit is assigned' }
  }
  const isReplaced = stamp !== undefined && (stamp.hub !== hub || (inventory ?? former) !== stamp.inventory)
  const next = isReplaced
    ? { ...stamp, hub, inventory: inventory ?? stamp.inventory, serial: UNADMITTED }
    : undefined
  // Without an Inventory, the stamp alone is the record.
  return { type: 'adopt', objects: inventory === undefined && !next ? [] : objects, stamp: next }
}
