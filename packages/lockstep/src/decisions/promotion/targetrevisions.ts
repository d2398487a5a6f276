/** What revision an object is at, and whether it is ready at it: by its kind. */
import { isArray, isObject, type JsonValue, type KubeObject, parseApiVersion } from '@lockstep/kube/object'

/** Undefined: it does not say, or not yet. */
type ReadRevision = (status: Readonly<Record<string, JsonValue | undefined>>) => string | undefined

const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/**
 * `status.history` of `v2` begins with the newest (Flux helm-controller `api/v2`, `Snapshots`); `deployed` is the one that is
 * there.
 */
const deployedChart: ReadRevision = ({ history }) => {
  if (!isArray(history)) return undefined
  const found = history.find((h) => isObject(h) && h.status === 'deployed')
  return isObject(found) ? text(found.chartVersion) : undefined
}

export interface TargetRevisionSource {
  readonly group: string
  readonly kind: string
  readonly versions?: readonly string[]
  readonly revision: ReadRevision
  readonly release?: ReadRevision
  /** Set: readiness is not a condition `Ready`. What is missing, for people; undefined: it is ready. */
  readonly unready?: (status: Readonly<Record<string, JsonValue | undefined>>) => string | undefined
}

/** `status.sync.status` and `status.health.status` (Argo CD `Application`). */
function argoUnready({ sync, health }: Readonly<Record<string, JsonValue | undefined>>): string | undefined {
  const synced = isObject(sync) ? text(sync.status) : undefined
  const healthy = isObject(health) ? text(health.status) : undefined
  if (synced !== 'Synced') return `sync is ${synced ?? 'unknown'}`
  return healthy === 'Healthy' ? undefined : `health is ${healthy ?? 'unknown'}`
}

const module: Omit<TargetRevisionSource, 'kind'> = {
  group: 'lockstep.dev',
  revision: ({ sourceRevision }) => text(sourceRevision),
  release: ({ release }) => text(release),
}

const RULES: readonly TargetRevisionSource[] = [
  {
    group: 'kustomize.toolkit.fluxcd.io',
    kind: 'Kustomization',
    revision: ({ lastAppliedOriginRevision, lastAppliedRevision }) =>
      text(lastAppliedOriginRevision) ?? text(lastAppliedRevision),
  },
  {
    group: 'helm.toolkit.fluxcd.io',
    kind: 'HelmRelease',
    versions: ['v2beta1', 'v2beta2'],
    revision: ({ lastAppliedRevision }) => text(lastAppliedRevision),
  },
  { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease', revision: deployedChart },
  { ...module, kind: 'Module' },
  { ...module, kind: 'BootstrapModule' },
  {
    group: 'argoproj.io',
    kind: 'Application',
    revision: ({ sync }) => (isObject(sync) ? text(sync.revision) : undefined),
    unready: argoUnready,
  },
]

/** Undefined: nobody knows where objects of this kind have their revision. */
export function targetRevisionSource(apiVersion: string, kind: string): TargetRevisionSource | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  return RULES.find((r) => r.group === group && r.kind === kind && (r.versions?.includes(version) ?? true))
}

/** Lacks of an object: facts of reason TargetNotReady. */
export interface TargetLack {
  readonly because:
    | 'Terminating'
    | 'NotObserved'
    | 'OldGeneration'
    | 'OldCondition'
    | 'NoCondition'
    | 'NotReady'
  /** Reason and message of the condition of the object. */
  readonly detail?: string
  readonly observed?: number
  readonly generation?: number
}

/** Undefined: the object is ready. `unready` of its rule replaces the condition. */
export function unreadyObject(
  object: KubeObject,
  rule: TargetRevisionSource | undefined,
): TargetLack | undefined {
  const { metadata } = object
  if (metadata.deletionTimestamp !== undefined) return { because: 'Terminating' }
  const status = isObject(object.status) ? object.status : {}
  if (rule?.unready) {
    const detail = rule.unready(status)
    return detail === undefined ? undefined : { because: 'NotReady', detail }
  }
  const { observedGeneration } = status
  // Controllers of known kinds report it; an object without it was not reconciled.
  if (observedGeneration === undefined && rule) return { because: 'NotObserved' }
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation)
    return { because: 'OldGeneration', ...generations(observedGeneration, metadata.generation) }
  return unreadyCondition(status, metadata.generation)
}

const generations = (observed: JsonValue, generation: number | undefined) => ({
  observed: Number(observed),
  generation: generation ?? 0,
})

function unreadyCondition(
  { conditions }: Readonly<Record<string, JsonValue | undefined>>,
  generation: number | undefined,
): TargetLack | undefined {
  const found = isArray(conditions) ? conditions.find((c) => isObject(c) && c.type === 'Ready') : undefined
  if (!isObject(found)) return { because: 'NoCondition' }
  const { observedGeneration: observed } = found
  if (observed !== undefined && observed !== generation)
    return { because: 'OldCondition', ...generations(observed, generation) }
  if (found.status === 'True') return undefined
  const why = [text(found.reason), text(found.message)].filter((t) => t !== undefined).join(': ')
  return { because: 'NotReady', detail: why === '' ? `Ready is ${text(found.status) ?? 'unknown'}` : why }
}
