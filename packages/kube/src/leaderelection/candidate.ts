/**
 * Who may lead: pure. One Lease, changed by compare-and-swap; whoever holds it renews it, and gives up by itself before
 * the others may take it. The rules are those of client-go (`tools/leaderelection`), whose programs may share a Lease.
 */

import type { Lease } from '../kinds/types.ts'
import { jsonEqual } from '../object/json.ts'
import type { Stored } from '../object/kind.ts'
import { microTimestamp } from '../object/time.ts'

export type LeaseSpec = NonNullable<Lease['spec']>

/** An instant on both clocks of one machine, in milliseconds. */
export interface Moment {
  readonly steady: number
  readonly wall: number
}

/** All in milliseconds. */
export interface LeaseTimes {
  /** So long others leave a Lease alone that they have not seen renewed. */
  readonly leaseMs: number
  /** So long its holder writes after the last renewal. Less than `leaseMs`: clocks differ, and what is sent has to arrive. */
  readonly renewMs: number
  /** Between two looks, and between two renewals. */
  readonly retryMs: number
}

export const LEASE_TIMES: LeaseTimes = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 }

/** From the first write of the Lease to the last renewal by the same process. */
export interface Tenure {
  /** `spec.leaseTransitions`: grows with each new holder. */
  readonly generation: number
  /** When the renewal was asked for that counts: before it was sent. */
  readonly renewed: Moment
}

/** What one process knows. */
export interface LeaseCandidate {
  readonly identity: string
  readonly times: LeaseTimes
  /** The Lease, and when it was first seen as it is; `lease` undefined: there is none. Absent: not known. */
  readonly seen?: { readonly lease: Stored<Lease> | undefined; readonly since: number }
  /** `seen` was read just now: it may be written on. */
  readonly isFresh: boolean
  /** Nothing is asked before that; steady milliseconds. */
  readonly askAt: number
  readonly tenure?: Tenure
  /**
   * Since when the requests of this process are refused; steady milliseconds. Absent: the last answer was no refusal, or the
   * Lease could be read and is another's.
   */
  readonly refusedSince?: number
}

/** `Refused`: it never led, and the hub does not let it use the Lease. */
export type LeaseLoss = 'NotRenewed' | 'Taken' | 'Refused'

/** Milliseconds of refusals until a candidate ends: it could never take over, although it looks healthy. */
export const REFUSED_MS = 60_000

export type Move =
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'read' }
  | { readonly type: 'create'; readonly spec: LeaseSpec }
  | { readonly type: 'replace'; readonly lease: Stored<Lease>; readonly spec: LeaseSpec }
  /** It leads no more; nothing follows. */
  | { readonly type: 'lost'; readonly why: LeaseLoss }

export const newCandidate = (identity: string, times: LeaseTimes): LeaseCandidate => ({
  identity,
  times,
  isFresh: false,
  askAt: Number.NEGATIVE_INFINITY,
})

/** `isAlive` false: what would lead stands still, so it neither begins to lead nor goes on. */
export function nextMove(c: LeaseCandidate, now: Moment, isAlive: boolean): Move {
  return c.tenure ? keep(c, c.tenure, now, isAlive) : seek(c, now, isAlive)
}

function keep(c: LeaseCandidate, { renewed }: Tenure, now: Moment, isAlive: boolean): Move {
  const left = renewed.steady + c.times.renewMs - now.steady
  if (left <= 0) return { type: 'lost', why: 'NotRenewed' }
  if (c.isFresh && holderOf(c.seen?.lease) !== c.identity) return { type: 'lost', why: 'Taken' }
  if (now.steady < c.askAt) return wait(Math.min(left, c.askAt - now.steady))
  if (!isAlive) return wait(Math.min(left, c.times.retryMs))
  const lease = c.seen?.lease
  return lease ? { type: 'replace', lease, spec: heldSpec(c, lease.spec, now) } : { type: 'read' }
}

function seek(c: LeaseCandidate, now: Moment, isAlive: boolean): Move {
  if (c.refusedSince !== undefined && now.steady - c.refusedSince >= REFUSED_MS)
    return { type: 'lost', why: 'Refused' }
  if (!isAlive) return wait(c.times.retryMs)
  if (c.isFresh && c.seen) {
    const { lease } = c.seen
    if (!lease) return { type: 'create', spec: heldSpec(c, undefined, now) }
    if (freeIn(c, lease, c.seen.since, now) <= 0)
      return { type: 'replace', lease, spec: heldSpec(c, lease.spec, now) }
  }
  return now.steady < c.askAt ? wait(c.askAt - now.steady) : { type: 'read' }
}

