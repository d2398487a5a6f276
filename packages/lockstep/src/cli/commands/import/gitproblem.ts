/** What a controller would refuse of a Git source before it asks a server. */
import type { GitSource } from '../../../api/kinds/index.ts'
import { parseGitUrl, refProblem, rootOf } from '../../../sources/git/index.ts'
import type { GitProblem } from '../../../tools/fluximport/index.ts'

export function gitProblem(git: GitSource): GitProblem | undefined {
  const url = parseGitUrl(git.url, false)
  if (!url.ok) return { field: 'url', problem: url.error }
  const ref = refProblem(git.ref)
  if (ref !== undefined) return { field: 'ref', problem: ref }
  const path = rootOf(git.path)
  return path.ok ? undefined : { field: 'path', problem: path.error }
}
