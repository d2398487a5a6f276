/** A Git source: its reference is a commit, its files below the path are manifests, or a chart. */

import { ok, type Result } from '@lockstep/kube/env'
import type { GitSource, ModuleSpec } from '../../api/kinds/index.ts'
import { clusterGroupManifests, ignoreWarning } from '../clustergroup/clustergroupmanifests.ts'
import { resolveChart } from '../helm/resolvechart.ts'
import { withoutIgnored } from '../intake/ignorefile.ts'
import { renderFiles } from '../intake/renderfiles.ts'
import { renderPlain } from '../intake/renderplain.ts'
import type { HubReader, ResolvedSource } from '../intake/resolvedsource.ts'
import type { SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceFetcher } from '../intake/sourcefetcher.ts'
import { revisionText } from './gitref.ts'
import { rootOf } from './lstree.ts'

export function resolveGitSource(
  git: GitSource,
  spec: Pick<ModuleSpec, 'source' | 'render'>,
  reading: HubReader,
  outside: SourceFetcher,
): Result<ResolvedSource, SourceFailure> {
  const { source, render } = spec
  const { ignore } = source
  const picked = outside.commit(git)
  if (!picked.ok) return picked
  const name = revisionText(picked.value)
  const root = rootOf(git.path)
  const directory = root.ok ? root.value : ''
  // Another name of the same commit is the same input.
  const inputs = [{ path: 'source.git', digest: name.slice(name.lastIndexOf('@') + 1) }]
  if (render?.helm) {
    const chart = () => ok({ git, picked: picked.value })
    return resolveChart(spec, { inputs, sourceRevision: name, chart, directory }, reading, outside)
  }
  return ok({
    inputs,
    sourceRevision: name,
    manifests(warn = ignoreWarning) {
      if (render?.kustomize) {
        const built = outside.kustomized(git, picked.value, { render: render.kustomize, ignore })
        if (!built.ok) return built
        for (const line of built.value.warnings) warn(line)
        return renderPlain([{ origin: 'kustomize', text: built.value.text }])
      }
      const tree = outside.tree(git, picked.value)
      if (!tree.ok) return tree
      const group = render?.clusterGroup
      if (!group) return renderFiles(withoutIgnored(tree.value, ignore))
      return clusterGroupManifests(
        group,
        { tree: tree.value, root: directory, git, picked: picked.value },
        warn,
      )
    },
  })
}
