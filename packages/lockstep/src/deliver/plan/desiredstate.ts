/** A bundle as it is to be on one cluster: bound, marked, in order. */

import type { ServedResource } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  type Digester,
  identityOf,
  jsonEqual,
  type KubeObject,
  type ObjectReference,
  parseApiVersion,
  refOf,
  refText,
} from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject, ModuleSpec } from '../../api/kinds/index.ts'
import { INVENTORY_ANNOTATION, NONCE_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import {
  type AnnotationTarget,
  buildOrder,
  definedScopes,
  type HookNode,
  type HookSteps,
  isBundleWait,
  type KappChanges,
  type Mutation,
  type ObjectNode,
  type OrderFailure,
  type OrderGraph,
  type OrderNode,
  type OrderOptions,
  type WaitNode,
  type WriteMode,
} from '../../decisions/order/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { type IgnoreRules, ignoreRulesFor } from '../ownership/ignorerules.ts'
import type { WaitFacts, WaitReason } from '../state/lookup.ts'
import { withNonceAnnotation } from './nonceannotation.ts'

/** What is to be copied into an object, and how what comes of it is told apart. */
export interface CopySpec {
  readonly mutations: readonly Mutation[]
  readonly digest: Digester
}

/** Why a value cannot be copied. */
export type MissingCopyValue =
  | {
      readonly type: 'wait'
      readonly reason: WaitReason
      readonly source: AnnotationTarget
      readonly facts: WaitFacts
    }
  /** The path does not exist, or has no text that holds the token. */
  | { readonly type: 'target'; readonly path: string; readonly token: string | undefined }

export interface DesiredObject {
  readonly id: string
  readonly ref: ObjectReference
  readonly object: KubeObject
  /** What its annotations say of its own delivery. */
  readonly options: OrderOptions
  /** Digest of the manifest, without our marks, and of what is ignored of it. */
  readonly content: string
  /** Fields that are left to others once it is there. */
  readonly ignored: IgnoreRules | undefined
  /** Values that are copied into it before it is applied. */
  readonly copies?: CopySpec
  /** Of what values were copied into: the digest of the manifest alone. */
  readonly manifest?: string
  /** A value that is to be copied is not there. */
  readonly lack?: MissingCopyValue
  /** Undefined: the cluster does not serve the kind (yet). */
  readonly resource: ServedResource | undefined
  /** The manifest can't be right on this cluster. */
  readonly problem: 'NamespaceMissing' | undefined
  /** Set for a holder of values of a Secret: texts of servers about it are withheld. */
  readonly fromSecret?: true
}

/** Its `id` is that of its node, since one object can run in several phases. */
export interface DesiredHook extends DesiredObject {
  readonly node: HookNode
}

/** One step after the other; the hooks of a step at once. */
export type DesiredSteps = readonly (readonly DesiredHook[])[]

export interface UnitDesiredState {
  readonly graph: OrderGraph
  /** By node of the graph; undefined for all but objects, and for those that are left alone (mode Ignore). */
  readonly objects: readonly (DesiredObject | undefined)[]
  /** By node of the graph; undefined for all but hooks. */
  readonly hooks: readonly (DesiredHook | undefined)[]
  readonly syncFail: DesiredSteps
  readonly preDelete: DesiredSteps
  readonly postDelete: DesiredSteps
  readonly byId: ReadonlyMap<string, number>
  /** Ids of those that are in the bundle and not ours to look after: modes Ignore and Observe. */
  readonly letGo: ReadonlySet<string>
  /** By node of the graph: what leaves before others are applied. */
  readonly deletions?: ReadonlyMap<number, ObjectToDelete>
  /** Digest of all contents: alone decides no-op. */
  readonly contentDigest: string
}

/** An object that is no longer in the bundle, and is to go. */
export interface ObjectToDelete {
  readonly entry: InventoryObject
  /** 'unknown': the cache of its kind is not complete, so that nobody knows what it asks for. */
  readonly live: LiveObject | 'unknown'
  readonly changes: KappChanges
}

/** Why a bundle has no order on a cluster. */
export interface BindFailure extends NewBlocker {
  readonly reason: OrderFailure['reason'] | 'DuplicateObject'
}

/** What makes a bundle a cluster's. */
export interface ClusterBinding {
  /** Of namespaced objects that have none. */
  readonly namespace: string | undefined
  readonly ignore: ModuleSpec['apply']['ignore']
  readonly dialects?: ModuleSpec['apply']['dialects']
  /** Objects that hold values of Secrets. */
  readonly isSecretHolder?: (o: KubeObject) => boolean
}

const LEFT_ALONE: ReadonlySet<WriteMode> = new Set(['Ignore', 'Observe'])

export type FindResource = (
  group: string,
  kind: string,
  version: string | undefined,
) => ServedResource | undefined

/**
 * Binds a bundle to a cluster: namespaces where they are missing (by what the cluster serves, or by the bundle's own
 * definitions), then the order.
 */
export function desiredStateOf(
  bundle: readonly KubeObject[],
  { namespace, ignore, dialects, isSecretHolder }: ClusterBinding,
  find: FindResource,
  digest: Digester,
): Result<UnitDesiredState, BindFailure> {
  const scopes = definedScopes(bundle)
  const bound = withoutTwins(bundle.map((o) => [o, inNamespace(o, namespace, find, scopes)]))
  if (!bound.ok) return bound
  const graph = buildOrder(bound.value, dialects)
  if (!graph.ok) return graph
  const originOf = (o: KubeObject): Pick<DesiredObject, 'fromSecret'> =>
    isSecretHolder?.(o) ? { fromSecret: true } : {}
  const bind = (n: OrderNode, nonce: string): DesiredObject | undefined => {
    if (n.type !== 'object' || n.options.mode === 'Ignore') return undefined
    const object = withNonceAnnotation(n.object, n.options, nonce)
    const made = desiredObject(object, n.options, ignoreRulesFor(ignore, object), find, digest)
    return withMutations(n, { ...made, ...originOf(n.object) }, digest)
  }
  const plain = graph.value.nodes.map((n) => bind(n, ''))
  const hookOf = (node: HookNode): DesiredHook => ({
    ...withMutations(
      node,
      { ...desiredObject(node.object, node.options, undefined, find, digest), ...originOf(node.object) },
      digest,
    ),
    id: node.id,
    node,
  })
  const hooks = graph.value.nodes.map((n) => (n.type === 'hook' ? hookOf(n) : undefined))
  const stepsOf = (steps: HookSteps): DesiredSteps => steps.map((step) => step.map(hookOf))
  const later = {
    syncFail: stepsOf(graph.value.syncFail),
    preDelete: stepsOf(graph.value.preDelete),
    postDelete: stepsOf(graph.value.postDelete),
  }
  const byId = new Map<string, number>()
  plain.forEach((d, i) => {
    if (d) byId.set(d.id, i)
  })
  const all = [...plain, ...hooks, ...Object.values(later).flat(2)]
  const ordered = placed(graph.value, namespace, find)
  const waits = ordered.nodes.flatMap((n) =>
    n.type === 'wait' && n.place !== undefined
      ? [[n.id, digest('wait/2', { ...n.target, home: n.home ?? '' })]]
      : [],
  )
  const contents = [...all.flatMap((d) => (d ? [[d.id, d.content]] : [])), ...waits]
  const contentDigest = digest('content/1', contents.sort())
  const objects = plain.map((d, i) => (d?.options.nonce ? bind(graph.value.nodes[i]!, contentDigest) : d))
  const letGo = graph.value.nodes.flatMap((n) =>
    n.type === 'object' && LEFT_ALONE.has(n.options.mode) ? [n.id] : [],
  )
  return ok({
    graph: ordered,
    objects,
    hooks,
    ...later,
    byId,
    contentDigest,
    letGo: new Set(letGo),
  })
}

/** Namespaces of what is waited for: none where the kind has none; of waits of the bundle that name none, that of the unit. */
function placed(graph: OrderGraph, namespace: string | undefined, find: FindResource): OrderGraph {
  if (!graph.nodes.some((n) => n.type === 'wait')) return graph
  const nodes = graph.nodes.map((n) => (n.type === 'wait' ? placedWait(n, namespace, find) : n))
  return { ...graph, nodes }
}

function placedWait(n: WaitNode, namespace: string | undefined, find: FindResource): WaitNode {
  const { namespace: own, ...rest } = n.target
  // What its kind is, is found out at each look.
  if (n.application !== undefined) return n
  if (n.called !== undefined)
    return own !== undefined || namespace === undefined ? n : { ...n, home: namespace }
  const isAbove = own !== undefined && find(rest.group, rest.kind, rest.version)?.namespaced === false
  return isAbove ? { ...n, target: rest } : n
}

/** Objects that differ only in the namespace that they name can be one on the cluster: once if they are equal, else refused. */
function withoutTwins(
  pairs: readonly (readonly [written: KubeObject, bound: KubeObject])[],
): Result<KubeObject[], BindFailure> {
  const found = new Map<string, readonly [KubeObject, KubeObject]>()
  for (const [written, o] of pairs) {
    const id = identityOf(refOf(o))
    const twin = found.get(id)
    if (twin === undefined) found.set(id, [written, o])
    else if (!jsonEqual(twin[1], o)) {
      const places = [twin[0], written].map(writtenNamespace)
      const duplicate = blocked('DuplicateObject', [], { object: refText(refOf(o)), places })
      return err({ ...duplicate, reason: 'DuplicateObject' })
    }
  }
  return ok([...found.values()].map(([, o]) => o))
}

const writtenNamespace = ({ metadata: { namespace } }: KubeObject): string =>
  namespace === undefined ? 'without metadata.namespace' : `with metadata.namespace ${namespace}`

/** With `namespace` where the kind has one and the manifest names none; without one where the kind has none. */
function inNamespace(
  o: KubeObject,
  namespace: string | undefined,
  find: FindResource,
  scopes: ReadonlyMap<string, boolean>,
): KubeObject {
  // A wait is no object of the cluster, and who looks for its kind there misses it for ever.
  if (isBundleWait(o)) return o
  const { namespace: own, ...metadata } = o.metadata
  if (own === undefined && namespace === undefined) return o
  const { group, version } = parseApiVersion(o.apiVersion)
  const isNamespaced = find(group, o.kind, version)?.namespaced ?? scopes.get(`${group}/${o.kind}`)
  if (own === undefined) return isNamespaced ? { ...o, metadata: { ...metadata, namespace: namespace! } } : o
  return isNamespaced === false ? { ...o, metadata } : o
}

function desiredObject(
  object: KubeObject,
  options: OrderOptions,
  ignored: IgnoreRules | undefined,
  find: FindResource,
  digest: Digester,
): DesiredObject {
  const { group, version } = parseApiVersion(object.apiVersion)
  const ref = refOf(object)
  const resource = find(group, object.kind, version)
  return {
    id: identityOf(ref),
    ref,
    object,
    options,
    content: ignored ? digest('object/2', [object, ignored]) : digest('object/1', object),
    ignored,
    resource,
    problem: problemOf(ref, resource),
  }
}

function withMutations(
  { options: { mutations } }: ObjectNode | HookNode,
  d: DesiredObject,
  digest: Digester,
): DesiredObject {
  return mutations.length === 0 ? d : { ...d, copies: { mutations, digest } }
}

const problemOf = (ref: ObjectReference, resource: ServedResource | undefined): DesiredObject['problem'] =>
  resource?.namespaced && !ref.namespace ? 'NamespaceMissing' : undefined

/** The body that is applied: the manifest with the marks of its owner. */
export function markedBody(
  manifest: KubeObject,
  unit: string,
  inventoryUid: string,
  nonce: string | undefined,
): KubeObject {
  const { metadata } = manifest
  return {
    ...manifest,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [UNIT_LABEL]: unit },
      annotations: {
        ...metadata.annotations,
        [INVENTORY_ANNOTATION]: inventoryUid,
        ...(nonce === undefined ? {} : { [NONCE_ANNOTATION]: nonce }),
      },
    },
  }
}
