/** What Pods need before they start. */
import { at } from '@lockstep/kube/object'
import { manifestName } from '../manifestvalues.ts'
import { edgesBefore, type ImpliedEdge, type ImpliedRule, NO_EDGES } from './impliedrule.ts'
import { claimsOf, configOf, podSpecOf, serviceAccountOf } from './podspec.ts'

const RBAC = 'rbac.authorization.k8s.io'

export const roleOfBinding: ImpliedRule = (to, index) => {
  if (to.kind !== 'RoleBinding' && to.kind !== 'ClusterRoleBinding') return NO_EDGES
  const [kind, name] = [manifestName(at(to, 'roleRef', 'kind')), manifestName(at(to, 'roleRef', 'name'))]
  if (!kind || !name) return NO_EDGES
  return edgesBefore(
    [index.find(RBAC, kind, kind === 'Role' ? to.metadata.namespace : undefined, name)],
    to,
    'roleRef',
  )
}

/** Its bindings too; their roles come before those. */
export const accountOfWorkload: ImpliedRule = (to, index) => {
  const podSpec = podSpecOf(to)
  const { namespace } = to.metadata
  if (podSpec === undefined || !namespace) return NO_EDGES
  const account = serviceAccountOf(podSpec)
  const object = index.find('', 'ServiceAccount', namespace, account)
  return edgesBefore([object, ...index.bindings(namespace, account)], to, 'serviceAccountName')
}

export const configOfWorkload: ImpliedRule = (to, index) => {
  const podSpec = podSpecOf(to)
  if (podSpec === undefined) return NO_EDGES
  const found: ImpliedEdge[] = []
  for (const ref of configOf(podSpec)) {
    const [kind, name] = ref.split('/') as [string, string]
    found.push(...edgesBefore([index.find('', kind, to.metadata.namespace, name)], to, `reads ${kind}`))
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
export const policiesOfNamespace: ImpliedRule = (policy, index) => {
  const { namespace } = policy.metadata
  if (!namespace) return NO_EDGES
  const from = POLICIES.flatMap(([group, kind]) =>
    index.all(group, kind).filter((p) => p.metadata.namespace === namespace),
  )
  // Once for all policies of a namespace.
  if (from[0] !== policy) return NO_EDGES
  const to = index.workloadsIn(namespace)
  return to.length === 0
    ? NO_EDGES
    : [{ from, to, ask: 'Applied', strength: 'Preferred', why: 'policy of the namespace' }]
}

/** A class, a volume, its claim, who mounts it. Never that a claim is bound: some are bound only to a Pod. */
export const storageClass: ImpliedRule = (to, index) => {
  const specs = [at(to, 'spec'), ...claimTemplates(to)]
  if (to.kind !== 'PersistentVolume' && to.kind !== 'PersistentVolumeClaim' && specs.length === 1)
    return NO_EDGES
  const classes = specs.flatMap((s) => manifestName(at(s, 'storageClassName')) ?? [])
  const from = [...new Set(classes)].map((name) =>
    index.find('storage.k8s.io', 'StorageClass', undefined, name),
  )
  return edgesBefore(from, to, 'storageClassName')
}

const claimTemplates = (o: Parameters<ImpliedRule>[0]) => {
  const templates = o.kind === 'StatefulSet' ? at(o, 'spec', 'volumeClaimTemplates') : undefined
  return Array.isArray(templates) ? templates.map((t) => at(t, 'spec')) : []
}

export const volumeOfClaim: ImpliedRule = (to, index) => {
  if (to.kind !== 'PersistentVolumeClaim') return NO_EDGES
  const volume = manifestName(at(to, 'spec', 'volumeName'))
  const bound = index.all('', 'PersistentVolume').filter((v) => {
    const claim = at(v, 'spec', 'claimRef')
    return (
      v.metadata.name === volume ||
      (manifestName(at(claim, 'name')) === to.metadata.name &&
        at(claim, 'namespace') === to.metadata.namespace)
    )
  })
  return edgesBefore(bound, to, 'volume of the claim')
}

export const claimOfWorkload: ImpliedRule = (to, index) => {
  const podSpec = podSpecOf(to)
  if (podSpec === undefined) return NO_EDGES
  const from = claimsOf(podSpec).map((name) =>
    index.find('', 'PersistentVolumeClaim', to.metadata.namespace, name),
  )
  return edgesBefore(from, to, 'persistentVolumeClaim')
}
