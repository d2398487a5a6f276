/** What Pods need before they start. */
import { at } from '../../../../../kube/src/object/index.ts'
import { named } from '../manifestvalues.ts'
import { claimsOf, configOf, podSpecOf, serviceAccountOf } from './podspec.ts'
import { before, type Implied, NONE, type Row } from './impliedrule.ts'

const RBAC = 'rbac.authorization.k8s.io'

export const roleOfBinding: Row = (to, index) => {
  if (to.kind !== 'RoleBinding' && to.kind !== 'ClusterRoleBinding') return NONE
  const [kind, name] = [named(at(to, 'roleRef', 'kind')), named(at(to, 'roleRef', 'name'))]
  if (!kind || !name) return NONE
  return before(
    [index.find(RBAC, kind, kind === 'Role' ? to.metadata.namespace : undefined, name)],
    to,
    'roleRef',
  )
}

/** Its bindings too; their roles come before those. */
export const accountOfWorkload: Row = (to, index) => {
  const podSpec = podSpecOf(to)
  const { namespace } = to.metadata
  if (podSpec === undefined || !namespace) return NONE
  const account = serviceAccountOf(podSpec)
  const object = index.find('', 'ServiceAccount', namespace, account)
  return before([object, ...index.bindings(namespace, account)], to, 'serviceAccountName')
}

export const configOfWorkload: Row = (to, index) => {
  const podSpec = podSpecOf(to)
  if (podSpec === undefined) return NONE
  const found: Implied[] = []
  for (const ref of configOf(podSpec)) {
    const [kind, name] = ref.split('/') as [string, string]
    found.push(...before([index.find('', kind, to.metadata.namespace, name)], to, `reads ${kind}`))
  }
  return found
}

const POLICIES: readonly (readonly [group: string, kind: string])[] = [
  ['networking.k8s.io', 'NetworkPolicy'],
  ['', 'ResourceQuota'],
  ['', 'LimitRange'],
]

export const POLICY_KINDS: readonly string[] = POLICIES.map(([, kind]) => kind)

/** Rules of a namespace hold for the first Pod in it already. */
export const policiesOfNamespace: Row = (policy, index) => {
  const { namespace } = policy.metadata
  if (!namespace) return NONE
  const from = POLICIES.flatMap(([group, kind]) =>
    index.all(group, kind).filter((p) => p.metadata.namespace === namespace),
  )
  // Once for all policies of a namespace.
  if (from[0] !== policy) return NONE
  const to = index.workloadsIn(namespace)
  return to.length === 0
    ? NONE
    : [{ from, to, ask: 'Applied', strength: 'Preferred', why: 'policy of the namespace' }]
}

/** A class, a volume, its claim, who mounts it. Never that a claim is bound: some are bound only to a Pod. */
export const storageClass: Row = (to, index) => {
  const specs = [at(to, 'spec'), ...claimTemplates(to)]
  if (to.kind !== 'PersistentVolume' && to.kind !== 'PersistentVolumeClaim' && specs.length === 1) return NONE
  const classes = specs.flatMap((s) => named(at(s, 'storageClassName')) ?? [])
  const from = [...new Set(classes)].map((name) =>
    index.find('storage.k8s.io', 'StorageClass', undefined, name),
  )
  return before(from, to, 'storageClassName')
}

const claimTemplates = (o: Parameters<Row>[0]) => {
  const templates = o.kind === 'StatefulSet' ? at(o, 'spec', 'volumeClaimTemplates') : undefined
  return Array.isArray(templates) ? templates.map((t) => at(t, 'spec')) : []
}

export const volumeOfClaim: Row = (to, index) => {
  if (to.kind !== 'PersistentVolumeClaim') return NONE
  const volume = named(at(to, 'spec', 'volumeName'))
  const bound = index.all('', 'PersistentVolume').filter((v) => {
    const claim = at(v, 'spec', 'claimRef')
    return (
      v.metadata.name === volume ||
      (named(at(claim, 'name')) === to.metadata.name && at(claim, 'namespace') === to.metadata.namespace)
    )
  })
  return before(bound, to, 'volume of the claim')
}

export const claimOfWorkload: Row = (to, index) => {
  const podSpec = podSpecOf(to)
  if (podSpec === undefined) return NONE
  const from = claimsOf(podSpec).map((name) =>
    index.find('', 'PersistentVolumeClaim', to.metadata.namespace, name),
  )
  return before(from, to, 'persistentVolumeClaim')
}
