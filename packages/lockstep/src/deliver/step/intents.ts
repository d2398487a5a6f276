/** Intents: creates that were announced, and what has become of them. Pure. */

import { REQUEST_TIMEOUT_MS } from '@lockstep/kube/env'
import { identityOf } from '@lockstep/kube/object'
import type { Inventory, InventoryObject, InventorySpec, WriteIntent } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { existedMember } from '../deletion/existedmember.ts'
import type { MarkedObject } from '../ownership/markedobjects.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import type { UnitInput } from '../state/unitinput.ts'
import type { UnitMemory } from '../state/unitmemory.ts'
import { isRecreating, type RecreatedObject } from '../write/recreate.ts'
import { isByMarks } from './markedintents.ts'

/** A request may arrive for so long after its sender has died: as long as it may take, and some. */
export const REQUEST_EXPIRY_MS = REQUEST_TIMEOUT_MS + 5000

const BY_MARKS_CONFIRM = ['Delete', 'Prune'] as const

/**
 * Objects that exist for an intent and were never written down: the answer was lost, or whoever asked has died. They
 * are ours if they carry this Inventory's mark; the nonce of the create may be gone, since a later apply takes it off.
 * What their content is, nobody knows. `known`: the uids that are written down, by identity; one that was written down
 * with another uid has been made anew since.
 */
export function announcedObjects(
  inventory: Inventory & { readonly metadata: { readonly uid: string } },
  known: ReadonlyMap<string, string>,
  live: (intent: WriteIntent) => LiveObject | undefined,
): InventoryObject[] {
  return (inventory.spec.intents ?? []).flatMap((intent) => {
    const found = live(intent)
    if (!found || found.inventory !== inventory.metadata.uid) return []
    if (known.get(identityOf(intent)) === found.uid) return []
    const { nonce, replaces: _replaces, takes, ...id } = intent
    const existed = takes?.uid === found.uid ? takes.existed : found.nonce !== nonce
    // The former bundle is unknown: until it is applied, a person confirms its deletion.
    const confirm = isByMarks(intent, inventory) ? { confirm: [...BY_MARKS_CONFIRM] } : {}
    const inherited = takes?.uid === found.uid && takes.inherited ? { inherited: true } : {}
    const facts = { ...existedMember(id, existed), ...confirm, ...inherited }
    return [{ ...id, version: found.version, uid: found.uid, content: '', fields: '', level: 0, ...facts }]
  })
}

/**
 * Intents that have served: their object is written down, or nothing can come of them any more. The others stay, so
 * that no object can appear that nobody knows of. For one of another process a second create may be under way, which
 * makes the object again if it is deleted meanwhile: that it is written down says nothing.
 */
export function servedIntents(
  intents: readonly WriteIntent[],
  entries: ReadonlyMap<string, InventoryObject>,
  memory: UnitMemory,
  steady: number,
  /** Whether all objects of its kind are known: what is not seen is only then not there. */
  isSeen: UnitInput['isSeen'],
  /** What is wanted now; undefined: nothing, the unit is leaving. */
  desired?: UnitInput['desired'],
): WriteIntent[] {
  return intents.filter((intent) => {
    const id = identityOf(intent)
    const entry = entries.get(id)
    const wanted = desired?.objects[desired.byId.get(id) ?? -1]
    if (isRecreating(intent, wanted?.content, entry)) return false
    const last = Math.max(memory.bornAt, memory.attempted.get(id) ?? Number.NEGATIVE_INFINITY)
    const isWrittenDown = entry !== undefined && entry.uid !== intent.replaces?.uid
    const isOver = steady - last >= REQUEST_EXPIRY_MS && isSeen(intent)
    return (isWrittenDown && memory.announced.has(intent.nonce)) || isOver
  })
}

/** Announcement of a pass: a create, a recreation, or an object that is taken from another unit. */
export interface AnnouncedIntent {
  readonly d: Pick<DesiredObject, 'id' | 'ref'>
  readonly replaces: RecreatedObject | undefined
  readonly takes?: TakenObject | undefined
}

/** An object that is taken from another unit: part of the intent. */
export type TakenObject = NonNullable<WriteIntent['takes']>

/** The intents with what is announced now. One that is there keeps its nonce: its create may be under way. */
export function withAnnounced(
  known: readonly WriteIntent[],
  announced: readonly AnnouncedIntent[],
  nonce: () => string,
): WriteIntent[] {
  const byId = new Map(known.map((i) => [identityOf(i), i]))
  for (const { d, replaces, takes } of announced) {
    const { group, kind, namespace, name } = d.ref
    const before = byId.get(d.id) ?? {
      group,
      kind,
      ...(namespace ? { namespace } : {}),
      name,
      nonce: nonce(),
    }
    byId.set(d.id, { ...before, ...(replaces ? { replaces } : {}), ...(takes ? { takes } : {}) })
  }
  return [...byId.values()]
}

/** The intents with those for objects that a lost Inventory of the unit had. */
export const withMarked = (
  { intents = [] }: Pick<InventorySpec, 'intents'>,
  unit: string,
  objects: readonly Pick<MarkedObject, 'ref' | 'uid'>[],
  nonce: () => string,
): WriteIntent[] =>
  withAnnounced(
    intents,
    objects.map(({ ref, uid }) => ({
      d: { id: identityOf(ref), ref },
      replaces: undefined,
      takes: { uid, from: unit },
    })),
    nonce,
  )

/** Intents that this process announced and sent no request for: no object can exist for them. */
export const unsentIntents = (
  intents: readonly WriteIntent[],
  { announced, attempted }: Pick<UnitMemory, 'announced' | 'attempted'>,
): WriteIntent[] => intents.filter((i) => announced.has(i.nonce) && !attempted.has(identityOf(i)))

/** Milliseconds until the next intent can be dropped by time alone; undefined: there is none, or its objects are not known. */
export function intentWaitMs(
  intents: readonly WriteIntent[],
  memory: UnitMemory,
  steady: number,
  isSeen: UnitInput['isSeen'],
): number | undefined {
  const last = intents
    .filter(isSeen)
    .map((i) => Math.max(memory.bornAt, memory.attempted.get(identityOf(i)) ?? Number.NEGATIVE_INFINITY))
  if (last.length === 0) return undefined
  return Math.max(1, Math.min(...last) + REQUEST_EXPIRY_MS - steady)
}
