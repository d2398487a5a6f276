import { at, isObject, isString, jsonEqual, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import type { ResourceAttributes } from '../auth/attributes.ts'
import { authorizer } from '../auth/authorize.ts'
import type { User } from '../auth/user.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { forbidden } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { isExempt } from './matchingkind.ts'
import { GROUP } from './validatingpolicy.ts'

/**
 * Nobody reads by a policy what they may not read: parameters are for writers with a right to them
 * (kubernetes pkg/registry/admissionregistration, authz.go).
 */
export function paramRights(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  user: User,
  next: KubeObject,
  old: KubeObject | undefined,
): FieldError[] {
  if (!isExempt(kind)) return []
  if (kind.info.kind === 'ValidatingAdmissionPolicy') return ofPolicy(cluster, user, next, old)
  return kind.info.kind === 'ValidatingAdmissionPolicyBinding' ? ofBinding(cluster, user, next, old) : []
}

const text = (o: KubeObject | undefined, ...path: string[]): string => {
  const value = at(o, ...path)
  return isString(value) ? value : ''
}

function ofPolicy(
  cluster: EmbeddedCluster,
  user: User,
  next: KubeObject,
  old: KubeObject | undefined,
): FieldError[] {
  const paramKind = at(next, 'spec', 'paramKind')
  if (!isObject(paramKind) || (old && jsonEqual(paramKind, at(old, 'spec', 'paramKind')))) return []
  const wanted = { ...resourceFor(cluster, next), verb: 'get', namespace: '*', name: '*' }
  if (authorizer(cluster)(user, wanted).allowed) return []
  const [kind, apiVersion] = [
    text(next, 'spec', 'paramKind', 'kind'),
    text(next, 'spec', 'paramKind', 'apiVersion'),
  ]
  const says = `must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`
  return [forbidden('spec.paramKind', `user ${shown(user)} ${says}`)]
}

function ofBinding(
  cluster: EmbeddedCluster,
  user: User,
  next: KubeObject,
  old: KubeObject | undefined,
): FieldError[] {
  const ref = at(next, 'spec', 'paramRef')
  const policyName = text(next, 'spec', 'policyName')
  const isSame =
    old && text(old, 'spec', 'policyName') === policyName && jsonEqual(ref, at(old, 'spec', 'paramRef'))
  if (!isObject(ref) || isSame) return []
  const table = cluster.kinds.find(GROUP, 'v1', 'validatingadmissionpolicies')?.table
  const policy = table?.live.get(policyName)?.object
  const name = text(next, 'spec', 'paramRef', 'name')
  const verb = name === '' ? 'list' : 'get'
  const namespace = text(next, 'spec', 'paramRef', 'namespace')
  if (authorizer(cluster)(user, { ...resourceFor(cluster, policy), verb, namespace, name }).allowed) return []
  const says = policy
    ? `user ${shown(user)} does not have "${verb}" permission on the object referenced by paramRef`
    : `unable to get policy ${policyName} to determine minimum required permissions and user ${shown(user)} does not have "${verb}" permission for all groups, versions and resources`
  return [forbidden('spec.paramRef', says)]
}

/** What a policy takes its parameters from; everything, where that is not known. */
function resourceFor(
  cluster: EmbeddedCluster,
  policy: KubeObject | undefined,
): Pick<ResourceAttributes, 'group' | 'resource' | 'subresource'> {
  if (!isObject(at(policy, 'spec', 'paramKind'))) return { group: '*', resource: '*', subresource: '' }
  const apiVersion = text(policy, 'spec', 'paramKind', 'apiVersion')
  const kind = cluster.kinds.byType(apiVersion, text(policy, 'spec', 'paramKind', 'kind'))
  return { group: parseApiVersion(apiVersion).group, resource: kind?.info.plural ?? '*', subresource: '' }
}

/** As Go prints a user. */
function shown({ name, uid = '', groups, extra = {} }: User): string {
  const entries = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1))
  const more = entries.map(([key, values]) => `${key}:[${values.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${more.join(' ')}]}`
}
