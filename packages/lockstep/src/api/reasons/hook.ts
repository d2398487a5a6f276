/** Reasons of hooks. */

import { itemText, kubectlArguments } from './nameof.ts'
import { type MessageInput, number, oneOf, reason, text } from './reason.ts'
import { oneOrMore, type WaitRefOf } from './waitref.ts'

const migrate: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'migrate',
  namespace: 'web',
  cluster: 'cluster-1',
  object: { apiVersion: 'batch/v1', kind: 'Job' },
}

/** Causes of a failed run. */
export const hookFailureCauses = ['Failed', 'Deleted', 'DeletedUnread', 'Superseded'] as const

interface HookRun {
  readonly phase: string
  readonly attempt?: number | undefined
  readonly attempts?: number | undefined
}

/** `hook Job web/migrate (PreSync, attempt 1 of 2)` */
function runText(f: MessageInput<HookRun>): string {
  const attempt = f.attempt === undefined ? '' : `, attempt ${f.attempt} of ${f.attempts}`
  return `hook ${itemText(f)} (${f.phase}${attempt})`
}

function causeText(
  cause: (typeof hookFailureCauses)[number] | 'TimedOut' | undefined,
  detail: string | undefined,
): string {
  switch (cause) {
    case 'Deleted':
      return 'was deleted before it ended'
    case 'DeletedUnread':
      return 'was deleted before its result was read'
    case 'Superseded':
      return 'was superseded before it started'
    case 'TimedOut':
      return 'did not end in time'
    default:
      return `failed: ${detail ?? 'no message'}`
  }
}

export const hookReasons = {
  WaitingForHook: reason({
    actor: 'none',
    on: oneOrMore('Object'),
    facts: {
      state: oneOf('Running', 'Starting', 'PreviousRun', 'OtherPhase', 'Retry'),
      phase: text,
      attempt: number.optional(),
      attempts: number.optional(),
      /** Content that the run belongs to, where it is not the current one. */
      content: oneOf('Previous').optional(),
      otherPhase: text.optional(),
      cause: oneOf(...hookFailureCauses, 'TimedOut').optional(),
      detail: text.optional(),
      seconds: number.optional(),
    },
    message: (f) => {
      const previous = f.content === undefined ? '' : ' for the previous content; it ends first'
      switch (f.state) {
        case 'Running':
          return `${runText(f)} is running${previous}`
        case 'Starting':
          return `${runText(f)} is starting${previous}`
        case 'PreviousRun':
          return `${runText(f)} starts when its previous run is deleted${previous}`
        case 'OtherPhase':
          return `${runText(f)} starts when its run in phase ${f.otherPhase} has ended`
        case 'Retry':
          return `${runText(f)} ${causeText(f.cause, f.detail)}; attempt ${(f.attempt ?? 0) + 1} starts in ${f.seconds}s`
      }
    },
    meaning: 'A hook is running, or starts soon.',
    advice: () => 'no action needed: continues when the hook has ended',
    examples: [
      { on: [migrate], state: 'Running', phase: 'PreSync', attempt: 1, attempts: 1 },
      {
        on: [migrate],
        state: 'Retry',
        phase: 'PreSync',
        attempt: 1,
        attempts: 3,
        cause: 'Failed',
        detail: 'BackoffLimitExceeded',
        seconds: 10,
      },
    ],
  }),
  HookFailed: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: {
      phase: text,
      attempt: number,
      attempts: number,
      cause: oneOf(...hookFailureCauses).optional(),
      detail: text.optional(),
    },
    message: (f) => `${runText(f)} ${causeText(f.cause, f.detail)}`,
    meaning: 'All attempts of a hook failed.',
    advice: (f) =>
      `read its log: kubectl logs ${kubectlArguments(f).replace(' ', '/')}; then correct the hook`,
    examples: [
      {
        on: [migrate],
        phase: 'PreSync',
        attempt: 1,
        attempts: 1,
        cause: 'Failed',
        detail: 'BackoffLimitExceeded',
      },
    ],
  }),
  HookTimeout: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { phase: text, attempt: number, attempts: number, seconds: number },
    message: (f) =>
      `${runText(f)} did not end within ${f.seconds}s and was deleted; increase lockstep.dev/hook-timeout`,
    meaning: 'A hook did not end within its timeout.',
    advice: () => 'correct the hook, or increase its timeout with lockstep.dev/hook-timeout',
    examples: [{ on: [migrate], phase: 'PreSync', attempt: 1, attempts: 1, seconds: 300 }],
  }),
} as const
