/** Kinds of objects that accounts read and write in the matrix. */
import { defineKind, type Kind } from '../../../packages/kube/src/object/kind.ts'

export interface MatrixKind {
  readonly kind: Kind
  /** Fields without which a server does not take it. */
  readonly fields: object
}

const matrixKind = (
  [group, version, kind, plural]: readonly [string, string, string, string],
  namespaced: boolean,
  fields: object = {},
): MatrixKind => ({ kind: defineKind({ group, version, kind, plural, namespaced }), fields })

export const configMaps = matrixKind(['', 'v1', 'ConfigMap', 'configmaps'], true)
export const secrets = matrixKind(['', 'v1', 'Secret', 'secrets'], true)
export const jobs = matrixKind(['batch', 'v1', 'Job', 'jobs'], true)
export const modules = matrixKind(['lockstep.dev', 'v1alpha1', 'Module', 'modules'], true)
/** Delivered beside the objects of a case: each account may write them in its own namespace. */
export const leases = matrixKind(['coordination.k8s.io', 'v1', 'Lease', 'leases'], true)

const networkPolicies = matrixKind(['networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies'], true, {
  spec: { podSelector: {} },
})
const ingressClasses = matrixKind(['networking.k8s.io', 'v1', 'IngressClass', 'ingressclasses'], false, {
  spec: { controller: 'example.com/c' },
})
const priorityClasses = matrixKind(['scheduling.k8s.io', 'v1', 'PriorityClass', 'priorityclasses'], false, {
  value: 1,
})

export const namespacedKinds = [configMaps, secrets, networkPolicies]
export const clusterKinds = [ingressClasses, priorityClasses]
