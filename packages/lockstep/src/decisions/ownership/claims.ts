/**
 * Units with an object in one of their revisions, and what becomes of an object that its holder would delete. Within a hub
 * namespace an object changes hands; it is deleted only if no other unit has it. Pure.
 */
import type { ObjectReference } from '@lockstep/kube/object'
import { type ModuleRef, moduleId } from '../graph/index.ts'
import type { ClaimMatch, ClaimSet, Container } from './claimset.ts'

/** A unit whose Module or set exists, is not being deleted, and selects the cluster. */
export interface ClaimingUnit {
  readonly ref: ModuleRef
  /** Creation of the Module, RFC 3339. */
  readonly createdAt: string
  /** Claims of the revision that the scheduler aims the unit at; undefined: of none, or not readable. */
  readonly aim: ClaimSet | undefined
  /** Claims of the admitted revision. */
  readonly admitted: ClaimSet | undefined
  /** Claims of the aim, the target, the next target, the assigned and the admitted revision. */
  readonly kept: readonly ClaimSet[]
  /** The name of a revision among these whose claims cannot be read. */
  readonly unread: string | undefined
  /** Units whose objects the unit takes (`spec.apply.takeOverFrom`). */
  readonly takesFrom: readonly ModuleRef[]
}

/** An object on a cluster; `contents`: what a deletion would delete with it. */
export interface ClaimedObject {
  readonly ref: ObjectReference
  readonly contents: Container | undefined
}

/** The revision that the scheduler aims the unit at has the object. */
export const insists = (unit: ClaimingUnit, x: ObjectReference): boolean => unit.aim?.match(x) !== undefined

/** How one of the revisions at which the unit may be delivered has the object; undefined: none has it. */
export function keeps(unit: ClaimingUnit, x: ObjectReference): ClaimMatch | undefined {
  const found = unit.kept.flatMap((set) => set.match(x) ?? [])
  return found.find((m) => m.type === 'Owned') ?? found.find((m) => m.type === 'Unowned') ?? found[0]
}

/** The unit has an object in the Namespace, or of the kind. */
export const uses = (unit: ClaimingUnit, contents: Container | undefined): boolean =>
  contents !== undefined && unit.kept.some((set) => set.isIn(contents))

export const listsGiver = ({ takesFrom }: Pick<ClaimingUnit, 'takesFrom'>, giver: ModuleRef): boolean =>
  takesFrom.some((ref) => moduleId(ref) === moduleId(giver))

/** Fate of an object that its holder would delete. */
export type ClaimFate =
  | { readonly type: 'Delete' }
  /** Another revision of the holder has it: it is not deleted, and holds up nothing. */
  | { readonly type: 'Stay' }
  /** `inherited`: the receiver uses the object, and no revision of the receiver has it. */
  | { readonly type: 'HandOver'; readonly to: ModuleRef; readonly inherited: boolean }
  /** A unit keeps the object without owning it: the marks are removed. */
  | { readonly type: 'Orphan'; readonly for: ModuleRef }
  | { readonly type: 'Wait'; readonly because: ClaimWait; readonly of: ModuleRef; readonly detail?: string }

/** `Foreign`: a Module of another hub namespace has it, or uses it. */
export type ClaimWait = 'Unpublished' | 'Unread' | 'Binding' | 'ForeignUse' | 'ForeignClaim'

/** Claims on the cluster of the holder. */
export interface Claims {
  readonly holder: ModuleRef
  /** Claims of revisions of the holder other than the admitted one; empty if the holder is being removed. */
  readonly own: readonly ClaimSet[]
  readonly units: readonly ClaimingUnit[]
  /** Modules of the hub namespace whose specs or inputs are neither published nor refused. */
  readonly unsettled: readonly ModuleRef[]
  /** Units of other hub namespaces. */
  readonly foreign: readonly ClaimingUnit[]
}

/** Kinds whose objects hold what no manifest brings back. */
const IRREPLACEABLE: ReadonlySet<string> = new Set([
  '/Namespace',
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'apps/StatefulSet',
])

