import type { KubeObject } from '@lockstep/kube/object'
import { LOOPBACK } from '../auth/user.ts'
import { resourceOf } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { forbidden } from '../status/apifailure.ts'
import type { Denial } from './evaluatepolicy.ts'
import { evaluatePolicy } from './evaluatepolicy.ts'
import { isExempt, matchingKind } from './matchingkind.ts'
import { paramsOf } from './params.ts'
import type { Review } from './review.ts'
import type { PolicyBinding, ValidatingPolicy } from './validatingpolicy.ts'
import { bindingOf, GROUP, policyOf } from './validatingpolicy.ts'

/** Why the first policy that refuses a write refuses it; others warn. Policies are in force once they are stored. */
export function validateAdmission(r: Review): ApiFailure | undefined {
  if (r.user === LOOPBACK || isExempt(r.kind)) return undefined
  for (const { policy, bindings } of inForce(r.cluster)) {
    const refused = decide(r, policy, bindings)
    if (refused) return refused
  }
  return undefined
}

interface BoundPolicy {
  readonly policy: ValidatingPolicy
  readonly bindings: readonly PolicyBinding[]
}

/** Policies with a binding, by name. */
function inForce(cluster: EmbeddedCluster): BoundPolicy[] {
  const found = objectsOf(cluster, 'validatingadmissionpolicybindings').map(bindingOf)
  if (found.length === 0) return []
  return objectsOf(cluster, 'validatingadmissionpolicies')
    .map(policyOf)
    .map((policy) => ({ policy, bindings: found.filter((b) => b.policyName === policy.name) }))
    .filter(({ bindings }) => bindings.length > 0)
}

function objectsOf(cluster: EmbeddedCluster, plural: string): KubeObject[] {
  const table = cluster.kinds.find(GROUP, 'v1', plural)?.table
  return table && table.live.size > 0
    ? [...table.live.keys('', '')].map((key) => table.live.get(key)!.object)
    : []
}

function decide(
  r: Review,
  policy: ValidatingPolicy,
  bindings: readonly PolicyBinding[],
): ApiFailure | undefined {
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
  policy: ValidatingPolicy,
  binding: PolicyBinding,
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
  policy: ValidatingPolicy,
  binding: PolicyBinding | undefined,
  message: string,
): ApiFailure | undefined =>
  policy.ignoresFailures ? undefined : denied(r, policy, binding, { message, reason: 'Invalid' })

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
}

const named = (policy: ValidatingPolicy, binding: PolicyBinding | undefined): string =>
  `ValidatingAdmissionPolicy '${policy.name}'${binding ? ` with binding '${binding.name}'` : ''}`

function denied(
  r: Review,
  policy: ValidatingPolicy,
  binding: PolicyBinding | undefined,
  d: Denial,
): ApiFailure {
  const message = `${named(policy, binding)} denied request: ${d.message}`
  const refused = forbidden(resourceOf(r.kind), r.name || 'Unknown', message, [{ message }])
  const code = Object.hasOwn(CODES, d.reason) ? CODES[d.reason]! : 422
  return { ...refused, code, reason: d.reason }
}
