/** `--max-source-timeout` of the controller. */

import type { Result } from '@lockstep/kube/env'
import { type CliFailure, durationFlag, type Flags, failed, type Option, textFlag } from '../index.ts'

const DEFAULT = '2m'
const [LEAST_MS, MOST_MS] = [10_000, 600_000]

export const maxSourceTimeoutOption: Option = {
  flags: '--max-source-timeout <duration>',
  text: 'limit of spec.source.timeout; 8 sources are fetched at once',
  default: DEFAULT,
}

/** In milliseconds. */
export function maxSourceTimeoutOf(flags: Flags): Result<number, CliFailure> {
  const text = textFlag(flags, 'maxSourceTimeout') ?? DEFAULT
  const given = durationFlag('max-source-timeout', text)
  if (!given.ok || (given.value >= LEAST_MS && given.value <= MOST_MS)) return given
  return failed('E_USAGE', {
    problem: `--max-source-timeout ${text}: must be from 10s to 10m`,
    suggestion: `for example: --max-source-timeout ${DEFAULT}`,
  })
}
