/** How a wait ends: for people, for programs, as an exit code. */
import { z } from 'zod'
import type { OwnKind } from '../../../api/kinds/index.ts'
import { type HubConnection, notFound } from '../hub/index.ts'
import {
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
  nameOf,
  requestFailure,
} from '../index.ts'
import { defineReport, printData } from '../output/index.ts'
import type { WaitEnd } from './untilmet.ts'
import { goalText, missedText, type WaitGoal } from './waitgoal.ts'

export const waitReport = defineReport('Wait', {
  namespace: z.string(),
  target: z.string().describe('KIND.GROUP/NAME'),
  for: z.string().describe('State that was reached, as given to --for.'),
})

export interface WaitOutcome {
  readonly kind: OwnKind
  readonly name: string
  readonly goal: WaitGoal
  /** The timeout, as it was given. */
  readonly given: string
  readonly ended: WaitEnd
}

/** The exit code, and what is said of it. */
export async function waitResult(
  c: CommandContext,
  hub: HubConnection,
  w: WaitOutcome,
): Promise<CommandResult> {
  const { ended, goal, kind, name } = w
  const ref = nameOf(kind, name)
  switch (ended.how) {
    case 'met':
      return met(c, hub, w)
    case 'absent':
      return goal.type === 'delete' ? met(c, hub, w) : notFound(c, hub, kind, name)
    case 'gone':
      return goal.type === 'delete'
        ? met(c, hub, w)
        : failed('E_REFUSED', { ref, problem: 'the object was deleted', suggestion: 'no action needed' })
    case 'failed':
      return failed('E_REFUSED', { ref, problem: ended.text, suggestion: adviceFor(kind, name) })
    case 'late':
      return failed('E_TIMEOUT', {
        problem: `${ref} ${missedText(goal)} after ${w.given}: ${ended.lacks}`,
        suggestion: adviceFor(kind, name),
      })
    case 'refused':
      return requestFailure(ended.error, hub.server)
    case 'interrupted':
      return { ok: true, value: INTERRUPTED }
  }
}

function met(c: CommandContext, hub: HubConnection, { kind, name, goal }: WaitOutcome): CommandResult {
  const asked = 'value' in goal ? `${goal.type}=${goal.value}` : goal.type
  const facts = waitReport.fill({ namespace: hub.namespace, target: nameOf(kind, name), for: asked })
  if (!printData(c, facts, [nameOf(kind, name)])) c.terminal.print(`${nameOf(kind, name)} ${goalText(goal)}`)
  return { ok: true, value: 0 }
}

function adviceFor(kind: OwnKind, name: string): string {
  const isModule = kind.kind === 'Module' || kind.kind === 'BootstrapModule'
  return isModule
    ? `for the root cause, use lockstep why ${name}`
    : `for details, use lockstep get ${kind.singular} ${name} -o yaml`
}
