import { ok } from '@lockstep/kube/env'
import type { HelmSource } from '../../api/kinds/index.ts'
import type { FactsOf } from '../../api/reasons/index.ts'
import { parseSemverRange } from '../intake/semverrange.ts'
import { ociName, parseChartRepository } from './chartrepository.ts'
import { isExact } from './chartversion.ts'

/** The first invalid field of a chart, before a request is sent. */
export function helmProblem({
  repository,
  chart,
  version,
  digest,
}: HelmSource): FactsOf<'InvalidSpec'> | undefined {
  const at = (field: string, text: string) => ({ field: `spec.source.helm.${field}`, problem: text })
  // The fetcher decides whether a server on this machine is allowed.
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