const wait = (ms: number): Move => ({ type: 'wait', ms: Math.max(1, ms) })

export const holderOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? ''

/** Milliseconds until the Lease may be taken. Only what was seen here counts: clocks of other machines say nothing. */
function freeIn(c: LeaseCandidate, lease: Stored<Lease>, since: number, now: Moment): number {
  const holder = holderOf(lease)
  if (holder === '' || holder === c.identity) return 0
  const seconds = lease.spec?.leaseDurationSeconds
  return since + (seconds === undefined ? c.times.leaseMs : seconds * 1000) - now.steady
}

function heldSpec(
  { identity, times }: LeaseCandidate,
  before: LeaseSpec | undefined,
  now: Moment,
): LeaseSpec {
  const time = microTimestamp(now.wall)
  const isSame = before?.holderIdentity === identity
  const transitions = before?.leaseTransitions ?? 0
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(times.leaseMs / 1000),
    acquireTime: (isSame && before.acquireTime) || time,
    renewTime: time,
    leaseTransitions: before === undefined || isSame ? transitions : transitions + 1,
  }
}

/** Nobody holds it: the next one need not wait. As client-go releases a Lease. */
export function releasedSpec(before: LeaseSpec | undefined, now: Moment): LeaseSpec {
  const time = microTimestamp(now.wall)
  return { ...before, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time }
}

/** `lease` undefined: there is none. */
export function afterRead(
  { refusedSince, ...c }: LeaseCandidate,
  lease: Stored<Lease> | undefined,
  now: Moment,
): LeaseCandidate {
  const isSame = c.seen !== undefined && jsonEqual(c.seen.lease?.spec, lease?.spec)
  const since = isSame ? c.seen!.since : now.steady
  const next = now.steady + c.times.retryMs
  const free = lease && !c.tenure ? now.steady + freeIn(c, lease, since, now) : next
  // While it would write, a read says nothing of a refused write.
  const isToWrite = !c.tenure && (!lease || free <= now.steady)
  const refused = isToWrite && refusedSince !== undefined ? { refusedSince } : {}
  return {
    ...c,
    ...refused,
    seen: { lease, since },
    isFresh: true,
    askAt: c.tenure ? now.steady : Math.min(next, free),
  }
}

/** Our write was answered; `asked`: when it was decided. */
export function afterWrite(
  { refusedSince: _, ...c }: LeaseCandidate,
  lease: Stored<Lease>,
  asked: Moment,
): LeaseCandidate {
  const tenure = { generation: lease.spec?.leaseTransitions ?? 0, renewed: asked }
  const seen = { lease, since: asked.steady }
  return { ...c, seen, isFresh: false, askAt: asked.steady + c.times.retryMs, tenure }
}

/** A request has failed: whatever it did, the Lease is read before it is written again. `isRefused`: 401 or 403. */
export function afterFailure(
  { seen, refusedSince, ...c }: LeaseCandidate,
  now: Moment,
  isRefused = false,
): LeaseCandidate {
  // Who waits keeps what it saw: that the Lease could not be read for a while makes nobody wait longer.
  const kept = c.tenure || !seen ? {} : { seen }
  const refused = isRefused ? { refusedSince: refusedSince ?? now.steady } : {}
  return { ...c, ...kept, ...refused, isFresh: false, askAt: now.steady + c.times.retryMs }
}

/**
 * Whether a write may begin. Both clocks have to say so: the steady one may stand still while a machine sleeps, the other
 * may be set back.
 */
export const isHeld = ({ renewed }: Pick<Tenure, 'renewed'>, { renewMs }: LeaseTimes, now: Moment): boolean =>
  now.steady - renewed.steady < renewMs && now.wall - renewed.wall < renewMs

/** Milliseconds before anybody else may lead, by the clock that says less; less than nothing where that is over. */
export const leftMs = ({ renewed }: Pick<Tenure, 'renewed'>, { leaseMs }: LeaseTimes, now: Moment): number =>
  leaseMs - Math.max(now.steady - renewed.steady, now.wall - renewed.wall)
