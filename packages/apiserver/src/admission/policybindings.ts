import { type AskAccess, authorizerValue, requestResourceValue } from '@lockstep/cel/library'
import { type CelBudget, fromJson } from '@lockstep/cel/program'
import { type CelValue, failure, type MapValue } from '@lockstep/cel/value'
import type { JsonValue, KubeObject } from '@lockstep/kube/object'
import { authorizer } from '../auth/authorize.ts'
import type { User } from '../auth/user.ts'
import { AUTHENTICATED, serviceAccountGroups, serviceAccountName } from '../auth/user.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { asVersion } from '../write/writeresult.ts'
import { namespaceObject } from './matchingkind.ts'
import type { Review } from './review.ts'
import { requestOf } from './review.ts'
import type { ValidatingPolicy } from './validatingpolicy.ts'

export type PolicyBindings = { [name: string]: CelValue }

const celOf = (o: KubeObject | undefined): CelValue => fromJson(o as unknown as JsonValue | undefined)

/** What the names in the expressions of a policy stand for, for one write and one parameter. */
export function bindingsFor(
  r: Review,
  shown: ServedKind,
  policy: ValidatingPolicy,
  params: KubeObject | undefined,
  budget: CelBudget,
): PolicyBindings {
  const ask = askFor(r.cluster, r.user)
  const inVersion = (o: KubeObject | undefined): KubeObject | undefined =>
    o && !r.shape ? asVersion(r.kind, shown, o) : o
  const about = {
    group: r.kind.info.group,
    resource: r.kind.info.plural,
    subresource: r.subresource,
    namespace: r.namespace,
    name: r.name,
  }
  const bindings: PolicyBindings = {
    object: celOf(inVersion(r.object)),
    oldObject: celOf(inVersion(r.old)),
    request: fromJson(requestOf(r, shown)),
    namespaceObject: celOf(namespaceObject(r)),
    params: celOf(params),
    authorizer: authorizerValue(ask),
    'authorizer.requestResource': requestResourceValue(ask, about),
  }
  bindings.variables = lazily(policy, bindings, budget)
  return bindings
}

/** A variable is evaluated when it is first asked for, once. */
function lazily(policy: ValidatingPolicy, bindings: PolicyBindings, budget: CelBudget): MapValue {
  const known = new Map<string, CelValue>()
  const evaluated = (name: string): CelValue | undefined => {
    const variable = policy.variables.findLast((v) => v.name === name)
    if (!variable) return undefined
    const failed = (why: string): CelValue =>
      failure(`composited variable "${name}" fails to evaluate: ${why}`)
    if (!variable.program.ok) return failed(variable.program.error)
    const result = variable.program.value.evaluate(bindings, budget)
    return result.ok ? result.value : failed(result.error.message)
  }
  return {
    kind: 'map',
    size: policy.variables.length,
    keys: () => policy.variables.map((v) => v.name),
    find(key) {
      if (typeof key !== 'string') return undefined
      const value = known.get(key) ?? evaluated(key)
      if (value !== undefined) known.set(key, value)
      return value
    },
  }
}

const askFor =
  (cluster: EmbeddedCluster, user: User): AskAccess =>
  ({ account, path, ...about }) =>
    authorizer(cluster)(
      account ? serviceAccount(account.namespace, account.name) : user,
      path === undefined ? about : { verb: about.verb, path },
    )

const serviceAccount = (namespace: string, name: string): User => ({
  name: serviceAccountName(namespace, name),
  groups: [...serviceAccountGroups(namespace), AUTHENTICATED],
})
