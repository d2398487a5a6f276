/** The object graph of one bundle: what is applied or run after what, and why. */
import type { KubeObject, ObjectReference } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { FactsOf } from '../../api/reasons/index.ts'
import type { AnnotationTarget, OrderOptions } from './orderoptions.ts'

/** What an edge asks of its source before its target may start. */
export type RequiredState =
  /** Its write was acknowledged, or it is as it should be. Of a hook: it runs. */
  | 'Applied'
  | 'Healthy'
  /** A Job is complete, a Pod has succeeded; else as Healthy. */
  | 'Complete'
  /** The API lists what it defines. */
  | 'Served'
  /** It is there, whoever made it. */
  | 'Exists'
  /** The edge's expression is true of it. */
  | 'Expr'
  /** It is not there any more, or another one of its name is. In `removals`, and from what is deleted first. */
  | 'Gone'

/** Required edges must hold; preferred ones are left out where they would close a cycle. */
export type EdgeStrength = 'Required' | 'Preferred'

export interface OrderEdge {
  readonly from: number
  readonly to: number
  readonly ask: RequiredState
  readonly strength: EdgeStrength
  /** For people: `argocd.argoproj.io/sync-wave`, `namespace`, `serviceAccountName`. */
  readonly why: string
  /** CEL over `object`; exactly where `ask` is Expr. */
  readonly expression?: string
}

export type SyncPhase = 'PreSync' | 'Sync' | 'PostSync'

/** Where something stands among steps, phases and waves. */
export interface OrderPosition {
  readonly step: number
  readonly phase: SyncPhase
  readonly wave: number
}

export type HookPhase = SyncPhase | 'SyncFail' | 'PreDelete' | 'PostDelete'
export type HookPolicy = 'BeforeHookCreation' | 'HookSucceeded' | 'HookFailed'

export type HookResult = 'Succeeded' | 'Failed'

/**
 * When a hook runs. `install`: the unit has never been delivered with success; `upgrade`: it has; `rollback`: what is
 * admitted is older in the module's history than what is delivered.
 */
export type HookTrigger = 'always' | 'install' | 'upgrade' | 'rollback'

export interface ObjectNode {
  readonly type: 'object'
  readonly id: string
  readonly object: KubeObject
  readonly kindRank: number
  /** PreSync: a Namespace or definition that a hook of that phase needs. */
  readonly phase: SyncPhase
  readonly step: number
  readonly wave: number
  readonly options: OrderOptions
}

export interface HookNode {
  readonly type: 'hook'
  /** `PreSync batch/Job/app/seed`: one object has a node for each of its phases. */
  readonly id: string
  readonly object: KubeObject
  readonly kindRank: number
  readonly phase: HookPhase
  readonly step: number
  readonly wave: number
  /** Any of these; where none holds, all that its edges ask holds without it. */
  readonly when: readonly HookTrigger[]
  /** When its instance is deleted; empty: never. */
  readonly policy: readonly HookPolicy[]
  /** Absent: as the module says. */
  readonly timeoutSeconds: number | undefined
  /** Attempts after the first, 0 to 10. */
  readonly retries: number
  /** After which results the last lines of its output are told. */
  readonly outputs: readonly HookResult[]
  readonly options: OrderOptions
}

/** A condition on an object, mostly one that the bundle does not deliver. Edges from it have its `ask`. */
export interface WaitNode {
  readonly type: 'wait'
  readonly id: string
  readonly target: AnnotationTarget
  readonly ask: 'Exists' | 'Healthy' | 'Complete' | 'Expr'
  /** CEL over `object`; exactly where `ask` is Expr. */
  readonly expression?: string
  /** The annotation that asks for it first, or who asks for a wait of the bundle. */
  readonly why: string
  /** Of a wait of the bundle: the resource as `oc get` takes it. What it is, only a cluster can tell; the target's kind is this text, too. */
  readonly called?: string
  /** Of a wait for an application of the group, which a Module beside it delivers: its name. */
  readonly application?: string
  /** Of a wait of the bundle that names no namespace: where it is looked for, if what it is has namespaces. */
  readonly home?: string
  /** Of a wait of the bundle: what comes later does not begin before it is met. */
  readonly place?: OrderPosition
}

/** Free of cost: keeps n × m edges at n + m. Reached when all that it needs is. */
export interface BarrierNode {
  readonly type: 'barrier'
  readonly id: string
  /** Of the end of a place: reached when all that is there is done, and all before it. */
  readonly endOf?: Omit<OrderPosition, 'step'>
}

/**
 * An object that leaves, and that others wait to see gone (kapp `upsert after deleting`): put into the graph by who
 * knows what is on the cluster.
 */
export interface DeleteNode {
  readonly type: 'delete'
  readonly id: string
  readonly ref: ObjectReference
}

export type OrderNode = ObjectNode | HookNode | WaitNode | BarrierNode | DeleteNode

/** Where a node stands in the order in which objects are deleted. */
export interface Depth {
  /** 0 for those that need nothing; in one part those with a greater one go first. */
  readonly level: number
  /** Objects that wait for each other, over others too; absent: for nobody. */
  readonly part?: string
  /** It goes with the custom resources, since a rule of kapp wants it before one of them. */
  readonly early?: true
}

/** Hooks one step after the other; those of a step run at once. */
export type HookSteps = readonly (readonly HookNode[])[]

export interface OrderGraph {
  readonly nodes: readonly OrderNode[]
  /** Edges into each node, by node. */
  readonly needs: readonly (readonly OrderEdge[])[]
  /** Nodes so that every edge goes from an earlier to a later one; ties by kind rank, namespace, name. */
  readonly sequence: readonly number[]
  readonly depths: readonly Depth[]
  /** Between objects that are deleted: `to` stays until `from` is Gone. `depths` have them in them. */
  readonly removals: readonly OrderEdge[]
  /** After a failed pass. */
  readonly syncFail: HookSteps
  /** Before and after all objects go, when the unit leaves. */
  readonly preDelete: HookSteps
  readonly postDelete: HookSteps
  /** Configs of kapp: their rules are also about objects that leave. */
  readonly configs: readonly KubeObject[]
  /** What was read and has no effect, for people. */
  readonly warnings: readonly string[]
}

export interface OrderFailure extends NewBlocker {
  readonly reason: 'CycleDetected' | 'InvalidAnnotation' | 'UnsupportedAnnotation'
}

/** A bundle without an order, from facts. */
export const orderFailure = <R extends OrderFailure['reason']>(
  reason: R,
  facts: FactsOf<R>,
): OrderFailure & { readonly reason: R } => {
  const made = blocked<OrderFailure['reason']>(reason, [], facts as FactsOf<OrderFailure['reason']>)
  return { ...made, reason }
}
