/** Objects that others delete soon after each create: recreated seldom, and not ready. Pure. */

import { timestamp } from '@lockstep/kube/object'
import { blocked } from '../../api/blocker.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'
import type { DelayedRevert } from './driftrevert.ts'

/** A deletion later than that after a create has another cause than the create. */
const SURVIVAL_MS = 60_000
/** Deletions within FIGHT_MS that are a fight; then the object is recreated once in FIGHT_MS. */
const FIGHT_DELETIONS = 4
const FIGHT_MS = 10 * 60_000

/** The last create of an object by this process, and deletions by others that followed its creates. Times are steady milliseconds. */
export interface CreateRecord {
  readonly createdAt: number
  /** Deletions within a minute of a create; the last four. */
  readonly deletedAt: readonly number[]
  /** Longest time from a create to its deletion, in milliseconds. */
  readonly lifeMs: number
  /** The object of the last create was deleted. */
  readonly isDeleted: boolean
  readonly isFought: boolean
  /** Owner in the ownerReferences of the object: `Deployment web (uid …)`. */
  readonly owner: string | undefined
}

export const afterCreate = (before: CreateRecord | undefined, now: number): CreateRecord => ({
  createdAt: now,
  deletedAt: before?.deletedAt ?? [],
  lifeMs: before?.lifeMs ?? 0,
  isDeleted: false,
  isFought: before?.isFought === true,
  owner: before?.owner,
})

/** After a read of the object; `live` undefined: it does not exist. Undefined: the object has survived, a fight is over. */
export function afterLook(
  record: CreateRecord,
  live: LiveObject | undefined,
  now: number,
): CreateRecord | undefined {
  if (record.isDeleted) return record
  const lifeMs = now - record.createdAt
  if (lifeMs >= SURVIVAL_MS) return undefined
  if (live && !live.deleting) return { ...record, owner: ownerOf(live) ?? record.owner }
  const deletedAt = [...record.deletedAt.filter((at) => now - at < FIGHT_MS), now].slice(-FIGHT_DELETIONS)
  return {
    ...record,
    deletedAt,
    lifeMs: Math.max(record.lifeMs, lifeMs),
    isDeleted: true,
    isFought: record.isFought || deletedAt.length >= FIGHT_DELETIONS,
  }
}

function ownerOf({ object }: LiveObject): string | undefined {
  const [owner] = object.metadata.ownerReferences ?? []
  return owner && `${owner.kind} ${owner.name} (uid ${owner.uid})`
}

/** Why an object in a fight is not recreated yet, or not ready yet, and until when. Undefined: it is in no fight. */
export function deletionFight(
  record: CreateRecord | undefined,
  ref: Parameters<typeof objectWaitRef>[0],
  { cluster, steady, now }: { readonly cluster: string; readonly steady: number; readonly now: number },
): DelayedRevert | undefined {
  if (!record?.isFought) return undefined
  const next = record.createdAt + FIGHT_MS
  const retryAt = record.isDeleted ? next : record.createdAt + SURVIVAL_MS
  if (retryAt <= steady) return undefined
  const facts = {
    deletions: FIGHT_DELETIONS,
    minutes: FIGHT_MS / 60_000,
    seconds: Math.ceil(record.lifeMs / 1000),
    next: timestamp(now + next - steady),
    owner: record.owner,
  }
  return { retryAt, blocker: blocked('DeletionFight', [objectWaitRef(ref, cluster)], facts) }
}
