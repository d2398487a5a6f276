import type { GitSource } from '../../api/kinds/index.ts'
import type { FactsOf } from '../../api/reasons/index.ts'
import { refProblem } from './gitref.ts'
import { parseGitUrl } from './giturl.ts'
import { rootOf } from './lstree.ts'

/** The first invalid field of a Git source, before a request is sent; fields are relative to it. */
export function gitSourceProblem(git: GitSource): FactsOf<'InvalidSpec'> | undefined {
  // Whether files are taken, whoever fetches decides.
  const url = parseGitUrl(git.url, true)
  if (!url.ok) return { field: 'url', problem: url.error }
  const ref = refProblem(git.ref)
  if (ref !== undefined) return { field: 'ref', problem: ref }
  const path = rootOf(git.path)
  return path.ok ? undefined : { field: 'path', problem: path.error }
}
