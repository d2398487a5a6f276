import {
  isArray,
  type JsonValue,
  jsonEqual,
  type KubeObject,
  type LabelSelector,
  matchesSelector,
  member,
} from '@lockstep/kube/object'
import type { PolicyRule } from './policyrule.ts'
import { policyRules } from './rolegrants.ts'

/** What a ClusterRole gathers others by; none: its rules are its own. */
export function selectorsOf(role: KubeObject): readonly LabelSelector[] {
  const list = member(role.aggregationRule, 'clusterRoleSelectors')
  return isArray(list) ? (list as unknown as readonly LabelSelector[]) : []
}

/** The rules of all roles that a role gathers, by name, each once (kubernetes pkg/controller/clusterroleaggregation). */
export function aggregateRoles(role: KubeObject, all: readonly KubeObject[]): readonly PolicyRule[] {
  const out: PolicyRule[] = []
  const sorted = [...all].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  for (const selector of selectorsOf(role))
    for (const other of sorted) {
      if (other.metadata.name === role.metadata.name || !matchesSelector(selector, other.metadata.labels))
        continue
      for (const rule of policyRules(other)) if (!out.some((r) => sameRule(r, rule))) out.push(rule)
    }
  return out
}

const sameRule = (a: PolicyRule, b: PolicyRule): boolean =>
  jsonEqual(a as unknown as JsonValue, b as unknown as JsonValue)
