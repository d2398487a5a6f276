/** What a controller would refuse of a Git source before it asks a server. */
import type { GitSource } from '../../../packages/lockstep/src/api/kinds/module/sourcespec.ts'
import type { GitProblem } from '../../core/flux/import/import.ts'
import { rootOf } from '../../source/git/listing.ts'
import { refProblem } from '../../source/git/ref.ts'
import { parseGitUrl } from '../../source/git/url.ts'

export function gitProblem(git: GitSource): GitProblem | undefined {
  const url = parseGitUrl(git.url, false)
  if (!url.ok) return { field: 'url', problem: url.error }
  const ref = refProblem(git.ref)
  if (ref !== undefined) return { field: 'ref', problem: ref }
  const path = rootOf(git.path)
  return path.ok ? undefined : { field: 'path', problem: path.error }
}
