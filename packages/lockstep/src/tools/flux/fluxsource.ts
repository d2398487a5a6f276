/** Where content comes from, and whether it can change while its object does not. */
import { at, isObject, type JsonObject } from '@lockstep/kube/object'
import { type FluxManifest, textAt } from './fluxmanifest.ts'

const GROUP = 'source.toolkit.fluxcd.io'
const KINDS = [
  'GitRepository',
  'OCIRepository',
  'Bucket',
  'HelmRepository',
  'HelmChart',
  'ExternalArtifact',
] as const

export type FluxSourceType = (typeof KINDS)[number]

export interface FluxSource {
  readonly kind: FluxSourceType
  readonly namespace: string
  readonly name: string
  readonly manifest: FluxManifest
  readonly spec: JsonObject
}

/** The source that a manifest is; `namespace`: where it lives if it does not say so. */
export function sourceObjectOf(m: FluxManifest, namespace: string): FluxSource | undefined {
  const kind = KINDS.find((k) => k === m.kind)
  if (m.group !== GROUP || kind === undefined || m.name === '') return undefined
  const spec = at(m.value, 'spec')
  return {
    kind,
    namespace: m.namespace || namespace,
    name: m.name,
    manifest: m,
    spec: isObject(spec) ? spec : {},
  }
}

/**
 * What lets a source's content change under an equal spec: `branch main`, `tag v1`, `semver >=1`; undefined where a
 * commit or digest is named, and where the source itself has no content. Flux reads of a GitRepository's fields the commit first, then
 * name, semver, tag, branch; of an OCIRepository's digest, semver, tag.
 */
export function movingRef(s: FluxSource): string | undefined {
  const ref = (field: string): string | undefined => textAt(s.spec, 'ref', field)
  const named = (...fields: readonly string[]): string | undefined => {
    const field = fields.find((f) => ref(f) !== undefined)
    return field && `${field} ${ref(field)}`
  }
  switch (s.kind) {
    case 'GitRepository':
      if (ref('commit') !== undefined) return undefined
      return named('name', 'semver', 'tag', 'branch') ?? 'branch master'
    case 'OCIRepository':
      if (ref('digest') !== undefined) return undefined
      return named('semver', 'tag') ?? 'tag latest'
    case 'Bucket':
      return 'whatever is in the bucket'
    case 'HelmChart':
      return movingChart(textAt(s.spec, 'version'), textAt(s.spec, 'reconcileStrategy'))
    default:
      return undefined
  }
}

const EXACT = /^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

/** The same of a chart's version; a tag of a registry can be pushed again, but an index names one file a version. */
export function movingChart(version: string | undefined, strategy: string | undefined): string | undefined {
  if (strategy === 'Revision') return 'reconcileStrategy Revision'
  if (version === undefined) return 'version *'
  return EXACT.test(version) ? undefined : `version ${version}`
}
