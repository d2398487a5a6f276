/** A selector that matches no cluster is mostly a slip of the pen: the labels that there are show it. Pure. */

import { matchesSelector, type Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Module } from '../../api/kinds/index.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { UnitFacts } from './unitviews.ts'

type ModuleSelector = NonNullable<NonNullable<Module['spec']['targets']>['clusterSelector']>

/** Of each key: more values are no help. */
const MOST_VALUES = 10

export function emptySelectorBlockers(
  module: Stored<Module>,
  units: readonly UnitFacts[],
  clusters: readonly ClusterView[],
): NewBlocker[] {
  const selector = module.spec.targets?.clusterSelector
  const others = clusters.filter((c) => c.kind !== 'Hub')
  if (!selector || units.some((u) => u.view.selected) || others.length === 0) return []
  const matching = others.filter((c) => matchesSelector(selector, c.labels))
  const { kind, metadata } = module
  const on: WaitRefOf<'Module'> = {
    kind: 'Module',
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    ...(kind === 'Module' ? {} : { object: { apiVersion: module.apiVersion, kind } }),
  }
  return [
    blocked('SelectsNothing', [on], {
      total: others.length,
      selector: selectorText(selector),
      labels: labelsSeen(selector, others),
      matching: matching.length,
      ...unselected(matching, units),
    }),
  ]
}

/** Matching clusters that are not counted, by cause. */
function unselected(matching: readonly ClusterView[], units: readonly UnitFacts[]) {
  const names = new Set(units.flatMap((u) => (u.condition.reason === 'DuplicateOf' ? [u.view.cluster] : [])))
  const duplicates = matching.filter((c) => names.has(c.name)).length
  const deleting = matching.filter((c) => !names.has(c.name) && c.deleting).length
  return { duplicates, deleting, excluded: matching.length - duplicates - deleting }
}

function selectorText({ matchLabels = {}, matchExpressions = [] }: ModuleSelector): string {
  const parts = Object.entries(matchLabels).map(([k, v]) => `${k}=${v}`)
  for (const e of matchExpressions)
    parts.push(`${e.key} ${e.operator}${e.values ? ` (${few(e.values)})` : ''}`)
  return parts.join(', ') || 'it'
}

/** Of the keys that are asked for, the values that there are: the most frequent first. */
function labelsSeen(
  { matchLabels = {}, matchExpressions = [] }: ModuleSelector,
  clusters: readonly ClusterView[],
): string[] {
  const keys = new Set([...Object.keys(matchLabels), ...matchExpressions.map((e) => e.key)])
  return [...keys].sort().flatMap((key) => {
    const counts = new Map<string, number>()
    for (const { labels } of clusters) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    const values = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    return values.length === 0 ? [] : [few(values.map(([v]) => `${key}=${v}`))]
  })
}

function few(texts: readonly string[]): string {
  const more = texts.length - MOST_VALUES
  return more > 0 ? `${texts.slice(0, MOST_VALUES).join(', ')} and ${more} more` : texts.join(', ')
}
