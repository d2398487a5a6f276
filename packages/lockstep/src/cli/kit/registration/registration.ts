/** Objects on a cluster that give a hub access to it: pure. */
import { roleBindingKind, serviceAccountKind } from '@lockstep/kube/kinds'
import {
  defineKind,
  digestOf,
  type JsonObject,
  type Kind,
  type KubeObject,
  short10,
} from '@lockstep/kube/object'
import { SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import type { RoleRule } from '../../../deliver/rights/index.ts'
import { accountManifest, bindingManifest, roleManifest } from '../install/index.ts'

/** One cluster as one namespace of one hub knows it: no other registration has these names. */
export interface Registration {
  readonly id: string
  readonly account: { readonly namespace: string; readonly name: string }
  /** ClusterRole and ClusterRoleBinding: rights for deliveries. */
  readonly delivery: string
  /** Role and RoleBinding in the namespace of the account: stamps, and its own tokens. */
  readonly records: string
}

/** `namespaceUid`: of the Namespace on the hub that holds the Secret `name`. */
export function registrationOf(namespaceUid: string, name: string): Registration {
  const id = short10(digestOf('registration/1', [namespaceUid, name]))
  return {
    id,
    account: { namespace: SYSTEM_NAMESPACE, name: `lockstep-${id}` },
    delivery: `lockstep:${id}:delivery`,
    records: `lockstep:${id}:records`,
  }
}

const rbacKind = (kind: string, plural: string, namespaced: boolean): Kind =>
  defineKind({ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced })

/** Kinds of the objects. */
const KINDS: readonly Kind[] = [
  serviceAccountKind,
  rbacKind('ClusterRole', 'clusterroles', false),
  rbacKind('ClusterRoleBinding', 'clusterrolebindings', false),
  rbacKind('Role', 'roles', true),
  roleBindingKind,
]

/** A manifest and its kind. */
export interface RegistrationObject {
  readonly kind: Kind
  readonly object: KubeObject
}

const withKind = (manifest: JsonObject): RegistrationObject => ({
  kind: KINDS.find((k) => k.kind === manifest.kind)!,
  object: manifest as unknown as KubeObject,
})

/** Rights that every session needs on a cluster, whatever is delivered there: for its identity and its definitions. */
export const IDENTITY_RULES: readonly RoleRule[] = [
  {
    apiGroups: [''],
    resources: ['namespaces'],
    verbs: ['get', 'watch'],
    resourceNames: ['kube-system', SYSTEM_NAMESPACE],
  },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['list', 'watch'] },
]

const recordRules = (account: string): readonly RoleRule[] => [
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'], resourceNames: [account] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update', 'delete'] },
]

/** The account and all its rights, in the order in which they are applied. `rules`: identity and deliveries. */
export function registrationObjects(r: Registration, rules: readonly RoleRule[]): RegistrationObject[] {
  const { account, records } = r
  const subject = { kind: 'ServiceAccount', ...account }
  const place = { name: records, namespace: account.namespace }
  return [
    withKind({ ...accountManifest(account), automountServiceAccountToken: false }),
    ...deliveryObjects(r, rules),
    withKind(roleManifest('Role', place, recordRules(account.name) as unknown as JsonObject[])),
    withKind(bindingManifest(place, { kind: 'Role', name: records }, subject)),
  ]
}

/** The ClusterRole and its binding to the account. */
export function deliveryObjects(
  { delivery: name, account }: Registration,
  rules: readonly RoleRule[],
): RegistrationObject[] {
  const role = roleManifest('ClusterRole', { name }, rules as unknown as JsonObject[])
  const subject = { kind: 'ServiceAccount', ...account }
  return [role, bindingManifest({ name }, { kind: 'ClusterRole', name }, subject)].map(withKind)
}
