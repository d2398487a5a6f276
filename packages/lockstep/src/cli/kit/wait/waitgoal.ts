/** What one waits for: `--for`, and whether an object is there. Pure. */

import type { Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { z } from 'zod'
import { currentReady, isReadyNow } from '../../../api/conditions.ts'
import type { blocker, condition, Inventory, Module, OwnKind } from '../../../api/kinds/index.ts'
import { adviceOf } from '../../../api/reasons/index.ts'
import { type CliFailure, failed } from '../index.ts'
import { nearest } from '../terminal/index.ts'
import type { HopelessWait } from './untilmet.ts'

export type WaitGoal =
  | { readonly type: 'ready' }
  | { readonly type: 'delete' }
  | { readonly type: 'release' | 'revision'; readonly value: string }

const FORMS = ['ready', 'revision=REVISION', 'release=RELEASE', 'delete']

/** So many digits of a revision are enough to tell it. */
const REVISION = /^(v1:)?[0-9a-f]{6,64}$/

export function waitGoalOf(text: string, kind: OwnKind): Result<WaitGoal, CliFailure> {
  const [word, ...rest] = text.split('=')
  const value = rest.join('=')
  if (rest.length === 0 && (word === 'ready' || word === 'delete')) return { ok: true, value: { type: word } }
  if ((word !== 'release' && word !== 'revision') || value === '') return refused(text)
  if (!['Module', 'BootstrapModule', 'Inventory'].includes(kind.kind))
    return failed('E_USAGE', {
      problem: `--for ${text}: a ${kind.kind} has no ${word}`,
      suggestion: 'wait for ready or delete',
    })
  if (word === 'revision' && !REVISION.test(value))
    return failed('E_USAGE', {
      problem: `--for ${text}: must have at least 6 of the first hexadecimal digits`,
      suggestion: 'for the revision, use lockstep status MODULE',
    })
  return { ok: true, value: { type: word, value } }
}

function refused(text: string) {
  const words = ['ready', 'revision', 'release', 'delete']
  const meant = nearest(text.replace(/=.*$/, ''), words)
  const form = FORMS.find((f) => meant !== undefined && f.startsWith(meant))
  return failed('E_USAGE', {
    problem: `--for ${text}: unknown state`,
    suggestion: `${form ? `did you mean ${form}? ` : ''}states: ${FORMS.join(', ')}`,
  })
}

/** `is ready at release 2026.11`: what has come true. */
export function goalText(goal: WaitGoal): string {
  if (goal.type === 'delete') return 'is gone'
  return goal.type === 'ready' ? 'is ready' : `is ready at ${goal.type} ${goal.value}`
}

/** `is not ready at release 2026.11`: what has not. */
export const missedText = (goal: WaitGoal): string =>
  goal.type === 'delete' ? 'still exists' : goalText(goal).replace('is ready', 'is not ready')

interface Reported {
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly z.output<typeof condition>[]
    readonly blockers?: readonly z.output<typeof blocker>[]
    readonly release?: string
    readonly currentRevision?: string
    readonly admittedSerial?: number
  }
}

/** What an object lacks; undefined: nothing. */
export function lacking(goal: WaitGoal, o: Stored): string | undefined {
  if (goal.type === 'delete')
    return o.metadata.deletionTimestamp === undefined ? 'not deleted' : (waitsFor(o) ?? 'terminating')
  if (goal.type !== 'ready') {
    const has = versionOf(o, goal.type)
    const isThere = goal.type === 'release' ? has === goal.value : bare(has).startsWith(bare(goal.value))
    if (!isThere) return has === '' ? 'nothing is published' : `it is at ${goal.type} ${shortened(has)}`
  }
  return isReady(o) ? undefined : (waitsFor(o) ?? 'not reconciled')
}

/** Why it will not be ready by itself. */
export function failureOf(o: Stored): string | undefined {
  if (o.metadata.deletionTimestamp !== undefined) return 'terminating'
  const stalled = (o as Reported).status?.conditions?.find((c) => c.type === 'Stalled')
  const isCurrent = (stalled?.observedGeneration ?? 0) >= (o.metadata.generation ?? 0)
  return stalled?.status === 'True' && isCurrent ? `it is not ready: ${stalled.message}` : undefined
}

/** Milliseconds in which clusters are labelled, or other Modules corrected, that were written just after this one. */
const GRACE_MS: Readonly<Record<string, number>> = {
  SelectsNothing: 10_000,
  CycleDetected: 2000,
  Deadlock: 2000,
}

/** Nothing but a change of a spec, or of a cluster's labels, ends the wait. */
export function hopelessOf(goal: WaitGoal, o: Stored): HopelessWait | undefined {
  const { conditions = [] } = (o as Reported).status ?? {}
  const ready = currentReady(o)
  if (goal.type === 'delete' && ready?.reason !== 'Deadlock') return undefined
  // A dependency that has been dropped already ends with the next publication.
  const isReconciling = conditions.some((c) => c.type === 'Reconciling' && c.status === 'True')
  if (ready?.status !== 'False' || isReconciling) return undefined
  const graceMs = Object.hasOwn(GRACE_MS, ready.reason) ? GRACE_MS[ready.reason] : undefined
  const missed = goal.type === 'delete' ? 'still exists' : 'is not ready'
  return graceMs === undefined ? undefined : { text: `it ${missed}: ${ready.message}`, graceMs }
}

const bare = (revision: string): string => revision.replace(/^v1:/, '')
const shortened = (version: string): string =>
  version.startsWith('v1:') ? bare(version).slice(0, 10) : version

function versionOf(o: Stored, what: 'release' | 'revision'): string {
  if (o.kind === 'Inventory') return (o as Stored<Inventory>).spec.admitted?.[what] ?? ''
  const { status } = o as Stored<Module>
  return (what === 'release' ? status?.release : status?.currentRevision) ?? ''
}

/** True of what the object asks for now, not of what it asked for before. */
function isReady(o: Stored): boolean {
  if (o.kind !== 'Inventory') return isReadyNow(o)
  const { metadata, spec, status } = o as Stored<Inventory>
  const isTrue = status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true
  return (
    isTrue && metadata.deletionTimestamp === undefined && spec.admitted?.serial === status?.admittedSerial
  )
}

/** In its own words; the first blocker where they are not about it already. */
function waitsFor(o: Stored): string | undefined {
  const { status } = o as Reported
  const ready = status?.conditions?.find((c) => c.type === 'Ready')
  const blocker = status?.blockers?.[0]
  if (ready?.status === 'True')
    return o.metadata.deletionTimestamp ? undefined : 'its last change is not published yet'
  const said = ready?.message ?? ''
  const because = blocker && !said.includes(blocker.message) ? `${blocker.reason}: ${blocker.message}` : ''
  const waits = [said, because].filter((x) => x !== '').join('; ')
  const advice = blocker && adviceOf(blocker)
  // Some messages end with it.
  const more = advice && !waits.includes(advice) ? `what to do: ${advice}` : ''
  return [waits, more].filter((x) => x !== '').join('; ') || undefined
}
