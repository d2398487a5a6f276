/** The end of a Hold that a command creates. */

import { ok, type Result } from '@lockstep/kube/env'
import { timestamp } from '@lockstep/kube/object'
import { type CliFailure, type CommandContext, durationFlag, type Flags, textFlag } from '../index.ts'

/** `spec.until` by `--until DURATION`; empty without the flag. */
export function holdEnd(c: CommandContext, flags: Flags): Result<{ readonly until?: string }, CliFailure> {
  const until = textFlag(flags, 'until')
  if (until === undefined) return ok({})
  const lasts = durationFlag('until', until)
  return lasts.ok ? ok({ until: timestamp(c.env.clock.now() + lasts.value) }) : lasts
}
