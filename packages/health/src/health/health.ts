/** The health of one object, as far as the object itself tells. */
import { isCustomGroup, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import {
  conditionIs,
  conditionsOf,
  type Health,
  type HealthProfile,
  type HealthRule,
  healthy,
  progressing,
} from '../state/healthstate.ts'
import { argoHealth } from './argohealth.ts'
import { customHealth } from './customhealth.ts'
import { type ExpressionRule, evaluateExpression } from './expressionrule.ts'
import { genericHealth, staleHealth } from './generichealth.ts'
import { kstatusHealth } from './kstatus.ts'
import { otherHealthRules } from './otherhealthrules.ts'
import { tableHealth } from './tablehealth.ts'
import { workloadHealthRules } from './workloadhealth.ts'

/** By `group/Kind`. Kinds of Kubernetes as kstatus reads them, with our differences: each rule that differs says so. */
const rules: Readonly<Record<string, HealthRule>> = { ...workloadHealthRules, ...otherHealthRules }

/**
 * First that applies: absent, being deleted, a user's expression; then what the profile says. `nowMs` is wall-clock time. The
 * result says which rule has spoken.
 */
export function healthOf(
  o: KubeObject | undefined,
  nowMs: number,
  expression?: ExpressionRule,
  profile: HealthProfile = 'Lockstep',
): Health {
  if (!o) return { state: 'Missing', message: 'does not exist', rule: 'existence' }
  if (o.metadata.deletionTimestamp !== undefined)
    return { state: 'Progressing', message: 'is being deleted', rule: 'deletionTimestamp' }
  if (expression) return evaluateExpression(expression, o)
  if (profile === 'KStatus') return finished(kstatusHealth(o, nowMs), o)
  if (profile === 'Argo') return finished(asArgo(o, nowMs), o)
  return asLockstep(o, nowMs)
}

/**
 * An unobserved generation; the rule of a custom kind; Reconciling and Stalled, the rule of a built-in kind; then conditions.
 * (cli-utils kstatus `generic.go`, `core.go`.)
 */
function asLockstep(o: KubeObject, nowMs: number): Health {
  const found = named('observedGeneration', staleHealth(o)) ?? tableHealth(o, 'Lockstep')
  if (found) return found
  const generic = named('conditions', genericHealth(o))
  if (generic) return generic
  const { key, isBuiltIn } = kindOf(o)
  const rule = own(key)
  if (rule) return { ...(rule(o, nowMs) ?? healthy), rule: key.replace(/^\//, 'core/') }
  return isBuiltIn ? (readyCondition(o) ?? { ...healthy, rule: 'existence' }) : customHealth(o)
}

/** The rule table and the built-in checks; kinds of Kubernetes without one are healthy. */
function asArgo(o: KubeObject, nowMs: number): Health {
  const { key, isBuiltIn } = kindOf(o)
  const found = tableHealth(o, 'Argo') ?? argoHealth(o, key, nowMs)
  if (found) return found
  if (isBuiltIn) return { ...healthy, rule: 'existence' }
  return (
    named('observedGeneration', staleHealth(o)) ?? named('conditions', genericHealth(o)) ?? customHealth(o)
  )
}

function kindOf(o: KubeObject): { readonly key: string; readonly isBuiltIn: boolean } {
  const { group } = parseApiVersion(o.apiVersion)
  return { key: `${group}/${o.kind}`, isBuiltIn: !isCustomGroup(group) }
}

const own = (key: string): HealthRule | undefined => (Object.hasOwn(rules, key) ? rules[key] : undefined)

const named = (rule: string, health: Health | undefined): Health | undefined => health && { ...health, rule }

/** Two profiles are content with a Job that runs; what waits for its end is not. */
const finished = (health: Health, o: KubeObject): Health =>
  health.state === 'Healthy' && kindOf(o).key === 'batch/Job' && !conditionIs(o, 'Complete', 'True')
    ? { ...health, unfinished: true }
    : health

function readyCondition(o: KubeObject): Health | undefined {
  const ready = conditionsOf(o).find((c) => c.type === 'Ready')
  if (!ready) return undefined
  const health =
    ready.status === 'True'
      ? healthy
      : progressing(ready.message || ready.reason || `Ready is ${ready.status}`)
  return { ...health, rule: 'conditions' }
}

export type { Health, HealthProfile } from '../state/healthstate.ts'
export { SUCCEEDED, waitingReason } from './workloadhealth.ts'
