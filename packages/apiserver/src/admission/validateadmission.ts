import type { KubeObject } from '../../../kube/src/object/index.ts'
import { LOOPBACK } from '../auth/user.ts'
import type { Cluster } from '../server/embeddedcluster.ts'
import { resourceOf } from '../resources/servedkind.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { forbidden } from '../status/apifailure.ts'
import type { Denial } from './evaluatepolicy.ts'
import { evaluatePolicy } from './evaluatepolicy.ts'
import { isExempt, matchingKind } from './matchingkind.ts'
import { paramsOf } from './params.ts'
import type { Binding, Policy } from './validatingpolicy.ts'
import { bindingOf, GROUP, policyOf } from './validatingpolicy.ts'
import type { Review } from './review.ts'

/** Why the first policy that refuses a write refuses it; others warn. Policies are in force once they are stored. */
export function admit(r: Review): ApiFailure | undefined {
  if (r.user === LOOPBACK || isExempt(r.kind)) return undefined
  for (const { policy, bindings } of inForce(r.cluster)) {
    const refused = decide(r, policy, bindings)
    if (refused) return refused
  }
  return undefined
}

interface Bound {
  readonly policy: Policy
  readonly bindings: readonly Binding[]
}

/** Policies with a binding, by name. */
function inForce(cluster: Cluster): Bound[] {
  const found = objectsOf(cluster, 'validatingadmissionpolicybindings').map(bindingOf)
  if (found.length === 0) return []
  return objectsOf(cluster, 'validatingadmissionpolicies')
    .map(policyOf)
    .map((policy) => ({ policy, bindings: found.filter((b) => b.policyName === policy.name) }))
    .filter(({ bindings }) => bindings.length > 0)
}

function objectsOf(cluster: Cluster, plural: string): KubeObject[] {
  const table = cluster.kinds.find(GROUP, 'v1', plural)?.table
  return table && table.live.size > 0
    ? [...table.live.keys('', '')].map((key) => table.live.get(key)!.object)
    : []
}

function decide(r: Review, policy: Policy, bindings: readonly Binding[]): ApiFailure | undefined {
  const shown = matchingKind(r, policy.constraints)
  if (!shown) return undefined
  const { paramKind } = policy
  if (paramKind && !r.cluster.kinds.byType(paramKind.apiVersion, paramKind.kind)) {
    const type = `${paramKind.apiVersion}, Kind=${paramKind.kind}`
    return misconfigured(
      r,
      policy,
      undefined,
      `failed to configure policy: failed to find resource referenced by paramKind: '${type}'`,
    )
  }
  for (const binding of bindings) {
    if (binding.constraints && !matchingKind(r, binding.constraints)) continue
    const params = paramsOf(r, policy, binding)
    const refused = params.ok
      ? enforce(
          r,
          policy,
          binding,
          params.value.flatMap((p) => evaluatePolicy(r, shown, policy, p)),
        )
      : misconfigured(r, policy, binding, `failed to configure binding: ${params.error}`)
    if (refused) return refused
  }
  return undefined
}

/** Does what the binding asks for: refuse, warn. What should only be audited is written nowhere. */
function enforce(
  r: Review,
  policy: Policy,
  binding: Binding,
  denials: readonly Denial[],
): ApiFailure | undefined {
  let refused: ApiFailure | undefined
  for (const d of denials) {
    if (d.always || binding.actions.includes('Deny')) refused ??= denied(r, policy, binding, d)
    else if (binding.actions.includes('Warn'))
      r.warn(`Validation failed for ${named(policy, binding)}: ${d.message}`)
  }
  return refused
}

const misconfigured = (
  r: Review,
  policy: Policy,
  binding: Binding | undefined,
  message: string,
): ApiFailure | undefined =>
  policy.ignoresFailures ? undefined : denied(r, policy, binding, { message, reason: 'Invalid' })

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
}

const named = (policy: Policy, binding: Binding | undefined): string =>
  `ValidatingAdmissionPolicy '${policy.name}'${binding ? ` with binding '${binding.name}'` : ''}`

function denied(r: Review, policy: Policy, binding: Binding | undefined, d: Denial): ApiFailure {
  const message = `${named(policy, binding)} denied request: ${d.message}`
  const refused = forbidden(resourceOf(r.kind), r.name || 'Unknown', message, [{ message }])
  const code = Object.hasOwn(CODES, d.reason) ? CODES[d.reason]! : 422
  return { ...refused, code, reason: d.reason }
}
