/** Why clusters of a rollout wait, for people. */

import { short10 } from '@lockstep/kube/object'
import { type NewBlocker, summarized } from '../../api/blocker.ts'
import type { RolloutLimits } from './budgets/limits.ts'
import { holdsSlot, MAX_LEDGER, type Selection } from './selectstarts.ts'
import type { ClassCounts, ClassifiedUnit, StageRun } from './stagerun.ts'
import { clockSkewText } from './time/clockskew.ts'
import { openingText, type RolloutWindow, windowProblem } from './time/windows.ts'
import type { ScheduleInput, UnitHold } from './types.ts'

/** What a decision came to, as far as it made somebody wait. */
export interface RolloutFacts {
  readonly input: ScheduleInput
  readonly all: readonly ClassifiedUnit[]
  readonly classes: ClassCounts
  readonly stages: readonly StageRun[]
  readonly limits: RolloutLimits
  readonly haltedAt: string | undefined
  readonly walk: Selection
}

/** At most ten: of the whole rollout first, then what single clusters wait for. */
export function rolloutBlockers(o: RolloutFacts): NewBlocker[] {
  const { input, limits, walk } = o
  const unreachable = o.classes.Unreachable
  const out: NewBlocker[] = []
  const add = (reason: NewBlocker['reason'], message: string, count?: number): void => {
    out.push({ reason, subject: input.module, message, ...(count === undefined ? {} : { count }) })
  }
  if (o.haltedAt !== undefined) add('Halted', haltText(o, o.haltedAt))
  else if (input.heldBy !== undefined && !input.deleting)
    add('Held', `${input.isSuspended ? 'suspended' : 'paused'} by Hold ${input.heldBy}`)
  if (unreachable > limits.maxUnreachable)
    add('TooManyUnreachable', `${unreachable} of ${limits.total}, limit ${limits.maxUnreachable}`)
  for (const [stage, n] of walk.windowClosed) {
    const { skewMs } = input
    if (skewMs === undefined) add('WindowClosed', closedText(input, stage, o.stages), n)
    else add('ClockSkew', `${whereOf(stage)}${clockSkewText(skewMs)}`, n)
  }
  out.push(...stageBlockers(o))
  const unwell = unwellText(o.all)
  for (const [room, n] of walk.noRoom)
    add(
      'RolloutLimit',
      `${room}: ${n} clusters wait for a slot${room.startsWith(UNAVAILABLE) ? unwell : ''}`,
      n,
    )
  out.push(...walk.budgets.blockers())
  if (walk.noEntry > 0) {
    const message = `${MAX_LEDGER} clusters are in flight or have failed, and status.rollout.ledger holds no more: ${walk.noEntry} clusters wait until one is done`
    add('InFlightLimit', message, walk.noEntry)
  }
  return [...out, ...gateBlockers(o.all), ...heldBlockers(o.all)].slice(0, 10)
}

/** Budgets that what is unhealthy uses up. */
const UNAVAILABLE = 'maxUnavailable'
const SHOWN = 3

/** A slot that is in use because something is unhealthy is not free again once a delivery is over. */
function unwellText(all: readonly ClassifiedUnit[]): string {
  // What has failed at an older revision is in flight until its stage takes it to the target.
  const isUnwell = (c: ClassifiedUnit): boolean =>
    c.class === 'Unhealthy' || (c.class === 'InFlight' && c.entry?.failed !== undefined)
  const names = all.filter((c) => isUnwell(c) && holdsSlot(c)).map((c) => c.unit.cluster)
  if (names.length === 0) return ''
  const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : ''
  return `; unhealthy, and not to be started now: ${names.sort().slice(0, SHOWN).join(', ')}${more}: repair, or pin them where they are`
}

/** What the stages wait for; that a later one is not open yet is said where somebody waits in it. */
function stageBlockers({ stages, walk, input }: RolloutFacts): NewBlocker[] {
  if (input.deleting || !input.target) return []
  return stages.flatMap(({ name, waits }) =>
    waits.flatMap((b): NewBlocker[] => {
      if (b.reason !== 'StagePending') return [b]
      const count = walk.pending.get(name)
      return count === undefined ? [] : [{ ...b, message: `${b.message}: ${count} clusters wait`, count }]
    }),
  )
}

