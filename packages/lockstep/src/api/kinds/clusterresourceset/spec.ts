/**
 * ClusterResourceSet and its binding as Cluster API has them (`api/addons/v1beta2` of kubernetes-sigs/cluster-api). The
 * schemas are those of our own definition, for hubs without Cluster API; where Cluster API is, its own counts.
 */

import { defineKind, type Kind, type KubeObject, type LabelSelector } from '@lockstep/kube/object'
import { z } from 'zod'
import type { Condition } from '../../conditions.ts'
import { LABELS_PREFIX } from '../../labels.ts'
import { condition, conditions, labelSelector, rules } from '../schemarules.ts'

export const ADDONS_GROUP = 'addons.cluster.x-k8s.io'
/** The best first; v1beta1 is what hubs serve that are older than Cluster API 1.11. */
export const ADDONS_VERSIONS = ['v1beta2', 'v1beta1'] as const

export const SET_STRATEGIES = ['ApplyOnce', 'Reconcile', 'Continuous'] as const
/** How a ClusterResourceSet is delivered; the first two as upstream does. */
export type SetMode = (typeof SET_STRATEGIES)[number]

/** On the set itself, and on bindings that `clusterctl` has moved. */
export const SET_FINALIZER = 'addons.cluster.x-k8s.io'
/** What Secrets must be of. */
export const SET_SECRET_TYPE = `${ADDONS_GROUP}/resource-set`
/** Its presence is enough, whatever its value. */
export const CAPI_PAUSED = 'cluster.x-k8s.io/paused'
/** Value of `CAPI_PAUSED` where the pause is ours. */
export const PAUSED_BY_US = 'lockstep'
/** On what `clusterctl move` is about to delete: nothing of it is to be undone on a cluster. */
export const DELETE_FOR_MOVE = 'clusterctl.cluster.x-k8s.io/delete-for-move'
/** By which Cluster API's controllers choose their leader, in the namespace in which they run. */
export const CAPI_LEASE = 'controller-leader-election-capi'
/** Where `clusterctl init` installs them. */
export const CAPI_NAMESPACE = 'capi-system'
/** On a definition: `clusterctl move` takes its objects along. */
export const MOVE_LABEL = 'clusterctl.cluster.x-k8s.io/move'

/** Annotations on a ClusterResourceSet, and one on its sources. */
export const SET = {
  managed: `${LABELS_PREFIX}/managed`,
  paused: `${LABELS_PREFIX}/paused`,
  mode: `${LABELS_PREFIX}/mode`,
  interval: `${LABELS_PREFIX}/interval`,
  prune: `${LABELS_PREFIX}/prune`,
  allowEmpty: `${LABELS_PREFIX}/allow-empty`,
  drift: `${LABELS_PREFIX}/drift`,
  deletionPolicy: `${LABELS_PREFIX}/deletion-policy`,
  ordering: `${LABELS_PREFIX}/ordering`,
  healthTimeout: `${LABELS_PREFIX}/health-timeout`,
  dependsOn: `${LABELS_PREFIX}/depends-on`,
  maxUnavailable: `${LABELS_PREFIX}/max-unavailable`,
  existing: `${LABELS_PREFIX}/existing`,
  reapply: `${LABELS_PREFIX}/reapply`,
  takeOverFrom: `${LABELS_PREFIX}/take-over-from`,
  write: `${LABELS_PREFIX}/write`,
  replaceImmutable: `${LABELS_PREFIX}/replace-immutable`,
  assumeInactive: `${LABELS_PREFIX}/assume-inactive`,
  deleteWithOwner: `${LABELS_PREFIX}/delete-with-owner`,
} as const

export interface ResourceSetSourceRef {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly name: string
}

/** v1beta1 keeps its own conditions at the top and the newer ones below, v1beta2 the other way round. */
export interface ResourceSetStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly (Condition | V1Beta1Condition)[]
  readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly V1Beta1Condition[] } }
  readonly v1beta2?: { readonly conditions?: readonly Condition[] }
}

