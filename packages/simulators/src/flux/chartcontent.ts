/** What a HelmChart holds: a chart of a repository's index, or of a folder of a Git repository. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, type KubeObject } from '@lockstep/kube/object'
import type { ChartArtifact, Revision } from './artifacts.ts'
import type { FluxController } from './fluxcontext.ts'
import { artifactOf, type SimulatedSourceKind } from './fluxkind.ts'

export function chartContent(c: FluxController, o: KubeObject): Result<Revision, string> {
  const kind = at(o, 'spec', 'sourceRef', 'kind') as SimulatedSourceKind
  const name = String(at(o, 'spec', 'sourceRef', 'name'))
  const wanted = String(at(o, 'spec', 'chart'))
  const version = String(at(o, 'spec', 'version') ?? '*')
  const source = c.caches[kind]?.get(o.metadata.namespace, name)
  const artifact = source && artifactOf(source)
  const charts = artifact && c.x.artifacts.fetch(artifact.digest)?.charts
  if (!artifact || !charts) return err(`no artifact available for ${kind} source '${name}'`)
  if (kind === 'HelmRepository') {
    const found = charts.filter((x) => x.name === wanted && (version === '*' || x.version === version)).at(-1)
    if (!found) return err(`chart pull error: no '${wanted}' chart with version matching '${version}' found`)
    return ok({ revision: found.version, content: { charts: [found] } })
  }
  const path = wanted.replace(/^\.?\/+/, '')
  const found = charts.find((x) => (x.path ?? x.name) === path)
  if (!found) return err(`chart pull error: path '${wanted}' does not exist`)
  const [, hex = ''] = artifact.revision.split(/@?sha\d+:/)
  const isByRevision = at(o, 'spec', 'reconcileStrategy') === 'Revision'
  const chart = isByRevision ? { ...found, version: `${found.version}+${hex.slice(0, 12)}` } : found
  return ok(kept(c, o, chart))
}

/** By default a chart of a folder is packaged anew only when its version or the HelmChart changes. */
function kept(c: FluxController, o: KubeObject, chart: ChartArtifact): Revision {
  const old = artifactOf(o)
  const content = old && c.x.artifacts.fetch(old.digest)
  const isObserved = at(o, 'status', 'observedGeneration') === o.metadata.generation
  const isSame = content?.charts?.[0]?.name === chart.name && old?.revision === chart.version
  return { revision: chart.version, content: isObserved && isSame ? content : { charts: [chart] } }
}
