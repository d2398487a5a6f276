import { goQuote } from '@lockstep/kube/fields'
import { isArray, jsonEqual, type KubeObject, member } from '@lockstep/kube/object'
import type { ServedKind } from '../../resources/servedkind.ts'
import { resourceOf } from '../../resources/servedkind.ts'
import type { EmbeddedCluster } from '../../server/embeddedcluster.ts'
import type { ApiFailure } from '../../status/apifailure.ts'
import { forbidden, notFound } from '../../status/apifailure.ts'
import { authorizer } from '../authorize.ts'
import type { User } from '../user.ts'
import { MASTERS } from '../user.ts'
import type { PolicyRule } from './policyrule.ts'
import { compacted, missing } from './policyrule.ts'
import { policyRules, RBAC, roleRefOf, rulesFor, rulesOf } from './rolegrants.ts'

/**
 * Nobody gives away what they do not have: a role holds only rights of its writer, who may have `escalate` instead, and a
 * binding only those of who binds, or `bind` (kubernetes pkg/registry/rbac, policybased storage).
 */
export function escalation(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  user: User,
  next: KubeObject,
  old: KubeObject | undefined,
): ApiFailure | undefined {
  if (kind.info.group !== RBAC || user.groups.includes(MASTERS)) return undefined
  if (old && isOnlyForItsEnd(next, old)) return undefined
  const check = { cluster, kind, user, namespace: next.metadata.namespace ?? '' }
  return kind.info.kind.endsWith('Binding') ? ofBinding(check, next) : ofRole(check, next, old)
}

interface EscalationCheck {
  readonly cluster: EmbeddedCluster
  readonly kind: ServedKind
  readonly user: User
  readonly namespace: string
}

/** What the garbage collector changes is no change of rights. */
function isOnlyForItsEnd(next: KubeObject, old: KubeObject): boolean {
  const bare = ({ metadata: m, ...rest }: KubeObject): object => {
    const { finalizers: _f, ownerReferences: _o, managedFields: _m, ...metadata } = m
    return { ...rest, metadata }
  }
  return jsonEqual(bare(next) as KubeObject, bare(old) as KubeObject)
}

function ofRole(c: EscalationCheck, next: KubeObject, old: KubeObject | undefined): ApiFailure | undefined {
  const { name = '' } = next.metadata
  const mayEscalate = authorizer(c.cluster)(c.user, {
    verb: 'escalate',
    group: RBAC,
    resource: c.kind.info.plural,
    subresource: '',
    namespace: c.namespace,
    // A new one has no name yet that a right could be limited to.
    name: old ? name : '',
  })
  if (mayEscalate.allowed) return undefined
  const more = exceeded(c, policyRules(next))
  if (more !== undefined) return forbidden(resourceOf(c.kind), name, more)
  if (!hasAggregation(next) && !(old && hasAggregation(old))) return undefined
  if (exceeded(c, EVERYTHING) === undefined) return undefined
  return forbidden(resourceOf(c.kind), name, 'must have cluster-admin privileges to use the aggregationRule')
}

function ofBinding(c: EscalationCheck, binding: KubeObject): ApiFailure | undefined {
  const ref = roleRefOf(binding)
  const resource = ref.kind === 'Role' ? 'roles' : 'clusterroles'
  const asked = { verb: 'bind', group: RBAC, resource, subresource: '', namespace: c.namespace }
  if (authorizer(c.cluster)(c.user, { ...asked, name: ref.name }).allowed) return undefined
  const rules = rulesOf(c.cluster, ref, c.namespace)
  if (!rules) return notFound(resourceOf(c.kind), ref.name)
  const more = exceeded(c, rules)
  return more === undefined ? undefined : forbidden(resourceOf(c.kind), binding.metadata.name ?? '', more)
}

const EVERYTHING: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]

function hasAggregation(role: KubeObject): boolean {
  const selectors = member(role.aggregationRule, 'clusterRoleSelectors')
  return isArray(selectors) && selectors.length > 0
}

/** What the wanted rules have beyond those of the user. */
function exceeded(
  { cluster, user, namespace }: EscalationCheck,
  wanted: readonly PolicyRule[],
): string | undefined {
  const { rules, problems } = rulesFor(cluster, user, namespace)
  const more = missing(rules, wanted)
  if (more.length === 0) return undefined
  const lines = [...new Set(compacted(more).map(ruleText))].sort()
  const unresolved = problems.length === 0 ? '' : `; resolution errors: [${problems.join(' ')}]`
  const who = `user ${goQuote(user.name)} (groups=${goTexts(user.groups)})`
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${unresolved}`
}

const goTexts = (list: readonly string[]): string => `[${list.map(goQuote).join(' ')}]`

function ruleText(r: PolicyRule): string {
  const parts = [
    ['APIGroups', r.apiGroups],
    ['Resources', r.resources],
    ['NonResourceURLs', r.nonResourceURLs],
    ['ResourceNames', r.resourceNames],
    ['Verbs', r.verbs],
  ] as const
  return `{${parts.flatMap(([name, list]) => (list?.length ? [`${name}:${goTexts(list)}`] : [])).join(', ')}}`
}
