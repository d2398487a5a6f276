// Files that differ from a commit, for `npm run test:changed`.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.js'

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** Changed and new files that exist and that lint reads. */
export function changedFiles(since = 'HEAD') {
  const files = new Set([
    ...git('diff', '--name-only', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ])
  return [...files].filter((f) => /\.(ts|js|json)$/.test(f) && existsSync(join(root, f)))
}
