/** What the health rules share: the states, and how conditions are read. */
import { at, type KubeObject } from '@lockstep/kube/object'

export type HealthState = 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended' | 'Missing' | 'Unknown'

/** Whose reading of an object counts: ours, Argo CD's, or that of kstatus. */
export type HealthProfile = 'Lockstep' | 'Argo' | 'KStatus'

export interface Health {
  readonly state: HealthState
  readonly message: string
  /** Who says so: `apps/Deployment`, `argoproj.io/Rollout`, `conditions`, `spec.health.expressions[0]`. */
  readonly rule?: string
  /** Healthy, but what was to be done by it is not done: a profile that is content with a Job that runs. */
  readonly unfinished?: true
  /** Time alone makes it another one in so long. */
  readonly changesInMs?: number
}

/** A rule for one kind; undefined: the generic conditions decide. `nowMs` is wall-clock time. */
export type HealthRule = (o: KubeObject, nowMs: number) => Health | undefined

export const healthy: Health = { state: 'Healthy', message: '' }
export const progressing = (message: string): Health => ({ state: 'Progressing', message })
export const degraded = (message: string): Health => ({ state: 'Degraded', message })
export const suspended = (message: string): Health => ({ state: 'Suspended', message })

export interface SeenCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number
}

/** `.status.conditions` as far as it is well-formed. Some controllers write a status as true or false (Keycloak's do). */
export function conditionsOf(o: KubeObject): SeenCondition[] {
  const list = at(o, 'status', 'conditions')
  if (!Array.isArray(list)) return []
  const text = (v: unknown): string => (typeof v === 'string' ? v : '')
  return list.map((c) => {
    const status = at(c, 'status')
    const observed = at(c, 'observedGeneration')
    return {
      type: text(at(c, 'type')),
      status: typeof status === 'boolean' ? (status ? 'True' : 'False') : text(status),
      reason: text(at(c, 'reason')),
      message: text(at(c, 'message')),
      ...(typeof observed === 'number' ? { observedGeneration: observed } : {}),
    }
  })
}

/** Each condition may say of which generation it is (apimachinery `metav1.Condition`). */
export const isOld = (o: KubeObject, { observedGeneration }: SeenCondition): boolean =>
  observedGeneration !== undefined &&
  o.metadata.generation !== undefined &&
  observedGeneration < o.metadata.generation

export const textOfCondition = (c: SeenCondition): string =>
  c.message || c.reason || `${c.type} is ${c.status}`

export const aboutOlder = (c: SeenCondition): Health => progressing(`${c.type} is about an older generation`)

export const conditionIs = (o: KubeObject, type: string, status: string): SeenCondition | undefined =>
  conditionsOf(o).find((c) => c.type === type && c.status === status)

/** A number of the object; what is absent, or no number, counts as `absent`. */
export function num(o: KubeObject, absent: number, ...path: string[]): number {
  const v = at(o, ...path)
  return typeof v === 'number' ? v : absent
}
