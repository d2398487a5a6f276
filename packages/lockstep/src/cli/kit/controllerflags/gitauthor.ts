/** `--git-author` of the controller: whose commits those of promotions are. */

import type { Result } from '@lockstep/kube/env'
import { GIT_AUTHOR } from '../../../controllers/runtime/index.ts'
import { isPerson } from '../../../gitproviders/git/index.ts'
import { type CliFailure, type Flags, failed, type Option, textFlag } from '../index.ts'

export const gitAuthorOption: Option = {
  flags: '--git-author <person>',
  text: 'author and committer of promotions, as Name <address>',
  default: GIT_AUTHOR,
}

export function gitAuthorOf(flags: Flags): Result<string, CliFailure> {
  const text = (textFlag(flags, 'gitAuthor') ?? GIT_AUTHOR).trim()
  if (isPerson(text)) return { ok: true, value: text }
  return failed('E_USAGE', {
    problem: `--git-author ${text}: must be Name <address>`,
    suggestion: "for example: 'Release Bot <releases@example.com>'",
  })
}
