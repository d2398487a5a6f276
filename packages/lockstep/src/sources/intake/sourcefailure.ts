import type { BlockerReason } from '../../api/reasons/index.ts'

/** Why there is no bundle. Nothing was changed: what was published before stays. */
export interface SourceFailure {
  readonly reason: BlockerReason
  readonly message: string
  /** Ends by itself or with an event (true), or only by a change of the module (false). */
  readonly transient: boolean
  /** Somebody asks not to be asked before, in milliseconds. */
  readonly retryAfterMs?: number
}

export const fault = (reason: BlockerReason, message: string, transient = false): SourceFailure => ({
  reason,
  message,
  transient,
})
