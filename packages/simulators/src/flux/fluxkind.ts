/** The specs of Flux's kinds as far as the simulation reads them. Definitions check them, so they are what they say. */
import { type JsonValue, type KubeObject, parseDuration } from '@lockstep/kube/object'

export type SimulatedSourceKind =
  | 'GitRepository'
  | 'OCIRepository'
  | 'Bucket'
  | 'HelmRepository'
  | 'HelmChart'
export type SimulatedUnitKind = 'Kustomization' | 'HelmRelease'
export type FluxKind = SimulatedSourceKind | SimulatedUnitKind

export const SOURCE_KINDS: readonly SimulatedSourceKind[] = [
  'GitRepository',
  'OCIRepository',
  'Bucket',
  'HelmRepository',
  'HelmChart',
]

export const RESOURCES: Readonly<Record<FluxKind, string>> = {
  GitRepository: 'gitrepositories.source.toolkit.fluxcd.io',
  OCIRepository: 'ocirepositories.source.toolkit.fluxcd.io',
  Bucket: 'buckets.source.toolkit.fluxcd.io',
  HelmRepository: 'helmrepositories.source.toolkit.fluxcd.io',
  HelmChart: 'helmcharts.source.toolkit.fluxcd.io',
  Kustomization: 'kustomizations.kustomize.toolkit.fluxcd.io',
  HelmRelease: 'helmreleases.helm.toolkit.fluxcd.io',
}

export interface FluxReference {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface Dependency {
  readonly name: string
  readonly namespace?: string
  readonly readyExpr?: string
}

export interface HealthCheck {
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface HealthCheckExpr {
  readonly apiVersion: string
  readonly kind?: string
  readonly current: string
  readonly inProgress?: string
  readonly failed?: string
}

/** What a ConfigMap or Secret gives: variables of a Kustomization, values of a HelmRelease. */
export interface InputReference {
  readonly kind: 'ConfigMap' | 'Secret'
  readonly name: string
  readonly optional?: boolean
}

export interface ValuesReference extends InputReference {
  readonly valuesKey?: string
  readonly targetPath?: string
}

interface UnitSpec {
  readonly interval: string
  readonly timeout?: string
  readonly suspend?: boolean
  readonly dependsOn?: readonly Dependency[]
  readonly healthCheckExprs?: readonly HealthCheckExpr[]
}

export interface KustomizationSpec extends UnitSpec {
  readonly sourceRef: FluxReference
  readonly path?: string
  readonly prune: boolean
  readonly wait?: boolean
  readonly force?: boolean
  readonly retryInterval?: string
  readonly healthChecks?: readonly HealthCheck[]
  readonly deletionPolicy?: 'MirrorPrune' | 'Delete' | 'WaitForTermination' | 'Orphan'
  readonly namePrefix?: string
  readonly nameSuffix?: string
  readonly commonMetadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly postBuild?: {
    readonly substitute?: Readonly<Record<string, string>>
    readonly substituteFrom?: readonly InputReference[]
    readonly substituteStrategy?: 'WithVariables' | 'Always'
  }
}

export interface HelmReleaseSpec extends UnitSpec {
  readonly chart?: {
    readonly spec: {
      readonly chart: string
      readonly version?: string
      readonly sourceRef: FluxReference
      readonly interval?: string
      readonly reconcileStrategy?: 'ChartVersion' | 'Revision'
    }
  }
  readonly chartRef?: FluxReference
  readonly releaseName?: string
  readonly targetNamespace?: string
  readonly storageNamespace?: string
  readonly values?: JsonValue
  readonly valuesFrom?: readonly ValuesReference[]
  readonly install?: { readonly disableWait?: boolean }
  readonly upgrade?: { readonly disableWait?: boolean }
}

export interface Artifact {
  readonly digest: string
  readonly revision: string
  readonly url: string
  readonly path: string
  readonly lastUpdateTime: string
}

export const kustomizationSpec = (o: KubeObject): KustomizationSpec => o.spec as KustomizationSpec
export const helmReleaseSpec = (o: KubeObject): HelmReleaseSpec => o.spec as HelmReleaseSpec

export const artifactOf = (source: KubeObject): Artifact | undefined =>
  (source.status as { readonly artifact?: Artifact } | undefined)?.artifact

/** `namespace/name`. */
export const keyOf = (o: KubeObject): string => `${o.metadata.namespace ?? ''}/${o.metadata.name ?? ''}`

export const keyIn = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`

/** The value that asks for a run: another one asks for another run. */
export const requestedAt = (o: KubeObject): string | undefined =>
  o.metadata.annotations?.['reconcile.fluxcd.io/requestedAt']

/** Milliseconds of a duration of a spec. */
export const durationMs = (text: string): number => parseDuration(text) ?? 0

/** A Kustomization's: its own, else what is left of the interval, at least half a minute. */
export const timeoutOf = (spec: KustomizationSpec): number =>
  Math.max(30_000, spec.timeout === undefined ? durationMs(spec.interval) - 30_000 : durationMs(spec.timeout))

export const retryOf = (spec: KustomizationSpec): number => durationMs(spec.retryInterval ?? spec.interval)

/** A duration as Go prints it: `30s`, `9m30s`, `5.01s`, `20ms`. */
export function goDuration(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < 1000) return `${ms}ms`
  const seconds = (ms % 60_000) / 1000
  const minutes = Math.floor(ms / 60_000)
  if (minutes === 0) return `${seconds}s`
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes}m${seconds}s` : `${hours}h${minutes % 60}m${seconds}s`
}