export function fateOf({ ref: x, contents }: ClaimedObject, view: Claims): ClaimFate {
  const { holder, own, units } = view
  if (own.some((set) => set.match(x))) return { type: 'Stay' }
  const keepers = units.flatMap((unit) => {
    const match = keeps(unit, x)
    return match ? [{ unit, match }] : []
  })
  const owners = keepers.filter(({ match }) => match.type === 'Owned').map(({ unit }) => unit)
  const receiver = receiverOf(owners, x, holder)
  if (receiver) return { type: 'HandOver', to: receiver.ref, inherited: false }
  const perhaps = keepers.find(({ match }) => match.type === 'Pattern')
  if (perhaps?.match.type === 'Pattern')
    return { type: 'Wait', because: 'Binding', of: perhaps.unit.ref, detail: perhaps.match.binding }
  const unread = units.find((u) => u.unread !== undefined)
  if (unread) return { type: 'Wait', because: 'Unread', of: unread.ref, detail: unread.unread! }
  const [unsettled] = view.unsettled
  if (unsettled) return { type: 'Wait', because: 'Unpublished', of: unsettled }
  if (keepers[0]) return { type: 'Orphan', for: keepers[0].unit.ref }
  const user = receiverOf(
    units.filter((u) => uses(u, contents)),
    x,
    holder,
  )
  if (user) return { type: 'HandOver', to: user.ref, inherited: true }
  return foreignFate({ ref: x, contents }, view.foreign)
}

/** Nothing changes hands between hub namespaces: what no manifest brings back waits for a person. */
function foreignFate({ ref: x, contents }: ClaimedObject, foreign: readonly ClaimingUnit[]): ClaimFate {
  const claimant = foreign.find((u) => keeps(u, x) !== undefined)
  if (claimant && IRREPLACEABLE.has(`${x.group}/${x.kind}`))
    return { type: 'Wait', because: 'ForeignClaim', of: claimant.ref }
  const user = foreign.find((u) => uses(u, contents))
  return user ? { type: 'Wait', because: 'ForeignUse', of: user.ref } : { type: 'Delete' }
}

/** The unit that receives an object: lists the holder, insists, has it admitted, is older, by name. */
export function receiverOf(
  units: readonly ClaimingUnit[],
  x: ObjectReference,
  holder: ModuleRef,
): ClaimingUnit | undefined {
  const isWorse = (unit: ClaimingUnit): readonly (boolean | string)[] => [
    !listsGiver(unit, holder),
    !insists(unit, x),
    unit.admitted?.match(x) === undefined,
    unit.createdAt,
    moduleId(unit.ref),
  ]
  const before = (a: ClaimingUnit, b: ClaimingUnit): number => {
    const [left, right] = [isWorse(a), isWorse(b)]
    const n = left.findIndex((value, i) => value !== right[i])
    return n < 0 ? 0 : left[n]! < right[n]! ? -1 : 1
  }
  return [...units].sort(before)[0]
}

/** Decision of a unit about an object of its bundle that another unit holds. */
export type HolderDecision =
  /** The unit takes it. */
  | 'Take'
  /** The holder has taken it by its own `takeOverFrom`: it is the holder's, though both insist. */
  | 'HandedOver'
  /** The scheduler aims the unit at a revision without it. */
  | 'Yield'
  /** Both insist. */
  | 'Wait'

/** `holder` undefined: its Module is gone or being deleted, or does not select the cluster. */
export function holderDecision(
  x: ObjectReference,
  own: ClaimingUnit,
  holder: ClaimingUnit | undefined,
): HolderDecision {
  if (!insists(own, x)) return 'Yield'
  if (!holder) return 'Take'
  if (listsGiver(holder, own.ref)) return 'HandedOver'
  if (listsGiver(own, holder.ref)) return 'Take'
  // A revision that cannot be read may have it.
  return insists(holder, x) || (holder.aim === undefined && holder.unread !== undefined) ? 'Wait' : 'Take'
}
