/** A chart of a Helm repository or a registry: its version is one archive, whose files Helm is run on. */

import { ok, type Result } from '@lockstep/kube/env'
import type { HelmSource, ModuleSpec } from '../../api/kinds/index.ts'
import { resolveChart } from '../helm/resolvechart.ts'
import type { HubReader, ResolvedSource } from '../intake/resolvedsource.ts'
import type { SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceFetcher } from '../intake/sourcefetcher.ts'
import { chartRevision } from './resolvedchart.ts'

export function resolveHelmSource(
  helm: HelmSource,
  spec: Pick<ModuleSpec, 'source' | 'render'>,
  reading: HubReader,
  outside: SourceFetcher,
): Result<ResolvedSource, SourceFailure> {
  const found = outside.chart(helm)
  if (!found.ok) return found
  const picked = found.value
  return resolveChart(
    spec,
    {
      inputs: [{ path: 'source.helm', digest: picked.digest }],
      sourceRevision: chartRevision(picked),
      directory: '',
      chart() {
        const tree = outside.chartTree(helm, picked)
        return tree.ok ? ok({ helm, picked, tree: tree.value }) : tree
      },
    },
    reading,
    outside,
  )
}
