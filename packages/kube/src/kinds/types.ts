/** Kinds of Kubernetes that Lockstep reads or writes itself; what it delivers needs no type. */

import { defineKind } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
  readonly binaryData?: Readonly<Record<string, string>>
}

export interface Secret extends KubeObject {
  readonly type?: string
  readonly immutable?: boolean
  /** base64 */
  readonly data?: Readonly<Record<string, string>>
}

export interface ControllerRevision extends KubeObject {
  readonly revision: number
  readonly data?: unknown
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly names: { readonly kind: string; readonly plural: string }
    readonly versions: readonly { readonly name: string; readonly served: boolean }[]
  }
}

/** `events.k8s.io/v1`; servers keep the same events as `v1` too. */
export interface KubernetesEvent extends KubeObject {
  readonly eventTime?: string | null
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly type?: string
  readonly note?: string
  readonly regarding?: {
    readonly apiVersion?: string
    readonly kind?: string
    readonly namespace?: string
    readonly name?: string
    readonly uid?: string
    readonly resourceVersion?: string
  }
  /** Absent: it happened once. */
  readonly series?: { readonly count: number; readonly lastObservedTime: string }
  readonly deprecatedLastTimestamp?: string | null
}

/** Who leads, and for how long the others take that for granted. */
export interface Lease extends KubeObject {
  readonly spec?: {
    /** Empty: nobody. */
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    /** How often another one has begun to lead. */
    readonly leaseTransitions?: number
  }
}

/** Who asks, as the server knows them; nothing is stored. */
export interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo: { readonly username?: string } }
}

/** A new token of a ServiceAccount; nothing is stored. */
export interface TokenRequest extends KubeObject {
  readonly spec: {
    readonly audiences?: readonly string[]
    /** As requested; the server may grant another time. */
    readonly expirationSeconds?: number
  }
  readonly status?: { readonly token: string; readonly expirationTimestamp: string }
}

const core = (kind: string, plural: string, namespaced: boolean) => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
})

export const configMapKind = defineKind<ConfigMap>(core('ConfigMap', 'configmaps', true))
export const secretKind = defineKind<Secret>(core('Secret', 'secrets', true))
export const namespaceKind = defineKind<KubeObject>(core('Namespace', 'namespaces', false))
export const podKind = defineKind<KubeObject>(core('Pod', 'pods', true))
export const controllerRevisionKind = defineKind<ControllerRevision>({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
})
export const crdKind = defineKind<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
})
export const apiServiceKind = defineKind<KubeObject>({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
})
export const eventKind = defineKind<KubernetesEvent>({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
})

export const leaseKind = defineKind<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
})

export const roleBindingKind = defineKind<KubeObject>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
})

/** Whether who asks has a right; answered, never stored. */
export interface SelfSubjectAccessReview extends KubeObject {
  readonly spec: {
    readonly resourceAttributes: {
      readonly verb: string
      readonly group: string
      readonly resource: string
      readonly subresource?: string
      readonly namespace?: string
      readonly name?: string
    }
  }
  readonly status?: { readonly allowed: boolean }
}

/** Only whether it exists matters here. */
export const serviceAccountKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
})

export const selfSubjectAccessReviewKind = defineKind<SelfSubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
})

/** Created on the subresource `token` of a ServiceAccount. */
export const tokenRequestKind = defineKind<TokenRequest>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  namespaced: true,
})

export const selfSubjectReviewKind = defineKind<SelfSubjectReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
})
