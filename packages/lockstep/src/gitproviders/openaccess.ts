/** Forges over the network: repositories by git, each in a directory of its own. */
import type { Env } from '../../../kube/src/env/env.ts'
import { err } from '../../../kube/src/env/result.ts'
import type { Forges } from './gitaccess.ts'
import { OpenForges } from './gitaccesspool.ts'
import { openRepository } from './git/subprocessrepository.ts'

export function openForges(env: Env): Forges {
  return new OpenForges(env, async (e, access) => {
    const dir = await e.files.tempDir('lockstep-promotions-')
    if (!dir.ok) return err(dir.error.message)
    const opened = await openRepository({ env: e, ...access, dir: dir.value })
    if (!opened.ok) await e.files.removeTree(dir.value)
    return opened
  })
}
