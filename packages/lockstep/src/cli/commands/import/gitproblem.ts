/** What a controller would refuse of a Git source before it asks a server. */
import type { GitSource } from '../../../api/kinds/module/sourcespec.ts'
import type { GitProblem } from '../../../tools/fluximport/importflux.ts'
import { rootOf } from '../../../sources/git/lstree.ts'
import { refProblem } from '../../../sources/git/gitref.ts'
import { parseGitUrl } from '../../../sources/git/giturl.ts'

export function gitProblem(git: GitSource): GitProblem | undefined {
  const url = parseGitUrl(git.url, false)
  if (!url.ok) return { field: 'url', problem: url.error }
  const ref = refProblem(git.ref)
  if (ref !== undefined) return { field: 'ref', problem: ref }
  const path = rootOf(git.path)
  return path.ok ? undefined : { field: 'path', problem: path.error }
}
