/** References of facts to Pipelines, Promotions, targets and what a Git host has. */
import { API_VERSION } from '../../api/apiversion.ts'
import { MAX_REFS, type WaitRefOf } from '../../api/reasons/index.ts'

export interface PromotionObject {
  readonly namespace?: string | undefined
  readonly name: string
}

/** The object of a Pipeline on each target. */
export interface AppRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

export interface TargetRef {
  readonly namespace: string
  /** Undefined: the hub. */
  readonly cluster: string | undefined
}

const lockstepObject = (kind: string, { namespace = '', name }: PromotionObject): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name,
  namespace,
  object: { apiVersion: API_VERSION, kind },
})

export const pipelineRef = (pipeline: PromotionObject): WaitRefOf<'Object'> =>
  lockstepObject('Pipeline', pipeline)

export const promotionRef = (promotion: PromotionObject): WaitRefOf<'Object'> =>
  lockstepObject('Promotion', promotion)

export const holdRef = (hold: PromotionObject): WaitRefOf<'Hold'> => ({
  kind: 'Hold',
  name: hold.name,
  namespace: hold.namespace ?? '',
})

/** A repository, a pull request or a receiver outside the hub. */
export const externalRef = (name: string): WaitRefOf<'External'> => ({ kind: 'External', name })

/** A target of an environment; without a cluster it is on the hub. */
export const targetObjectRef = (
  { apiVersion, kind, name }: AppRef,
  { namespace, cluster }: TargetRef,
): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name,
  namespace,
  ...(cluster === undefined ? {} : { cluster }),
  object: { apiVersion, kind },
})

/** The first references, each once. */
export function firstRefs<T>(refs: readonly T[]): T[] {
  const all = new Map(refs.map((r) => [JSON.stringify(r), r]))
  return [...all.values()].slice(0, MAX_REFS)
}
