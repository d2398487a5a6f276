/**
 * Under which name the units of each cluster of a namespace know it, and who of several that are one cluster counts. Pure.
 *
 * A name belongs to a real cluster: its first record (RemoteAssemblage) has the uid of its `kube-system` namespace. Whoever
 * knows that cluster later takes the name over with all that is delivered, and nothing is written there.
 */
import { digestOf, short10 } from '@lockstep/kube/object'
import { INVENTORY_KINDS, type InventoryKind } from './cluster.ts'

/** A cluster object of an inventory. */
export interface ClusterCandidate {
  readonly kind: InventoryKind
  readonly objectName: string
  readonly objectUid: string
  /** Who answers there, by the uid of `kube-system`; undefined: not known yet. */
  readonly uid: string | undefined
}

/** What was written down of a cluster. */
export interface ClusterRecord {
  readonly name: string
  /** Inventory that knew the cluster when the record was made. */
  readonly kind: string
  readonly uid: string | undefined
  /** Through which object it was reached last. */
  readonly objectUid: string | undefined
}

export interface NameAssignment<C> {
  readonly candidate: C
  readonly name: string
  /** It counts instead: the same cluster. */
  readonly duplicateOf: C | undefined
  /** The name was that of another object. */
  readonly standsIn: boolean
}

/** Seats in the order of precedence. */
export function assignClusterNames<C extends ClusterCandidate>(
  candidates: readonly C[],
  records: readonly ClusterRecord[],
): NameAssignment<C>[] {
  const sorted = [...candidates].sort(byPrecedence)
  const byName = new Map(records.map((r) => [r.name, r]))
  const byObject = new Map(
    records.flatMap((r) => (r.objectUid === undefined ? [] : [[r.objectUid, r] as const])),
  )
  const made = new Map(sorted.map((c) => [c, madeFor(c, byName)]))
  const own = new Map(sorted.map((c) => [c, byObject.get(c.objectUid) ?? made.get(c)]))
  const identity = (c: C): string | undefined => own.get(c)?.uid ?? c.uid
  const first = new Map<string, C>()
  for (const c of sorted) {
    const uid = identity(c)
    if (uid !== undefined && !first.has(uid)) first.set(uid, c)
  }
  const recordOf = new Map(records.flatMap((r) => (r.uid === undefined ? [] : [[r.uid, r] as const])))
  const names = new Map<C, string>()
  const taken = new Set<string>()
  const take = (c: C, name: string): void => {
    names.set(c, name)
    taken.add(name)
  }
  for (const [uid, c] of first) {
    const mine = own.get(c)
    const record = mine?.uid === uid ? mine : recordOf.get(uid)
    if (record && !taken.has(record.name)) take(c, record.name)
  }
  for (const c of sorted) if (!names.has(c)) take(c, freeName(c, own.get(c), taken, byName))
  return sorted.map((c) => {
    const uid = identity(c)
    const winner = uid === undefined ? c : first.get(uid)!
    const name = names.get(c)!
    const record = byName.get(name)
    return {
      candidate: c,
      name,
      duplicateOf: winner === c ? undefined : winner,
      standsIn: record !== undefined && made.get(c) !== record,
    }
  })
}

function byPrecedence(a: ClusterCandidate, b: ClusterCandidate): number {
  const order = INVENTORY_KINDS.indexOf(a.kind) - INVENTORY_KINDS.indexOf(b.kind)
  return order !== 0 ? order : a.objectName < b.objectName ? -1 : 1
}

/** Names that an object may have: its own, and after that such as no other kind has. */
function* namesFor({ kind, objectName }: ClusterCandidate): Iterable<string> {
  yield objectName
  for (let n = 0; ; n++) {
    const hash = short10(digestOf('name/1', n === 0 ? kind : `${kind}/${n}`)).slice(0, 6)
    yield `${objectName}-${hash}`
  }
}

/** The record that was made for an object of this kind and name. */
function madeFor(c: ClusterCandidate, byName: ReadonlyMap<string, ClusterRecord>): ClusterRecord | undefined {
  let tried = 0
  for (const name of namesFor(c)) {
    const record = byName.get(name)
    if (record?.kind === c.kind) return record
    if (++tried === 2) return undefined
  }
  return undefined
}

/** What another cluster is delivered under is nobody else's name. */
function freeName(
  c: ClusterCandidate,
  own: ClusterRecord | undefined,
  taken: ReadonlySet<string>,
  byName: ReadonlyMap<string, ClusterRecord>,
): string {
  for (const name of namesFor(c)) {
    const record = byName.get(name)
    if (!taken.has(name) && (record === undefined || record === own)) return name
  }
  return c.objectName
}
