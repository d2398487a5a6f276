/** `--max-removal` of the controller, and of a plan of what that will do. */

import type { Result } from '@lockstep/kube/env'
import { MAX_REMOVAL } from '../../../controllers/runtime/index.ts'
import { type CliFailure, type Flags, failed, type Option, textFlag } from '../index.ts'

export const maxRemovalOption: Option = {
  flags: '--max-removal <amount>',
  text: 'largest share of clusters to remove a Module from at once, from 5 clusters on',
  default: MAX_REMOVAL,
}

export function maxRemovalOf(flags: Flags): Result<string, CliFailure> {
  const text = textFlag(flags, 'maxRemoval') ?? MAX_REMOVAL
  if (/^([0-9]{1,9}|[0-9]{1,2}%|100%)$/.test(text)) return { ok: true, value: text }
  return failed('E_USAGE', {
    problem: `--max-removal ${text}: must be a number of clusters or a percentage`,
    suggestion: 'for example: 50%, or 20',
  })
}
