/** `--git-author` of the controller: whose commits those of promotions are. */
import { GIT_AUTHOR } from '../../controllers/runtime/options.ts'
import type { Result } from '../../../../kube/src/env/result.ts'
import { isPerson } from '../../gitproviders/git/commit.ts'
import { type Flags, type Option, textFlag } from './command.ts'
import { type CliFailure, failed } from './clifailure.ts'

export const gitAuthorOption: Option = {
  flags: '--git-author <person>',
  text: 'Name <address>: author and committer of what promotions commit',
  default: GIT_AUTHOR,
}

export function gitAuthorOf(flags: Flags): Result<string, CliFailure> {
  const text = (textFlag(flags, 'gitAuthor') ?? GIT_AUTHOR).trim()
  if (isPerson(text)) return { ok: true, value: text }
  return failed('E_USAGE', {
    problem: `--git-author ${text} is no person`,
    suggestion: "For example 'Release Bot <releases@example.com>'.",
  })
}
