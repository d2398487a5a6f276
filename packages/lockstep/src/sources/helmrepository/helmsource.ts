/** A chart of a Helm repository or a registry: its version is one archive, whose files Helm is run on. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { HelmSource, ModuleSpec } from '../../api/kinds/index.ts'
import type { FactsOf } from '../../api/reasons/index.ts'
import { resolveChart } from '../helm/resolvechart.ts'
import type { HubReader, ResolvedSource } from '../intake/resolvedsource.ts'
import { parseSemverRange } from '../intake/semverrange.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceFetcher } from '../intake/sourcefetcher.ts'
import { ociName, parseChartRepository } from './chartrepository.ts'
import { isExact } from './chartversion.ts'
import { chartRevision } from './resolvedchart.ts'

export function resolveHelmSource(
  helm: HelmSource,
  spec: Pick<ModuleSpec, 'source' | 'render'>,
  reading: HubReader,
  outside: SourceFetcher,
): Result<ResolvedSource, SourceFailure> {
  const problem = helmProblem(helm)
  if (problem) return err(fault('InvalidSpec', problem))
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

/** The first invalid field, before a request is sent. */
function helmProblem({ repository, chart, version, digest }: HelmSource): FactsOf<'InvalidSpec'> | undefined {
  const at = (field: string, text: string) => ({ field: `spec.source.helm.${field}`, problem: text })
  // Whether what is on this machine is taken, whoever fetches decides.
  const url = parseChartRepository(repository, { local: true, tls: false })
  if (!url.ok) return at('repository', url.error)
  const name = url.value.kind === 'oci' ? ociName(url.value, chart) : ok(chart)
  if (!name.ok) return at('chart', name.error)
  if (!parseSemverRange(version))
    return at('version', `"${version}" is not a version or range; write 1.2.3, ^1.2, ~1.2.3, >=1.2 <2 or 1.x`)
  return digest === undefined || isExact(version)
    ? undefined
    : at('digest', `pins one version, and "${version}" is a range; remove it, or write the version`)
}
