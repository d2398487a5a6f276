/** The health of one object, as far as the object itself tells. */
import { type KubeObject, parseApiVersion } from '../../object/object.ts'
import { customHealth } from './custom.ts'
import { genericHealth } from './generic.ts'
import { otherRules } from './others.ts'
import { type ExpressionRule, evaluateExpression } from './rules.ts'
import { conditionsOf, type Health, type HealthRule, healthy, progressing } from './state.ts'
import { workloadRules } from './workloads.ts'

/** By `group/Kind`. Kinds of Kubernetes as kstatus reads them, with our differences: each rule that differs says so. */
const rules: Readonly<Record<string, HealthRule>> = { ...workloadRules, ...otherRules }

/** Groups whose kinds are Kubernetes' own: those without a rule need nothing but to exist. */
const BUILT_IN = /^$|^(apps|batch|policy|autoscaling)$|\.k8s\.io$/

/**
 * First that applies: absent, being deleted, a user's expression, an unobserved generation, Reconciling and Stalled, the
 * rule of the kind, then conditions. (cli-utils kstatus `generic.go`, `core.go`.)
 */
export function healthOf(o: KubeObject | undefined, nowMs: number, expression?: ExpressionRule): Health {
  if (!o) return { state: 'Missing', message: 'does not exist' }
  if (o.metadata.deletionTimestamp !== undefined) return { state: 'Progressing', message: 'is being deleted' }
  if (expression) return evaluateExpression(expression, o)
  const generic = genericHealth(o)
  if (generic) return generic
  const { group } = parseApiVersion(o.apiVersion)
  const rule = rules[`${group}/${o.kind}`]
  if (rule) return rule(o, nowMs) ?? healthy
  return BUILT_IN.test(group) && !isPublicCustomGroup(group)
    ? (readyCondition(o) ?? healthy)
    : customHealth(o)
}

/** Groups below k8s.io that CustomResourceDefinitions live in (Cluster API, Gateway API, snapshots …). */
const isPublicCustomGroup = (group: string): boolean =>
  /(^|\.)x-k8s\.io$|^(snapshot\.storage|gateway\.networking)\.k8s\.io$/.test(group)

function readyCondition(o: KubeObject): Health | undefined {
  const ready = conditionsOf(o).find((c) => c.type === 'Ready')
  if (!ready) return undefined
  return ready.status === 'True'
    ? healthy
    : progressing(ready.message || ready.reason || `Ready is ${ready.status}`)
}

export type { Health } from './state.ts'
export { SUCCEEDED, waitingReason } from './workloads.ts'
