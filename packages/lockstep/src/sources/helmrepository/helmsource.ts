/** A chart of a Helm repository or a registry: its version is one archive, whose files Helm is run on. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { HelmSource, ModuleSpec } from '../../api/kinds/index.ts'
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
  if (problem !== undefined) return err(fault('InvalidSpec', `spec.source.helm.${problem}`))
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

/** What can be said before anything is asked of a server; it begins with the field. */
function helmProblem({ repository, chart, version, digest }: HelmSource): string | undefined {
  // Whether what is on this machine is taken, whoever fetches decides.
  const url = parseChartRepository(repository, { local: true, tls: false })
  if (!url.ok) return `repository: ${url.error}`
  const name = url.value.kind === 'oci' ? ociName(url.value, chart) : ok(chart)
  if (!name.ok) return `chart: ${name.error}`
  if (!parseSemverRange(version))
    return `version: "${version}" is neither a version nor a range; write 1.2.3, ^1.2, ~1.2.3, >=1.2 <2 or 1.x`
  return digest === undefined || isExact(version)
    ? undefined
    : `digest: pins one version, and "${version}" is a range; leave it out, or write the version`
}