/** A condition of Cluster API v1beta1: reason and severity only where it is not True. */
export interface V1Beta1Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly severity?: 'Error' | 'Warning' | 'Info' | ''
  readonly lastTransitionTime: string
  readonly reason?: string
  readonly message?: string
}

export interface ClusterResourceSet extends KubeObject {
  readonly spec: {
    readonly clusterSelector: LabelSelector
    /** v1beta1 does not ask for any. */
    readonly resources?: readonly ResourceSetSourceRef[]
    /** What the webhook of upstream defaults; on a hub without it it may be missing. */
    readonly strategy?: string
  }
  readonly status?: ResourceSetStatus
}

export interface BindingResource extends ResourceSetSourceRef {
  readonly hash?: string
  readonly lastAppliedTime?: string
  readonly applied: boolean
}

export interface BindingEntry {
  readonly clusterResourceSetName: string
  readonly resources?: readonly BindingResource[]
}

/** One a Cluster, of its name, for all sets. */
export interface ClusterResourceSetBinding extends KubeObject {
  readonly spec: { readonly bindings?: readonly BindingEntry[]; readonly clusterName?: string }
}

const kinds = <T extends KubeObject>(kind: string, plural: string): readonly Kind<T>[] =>
  ADDONS_VERSIONS.map((version) =>
    defineKind<T>({ group: ADDONS_GROUP, version, kind, plural, namespaced: true }),
  )
export const resourceSetKinds = kinds<ClusterResourceSet>('ClusterResourceSet', 'clusterresourcesets')
export const resourceSetBindingKinds = kinds<ClusterResourceSetBinding>(
  'ClusterResourceSetBinding',
  'clusterresourcesetbindings',
)

const sourceRef = z.object({
  kind: z.enum(['Secret', 'ConfigMap']),
  name: z.string().min(1).max(253),
})

export const resourceSetSpec = z.object({
  clusterSelector: labelSelector
    .meta(
      rules(
        {
          rule: '(has(self.matchLabels) && self.matchLabels.size() > 0) || (has(self.matchExpressions) && self.matchExpressions.size() > 0)',
          message: 'selector must not be empty',
        },
        { rule: 'self == oldSelf', message: 'field is immutable' },
      ),
    )
    .describe('Clusters of Cluster API in the same namespace.'),
  resources: z
    .array(sourceRef)
    .min(1)
    .max(100)
    .describe('ConfigMaps, and Secrets of type addons.cluster.x-k8s.io/resource-set, in their order.'),
  strategy: z.enum(SET_STRATEGIES).default('ApplyOnce').describe('How they are delivered.'),
})

const legacyCondition = condition.omit({ observedGeneration: true, reason: true, message: true }).extend({
  severity: z.string().max(32).optional(),
  reason: z.string().max(256).optional(),
  message: z.string().max(10_240).optional(),
})

export const resourceSetStatus = z.object({
  conditions: conditions.optional(),
  observedGeneration: z.int().optional(),
  deprecated: z
    .object({ v1beta1: z.object({ conditions: z.array(legacyCondition).optional() }).optional() })
    .optional(),
})

export const resourceSetBindingSpec = z.object({
  bindings: z
    .array(
      z.object({
        clusterResourceSetName: z.string().min(1).max(253),
        resources: z
          .array(
            sourceRef.extend({
              hash: z.string().min(1).max(256).optional(),
              lastAppliedTime: z.string().meta({ format: 'date-time' }).optional(),
              applied: z.boolean(),
            }),
          )
          .max(100)
          .optional(),
      }),
    )
    .max(100)
    .optional(),
  clusterName: z
    .string()
    .min(1)
    .max(63)
    .meta(rules({ rule: 'self == oldSelf', message: 'field is immutable' })),
})
