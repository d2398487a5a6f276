import type { GitSource } from '../../api/kinds/index.ts'
import { refProblem } from './gitref.ts'
import { parseGitUrl } from './giturl.ts'
import { rootOf } from './lstree.ts'

/** What can be said of a Git source before anything is asked of a server; it begins with the field. */
export function gitSourceProblem(git: GitSource): string | undefined {
  // Whether files are taken, whoever fetches decides.
  const url = parseGitUrl(git.url, true)
  if (!url.ok) return `url: ${url.error}`
  const ref = refProblem(git.ref)
  if (ref !== undefined) return `ref: ${ref}`
  const path = rootOf(git.path)
  return path.ok ? undefined : `path: ${path.error}`
}
