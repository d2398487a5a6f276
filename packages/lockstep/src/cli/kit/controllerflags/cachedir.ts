/** `--cache-dir` of the controller: where fetched sources are kept. */
import { resolve } from 'node:path'
import { ok, type Result } from '@lockstep/kube/env'
import { createCache } from '../../../sources/intake/index.ts'
import { type CliFailure, type CommandContext, type Flags, failed, type Option, textFlag } from '../index.ts'
import { sourceCache } from '../localfleet/index.ts'

export const cacheDirOption: Option = {
  flags: '--cache-dir <dir>',
  text: 'folder of fetched sources (default: lockstep/sources in XDG_CACHE_HOME)',
  completes: 'file',
}

/** An absolute path. A folder that the flag names is created, and must be writable; without the flag a source finds another one. */
export async function cacheDirOf(
  { env, host }: Pick<CommandContext, 'env' | 'host'>,
  flags: Flags,
): Promise<Result<string, CliFailure>> {
  const given = textFlag(flags, 'cacheDir')
  if (given === undefined) return ok(sourceCache(host))
  const refused = (problem: string) =>
    failed('E_USAGE', {
      problem: `--cache-dir ${given}: ${problem}`,
      suggestion: 'name a folder that can be written',
    })
  if (given === '') return refused('is empty')
  const dir = resolve(host.cwd, given)
  const created = await createCache(env.files, dir)
  return created.ok ? ok(dir) : refused(`cannot be written: ${created.error.message}`)
}
