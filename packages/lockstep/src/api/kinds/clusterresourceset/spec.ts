/**
 * ClusterResourceSet and its binding as Cluster API has them (`api/addons/v1beta2` of kubernetes-sigs/cluster-api). The
 * schemas are those of our own definition, for hubs without Cluster API; where Cluster API is, its own counts.
 */

import { z } from 'zod'
import { LABELS_PREFIX } from '../../labels.ts'
import { labelSelector, rules } from '../schemarules.ts'

export const ADDONS_GROUP = 'addons.cluster.x-k8s.io'
/** The best first; v1beta1 is what hubs serve that are older than Cluster API 1.11. */
export const ADDONS_VERSIONS = ['v1beta2', 'v1beta1'] as const

export const SET_STRATEGIES = ['ApplyOnce', 'Reconcile', 'Continuous'] as const
/** How a ClusterResourceSet is delivered; the first two as upstream does. */
export type SetMode = (typeof SET_STRATEGIES)[number]

/** On the set itself, and on bindings that `clusterctl` has moved. */
export const SET_FINALIZER = 'addons.cluster.x-k8s.io'
/** Required type of Secrets. */
export const SET_SECRET_TYPE = `${ADDONS_GROUP}/resource-set`
/** Its presence is enough, whatever its value. */
export const CAPI_PAUSED = 'cluster.x-k8s.io/paused'
/** Value of `CAPI_PAUSED` where the pause is ours. */
export const PAUSED_BY_US = 'lockstep'
/** On objects that `clusterctl move` deletes next: their objects on clusters stay. */
export const DELETE_FOR_MOVE = 'clusterctl.cluster.x-k8s.io/delete-for-move'
/** By which Cluster API's controllers choose their leader, in the namespace in which they run. */
export const CAPI_LEASE = 'controller-leader-election-capi'
/** Where `clusterctl init` installs them. */
export const CAPI_NAMESPACE = 'capi-system'
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

export interface BindingResource extends ResourceSetSourceRef {
  readonly hash?: string
  readonly lastAppliedTime?: string
  readonly applied: boolean
}

export interface BindingEntry {
  readonly clusterResourceSetName: string
  readonly resources?: readonly BindingResource[]
}

const sourceRef = z.object({
  kind: z.enum(['Secret', 'ConfigMap']).describe('Kind of the source.'),
  name: z.string().min(1).max(253).describe('Name of the source.'),
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
    .describe(
      'ConfigMaps, and Secrets of type addons.cluster.x-k8s.io/resource-set, in the order in which they are applied.',
    ),
  strategy: z
    .enum(SET_STRATEGIES)
    .default('ApplyOnce')
    .describe(
      'Strategy of the deployment. `ApplyOnce`: once. `Reconcile`: after each change of a source. `Continuous`: as a Module, which also reverts drift.',
    ),
})

export const resourceSetBindingSpec = z.object({
  bindings: z
    .array(
      z.object({
        clusterResourceSetName: z.string().min(1).max(253).describe('Name of the ClusterResourceSet.'),
        resources: z
          .array(
            sourceRef.extend({
              hash: z
                .string()
                .min(1)
                .max(256)
                .optional()
                .describe('Hash of the content that was applied last, or tried.'),
              lastAppliedTime: z
                .string()
                .meta({ format: 'date-time' })
                .optional()
                .describe('Time of the last apply.'),
              applied: z.boolean().describe('Whether all objects of the source were applied.'),
            }),
          )
          .max(100)
          .optional()
          .describe('Sources of the ClusterResourceSet.'),
      }),
    )
    .max(100)
    .optional()
    .describe('ClusterResourceSets of the cluster, with the sources that they applied.'),
  clusterName: z
    .string()
    .min(1)
    .max(63)
    .meta(rules({ rule: 'self == oldSelf', message: 'field is immutable' }))
    .describe('Name of the cluster.'),
})
