/** A Git source: its reference is a commit, its files below the path are manifests. */
import type { ModuleSpec } from '../api/kinds/module.ts'
import type { GitSource } from '../api/kinds/source.ts'
import { err, ok, type Result } from '../env/result.ts'
import { groupOfTree, ignored } from './clustergroup.ts'
import { fault, type SourceFailure } from './failure.ts'
import { renderFiles } from './files.ts'
import { rootOf } from './git/listing.ts'
import { refProblem, revisionText } from './git/ref.ts'
import { parseGitUrl } from './git/url.ts'
import { withoutIgnored } from './ignore.ts'
import type { Outside } from './outside.ts'
import { renderPlain } from './render.ts'
import type { Resolved } from './resolved.ts'

export function resolveGit(
  git: GitSource,
  ignore: string | undefined,
  render: ModuleSpec['render'],
  outside: Outside,
): Result<Resolved, SourceFailure> {
  const problem = gitProblem(git)
  if (problem !== undefined) return err(fault('InvalidSpec', `spec.source.git.${problem}`))
  const picked = outside.commit(git)
  if (!picked.ok) return picked
  const name = revisionText(picked.value)
  return ok({
    // Another name of the same commit is the same input.
    inputs: [{ path: 'source.git', digest: name.slice(name.lastIndexOf('@') + 1) }],
    sourceRevision: name,
    manifests(warn = ignored) {
      if (render?.kustomize) {
        const built = outside.kustomized(git, picked.value, { render: render.kustomize, ignore })
        return built.ok ? renderPlain([{ origin: 'kustomize', text: built.value }]) : built
      }
      const tree = outside.tree(git, picked.value)
      if (!tree.ok) return tree
      const group = render?.clusterGroup
      if (!group) return renderFiles(withoutIgnored(tree.value, ignore))
      const root = rootOf(git.path)
      return groupOfTree(group, { tree: tree.value, root: root.ok ? root.value : '' }, warn)
    },
  })
}

/** What can be said before anything is asked of a server. */
function gitProblem(git: GitSource): string | undefined {
  // Whether files are taken, whoever fetches decides.
  const url = parseGitUrl(git.url, true)
  if (!url.ok) return `url: ${url.error}`
  const ref = refProblem(git.ref)
  if (ref !== undefined) return `ref: ${ref}`
  const path = rootOf(git.path)
  return path.ok ? undefined : `path: ${path.error}`
}
