/** Forges over the network: repositories by git, each in a directory of its own. */
import { type Env, err } from '@lockstep/kube/env'
import { openSubprocessRepository } from './git/subprocessrepository.ts'
import type { GitAccessOpener } from './gitaccess.ts'
import { GitAccessPool } from './gitaccesspool.ts'

export function openAccess(env: Env): GitAccessOpener {
  return new GitAccessPool(env, async (e, access) => {
    const dir = await e.files.tempDir('lockstep-promotions-')
    if (!dir.ok) return err(dir.error.message)
    const opened = await openSubprocessRepository({ env: e, ...access, dir: dir.value })
    if (!opened.ok) await e.files.removeTree(dir.value)
    return opened
  })
}
