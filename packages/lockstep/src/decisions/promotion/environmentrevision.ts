/** An environment, as its targets are; and the revision that is settled in it. */

import { parseTimestampMs, timestamp } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { EnvironmentStatus } from '../../api/kinds/index.ts'
import { type AppRef, firstRefs } from './promotionref.ts'
import { type TargetState, targetText } from './targetstate.ts'

export interface EnvironmentRule {
  readonly name: string
  /** `All`, or so many: the others may be out of reach. */
  readonly minReady: 'All' | number
  readonly soakSeconds: number
}

export type EnvironmentRevision =
  | { readonly type: 'At'; readonly revision: string; readonly release: string | undefined }
  | { readonly type: 'Not'; readonly blockers: readonly NewBlocker[] }

/** A Module says `v2.0.0@sha1:…` where a person has asked for v2.0.0. */
export const isAtRevision = (found: string, asked: string): boolean =>
  found === asked || found.startsWith(`${asked}@`)

/** Targets that nobody can read, where they count: those that can be read are fewer than `minReady`. */
export function lostTargets(
  { minReady }: Pick<EnvironmentRule, 'minReady'>,
  targets: readonly TargetState[],
): readonly TargetState[] {
  const lost = targets.filter((t) => t.state === 'Unreadable')
  const least = minReady === 'All' ? targets.length : Math.min(minReady, targets.length)
  return targets.length - lost.length < least ? lost : []
}

/** Names that a message has; the rest are counted. */
const NAMED = 3

/**
 * All targets ready at one revision. A number forgives targets that nobody can read, and nothing else: one that can be read,
 * and fails, or is at another revision, always counts.
 */
export function environmentRevisionOf(
  { name, minReady }: EnvironmentRule,
  appRef: AppRef,
  targets: readonly TargetState[],
): EnvironmentRevision {
  const unready = targets.filter((t) => t.state === 'Unready')
  const ready = targets.filter((t) => t.state === 'Ready')
  const blockers = unready.slice(0, NAMED).flatMap((t) => t.blocker ?? [])
  const groups = groupBy(ready, (t) => `${t.revision}\n${t.release ?? ''}`)
  if (groups.length > 1) blockers.push(differ(name, groups, appRef))
  blockers.push(
    ...lostTargets({ minReady }, targets)
      .slice(0, NAMED)
      .flatMap((t) => t.blocker ?? []),
  )
  const [first] = ready
  if (blockers.length > 0 || !first) {
    const refs = firstRefs(targets.map((t) => t.ref))
    const none = blocked('TargetNotReady', refs, { because: 'NoTarget', environment: name })
    return { type: 'Not', blockers: blockers.length > 0 ? blockers : [none] }
  }
  return { type: 'At', revision: first.revision!, release: first.release }
}

function differ(
  environment: string,
  groups: readonly (readonly TargetState[])[],
  appRef: AppRef,
): NewBlocker {
  const [first, ...others] = firstRefs(groups.map((g) => g[0]!.ref))
  return blocked('RevisionsDiffer', [first!, ...others], {
    of: 'Targets',
    environment,
    groups: groups.map((g) => ({
      revision: g[0]!.revision ?? '',
      names: g.slice(0, NAMED).map((t) => targetText(t, appRef)),
      count: g.length,
    })),
  })
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return [...groups.values()]
}

export interface SettleInput {
  readonly rule: EnvironmentRule
  readonly level: EnvironmentRevision
  readonly before: Pick<EnvironmentStatus, 'settled' | 'candidate'>
  /** Why it may not settle at this revision although all targets are ready at it: it is held, or not verified. */
  readonly unproven: (revision: string) => NewBlocker | undefined
  /** The hub's time. */
  readonly nowMs: number
}

export interface SettleResult {
  readonly settled: EnvironmentStatus['settled']
  readonly candidate: EnvironmentStatus['candidate']
  /** What keeps it from settling; empty: it is settled at what it is at. */
  readonly blockers: readonly NewBlocker[]
  /** When time alone may change that. */
  readonly wakeAtMs: number | undefined
}

/** Latched: what is settled stays until another revision is, whatever becomes of the targets meanwhile. */
export function settle({ rule, level, before, unproven, nowMs }: SettleInput): SettleResult {
  const { settled } = before
  if (level.type === 'Not')
    return { settled, candidate: undefined, blockers: level.blockers, wakeAtMs: undefined }
  const { revision, release } = level
  const isSame = before.candidate?.revision === revision
  const candidate = isSame ? before.candidate! : { revision, since: timestamp(nowMs) }
  const held = unproven(revision)
  if (held) return { settled, candidate, blockers: [held], wakeAtMs: undefined }
  const endsMs = (parseTimestampMs(candidate.since) ?? nowMs) + rule.soakSeconds * 1000
  if (rule.soakSeconds > 0 && nowMs < endsMs && settled?.revision !== revision) {
    const ends = [{ kind: 'Time', name: timestamp(endsMs) }] as const
    const blocker = blocked('Soaking', ends, { environment: rule.name, revision, since: candidate.since })
    return { settled, candidate, blockers: [blocker], wakeAtMs: endsMs }
  }
  if (settled?.revision === revision && settled.release === release)
    return { settled, candidate: undefined, blockers: [], wakeAtMs: undefined }
  const next = { revision, ...(release === undefined ? {} : { release }), at: timestamp(nowMs) }
  return { settled: next, candidate: undefined, blockers: [], wakeAtMs: undefined }
}
