/** `--max-removal` of the controller, and of a plan of what that will do. */

import type { Result } from '@lockstep/kube/env'
import { MAX_REMOVAL } from '../../../controllers/runtime/index.ts'
import { type CliFailure, type Flags, failed, type Option, textFlag } from '../index.ts'

export const maxRemovalOption: Option = {
  flags: '--max-removal <amount>',
  text: 'how many of its clusters a module may leave at once, from 5 on',
  default: MAX_REMOVAL,
}

export function maxRemovalOf(flags: Flags): Result<string, CliFailure> {
  const text = textFlag(flags, 'maxRemoval') ?? MAX_REMOVAL
  if (/^([0-9]{1,9}|[0-9]{1,2}%|100%)$/.test(text)) return { ok: true, value: text }
  return failed('E_USAGE', {
    problem: `--max-removal ${text} is no number of clusters`,
    suggestion: 'For example 50%, or 20.',
  })
}
