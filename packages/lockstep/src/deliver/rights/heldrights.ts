/** Rights that RBAC asks of the writer of an object: to grant a right, or to let another account act. */
import { at, isObject, type JsonValue, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { type AccessRight, accountOf, accountOfSet, DEFAULT_SERVICE_ACCOUNT } from '../../api/account.ts'
import { GROUP } from '../../api/apiversion.ts'
import { ADDONS_GROUP } from '../../api/kinds/index.ts'

export const RBAC = 'rbac.authorization.k8s.io'
const ROLES = new Set(['Role', 'ClusterRole'])
const BINDINGS = new Set(['RoleBinding', 'ClusterRoleBinding'])
const ACTING = new Set(['Module', 'BootstrapModule', 'Pipeline'])

/** Rights that the writer of `o` must hold beside those on `o` itself. `beside`: the other objects of the bundle. */
export function heldRights(o: KubeObject, beside: readonly KubeObject[]): AccessRight[] {
  const { group } = parseApiVersion(o.apiVersion)
  if (group === RBAC && ROLES.has(o.kind)) return grantedRights(o)
  if (group === RBAC && BINDINGS.has(o.kind)) return boundRights(o, beside)
  if (group === GROUP && ACTING.has(o.kind)) return [impersonation(accountOf(o as never))]
  if (group === ADDONS_GROUP && o.kind === 'ClusterResourceSet') return [impersonation(accountOfSet(o))]
  return []
}

const impersonation = ({ namespace, name = DEFAULT_SERVICE_ACCOUNT }: ReturnType<typeof accountOf>) => ({
  verb: 'impersonate',
  group: '',
  resource: 'serviceaccounts',
  namespace,
  name,
})

/** A writer grants only rights that it holds. */
function grantedRights(role: KubeObject): AccessRight[] {
  const { namespace } = role.metadata
  return listAt(role, 'rules').flatMap((rule) => {
    const names = textsAt(rule, 'resourceNames')
    return textsAt(rule, 'apiGroups').flatMap((group) =>
      textsAt(rule, 'resources').flatMap((resource) =>
        textsAt(rule, 'verbs').flatMap((verb) =>
          (names.length === 0 ? [undefined] : names).map((name) => ({
            verb,
            group,
            resource,
            namespace,
            ...(name === undefined ? {} : { name }),
          })),
        ),
      ),
    )
  })
}

/** A Role of the same bundle: its rights are held already. */
function boundRights(binding: KubeObject, beside: readonly KubeObject[]): AccessRight[] {
  const [kind, name] = [at(binding, 'roleRef', 'kind'), at(binding, 'roleRef', 'name')]
  if (typeof kind !== 'string' || typeof name !== 'string') return []
  const { namespace } = binding.metadata
  const isBeside = beside.some(
    (o) =>
      o.kind === kind &&
      o.metadata.name === name &&
      (kind === 'ClusterRole' || o.metadata.namespace === namespace),
  )
  const resource = kind === 'Role' ? 'roles' : 'clusterroles'
  return isBeside ? [] : [{ verb: 'bind', group: RBAC, resource, namespace, name }]
}

const listAt = (o: KubeObject, field: string): JsonValue[] => {
  const found = at(o, field)
  return Array.isArray(found) ? [...found] : []
}

const textsAt = (rule: JsonValue, field: string): string[] => {
  const found = isObject(rule) ? rule[field] : undefined
  return Array.isArray(found) ? found.filter((x): x is string => typeof x === 'string') : []
}
