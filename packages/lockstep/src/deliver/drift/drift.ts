/** What others have done to what is delivered, decided from metadata alone. Pure. */

import { isNewerResourceVersion } from '@lockstep/kube/client'
import { type ObjectReference, parseApiVersion } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { driftChangeText, type FactsOf } from '../../api/reasons/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { fieldOwnersOf, type LostField, lostFields } from '../ownership/fieldowners.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { kindNameText, objectWaitRef } from '../state/objectwaitref.ts'
import { isWholeWrite, wholeOwners, wholeWriteFields } from '../write/wholewrite.ts'

export interface Drift {
  readonly id: string
  readonly ref: ObjectReference & { readonly version: string }
  /** `Replaced`: there is another object of that name. `Unmarked`: our marks are gone. `Restored`: it is older than what was applied. */
  readonly what: 'Deleted' | 'Replaced' | 'Unmarked' | 'Restored' | 'Fields'
  /** For `Fields`: which, as far as can be told. */
  readonly fields: readonly LostField[]
}

/** Whose marks an object has to carry. */
export interface ExpectedMarks {
  readonly inventoryUid: string
  readonly unit: string
}

/**
 * What was applied last is what is wanted, and nothing else was on its way since: a request without an answer leaves no
 * trace of its own, since nobody else has written.
 */
export const isAsRecorded = (entry: InventoryObject | undefined, d: DesiredObject): boolean =>
  entry !== undefined && entry.content === d.content && entry.changing !== true

/**
 * How an object differs from what our last apply left. Undefined: it does not, or it is to change anyhow. An update, or a
 * forced apply, of another writer takes the fields that it changes out of our entry of managedFields; what others do to
 * fields that are not ours leaves no trace in it.
 */
export function driftOf(
  d: DesiredObject,
  entry: InventoryObject | undefined,
  live: LiveObject | undefined,
  marks: ExpectedMarks,
): Drift | undefined {
  // Never recorded: its create had no answer.
  if (!entry || !isAsRecorded(entry, d)) return undefined
  const drift = (what: Drift['what'], fields: Drift['fields'] = []): Drift => ({
    id: d.id,
    ref: { ...d.ref, version: parseApiVersion(d.object.apiVersion).version },
    what,
    fields,
  })
  if (!live) return drift('Deleted')
  if (live.uid !== entry.uid) return drift('Replaced')
  if (live.inventory !== marks.inventoryUid || live.unit !== marks.unit) return drift('Unmarked')
  // Whatever it says of its fields: those of an older content may be the same ones.
  const { resourceVersion: applied } = entry
  if (applied !== undefined && isOlderVersion(live.resourceVersion, applied)) return drift('Restored')
  if (wholeWriteFields(d, live) === entry.fields) return undefined
  return drift('Fields', lostFields(d.object, isWholeWrite(d) ? wholeOwners(live) : fieldOwnersOf(live)))
}

/** Of one object; versions that are no numbers say nothing of each other. */
export const isOlderVersion = (version: string, than: string): boolean =>
  /^\d{1,30}$/.test(version) && /^\d{1,30}$/.test(than) && isNewerResourceVersion(than, version)

/** A change outside Lockstep, as facts hold it. */
export const changeOf = ({ what, fields }: Drift): FactsOf<'DriftNotReverted'>['change'] => ({
  what,
  fields: fields.map(({ path, manager }) => (manager === undefined ? { path } : { path, manager })),
})

/** `Deployment app/api (.spec.replicas by "kubectl-edit")` */
export const driftText = (d: Drift): string => `${kindNameText(d.ref)} (${driftChangeText(changeOf(d))})`

const MOST_OBJECTS = 10

/** All drifted objects of a unit as one fact; undefined: none is. */
export function driftFact(drifts: readonly Drift[], cluster: string): NewBlocker | undefined {
  const [first, ...more] = drifts.slice(0, MOST_OBJECTS)
  if (!first) return undefined
  const shown = [first, ...more]
  return blocked(
    'DriftDetected',
    [objectWaitRef(first.ref, cluster), ...more.map((d) => objectWaitRef(d.ref, cluster))],
    {
      state: 'Found',
      changes: shown.map(changeOf),
      count: drifts.length,
    },
  )
}