/** Whose windows: of a stage, or of the whole rollout. */
const whereOf = (stage: string): string => (stage === '' ? '' : `stage ${stage}: `)

function closedText(input: ScheduleInput, stage: string, stages: readonly StageRun[]): string {
  const where = whereOf(stage)
  const run = stages.find((s) => s.name === stage)
  // What is shut has some.
  const windows: readonly RolloutWindow[] = (run ? run.policy.windows : input.policy.windows)!
  const problem = windows.map((w) => windowProblem(w, input.calendar)).find((p) => p !== undefined)
  if (problem !== undefined) return `${where}${problem}`
  const next = openingText(windows, input.nowMs, input.calendar)
  return next === undefined ? `${where}it does not open within 366 days` : `${where}next opens ${next}`
}

function haltText({ all, limits, input }: RolloutFacts, revision: string): string {
  const failed = all.filter((c) => c.class === 'Failed').map((c) => c.unit.cluster)
  const seen =
    failed.length === 0
      ? 'failures were seen'
      : `${failed.length} failed (${failed.slice(0, 3).join(', ')}), maxFailed ${limits.maxFailed}`
  const well = input.ofSet ? 'what has failed is well, ' : ''
  return `revision ${short10(revision)}: ${seen}; nothing new starts until ${well}another revision is published, or lockstep rollout retry`
}

/** Single clusters that a Hold keeps where they are. */
function heldBlockers(all: readonly ClassifiedUnit[]): NewBlocker[] {
  const groups = new Map<string, NewBlocker & { count: number }>()
  for (const { unit } of all) {
    const { hold } = unit
    // What is pinned is where it is to be: nothing waits.
    if (!hold || hold.action === 'Pin' || !unit.selected) continue
    const { reason, text } = heldText(hold)
    const subject = `Hold/${hold.by}`
    const known = groups.get(`${reason} ${subject}`)
    groups.set(
      `${reason} ${subject}`,
      known ? { ...known, count: known.count + 1 } : { reason, subject, message: text, count: 1 },
    )
  }
  return sorted(groups)
}

function heldText(hold: Exclude<UnitHold, { action: 'Pin' }>): {
  reason: NewBlocker['reason']
  text: string
} {
  switch (hold.action) {
    case 'Suspend':
      return { reason: 'Held', text: `suspended by Hold ${hold.by}` }
    case 'Pause':
      return { reason: 'Held', text: `paused by Hold ${hold.by}` }
    case 'Conflict':
      return {
        reason: 'HoldConflict',
        text: `Holds ${hold.by} and ${hold.and} pin it at different revisions: it stays where it is`,
      }
    case 'Unknown':
      return {
        reason: 'PinnedRevisionUnknown',
        text: `Hold ${hold.by} pins it at ${hold.wanted}, which the history does not have: it stays where it is`,
      }
  }
}

function waitsOf({ class: name, unit, at, targetRevision }: ClassifiedUnit): readonly NewBlocker[] {
  if (name === 'Leaving') return unit.dependants
  // Under way, and not admitted yet: its assignment is about to be taken back.
  const isShut = name === 'InFlight' && unit.admittedRevision !== targetRevision
  const isOnItsWay =
    name === 'Pinned' && targetRevision !== undefined && unit.admittedRevision !== targetRevision
  return name === 'Blocked' || name === 'Unhealthy' || isShut || isOnItsWay ? at.gate : []
}

const gateBlockers = (all: readonly ClassifiedUnit[]): NewBlocker[] =>
  summarized(all.flatMap((c) => waitsOf(c).map((blocker) => ({ cluster: c.unit.cluster, blocker }))))

const sorted = (groups: ReadonlyMap<string, NewBlocker & { count: number }>): NewBlocker[] =>
  [...groups.values()].sort((a, b) => b.count - a.count || (a.subject < b.subject ? -1 : 1))
