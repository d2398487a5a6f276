/** A Module that selects no cluster, mostly by a typing error: the labels and names of the clusters show it. Pure. */

import { matchesSelector, type Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Module } from '../../api/kinds/index.ts'
import { moduleWaitRef } from '../../decisions/graph/index.ts'
import { moduleRefOf } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { UnitFacts } from './unitviews.ts'

type ModuleSelector = NonNullable<NonNullable<Module['spec']['targets']>['clusterSelector']>

/** Values of each key in a message. */
const MOST_VALUES = 10

/** Undefined: it selects a cluster, is being deleted, or may select none. An unreachable cluster counts as selected. */
export function emptySelection(
  module: Stored<Module>,
  units: readonly UnitFacts[],
  clusters: readonly ClusterView[],
): NewBlocker | undefined {
  const { clusterSelector: selector, clusters: names = [], allowEmpty, hub } = module.spec.targets ?? {}
  const isDeleting = module.metadata.deletionTimestamp !== undefined
  if (isDeleting || hub === true || allowEmpty === true || units.some((u) => u.view.selected))
    return undefined
  const others = clusters.filter((c) => c.kind !== 'Hub')
  const matching = others.filter(
    (c) =>
      (selector !== undefined && matchesSelector(selector, c.labels)) || names.some((n) => isNamed(n, c)),
  )
  const missing = missingClusters(module, clusters)
  return blocked('SelectsNothing', [moduleWaitRef({ to: moduleRefOf(module) })], {
    total: others.length,
    ...(selector === undefined ? {} : { selector: selectorText(selector) }),
    labels: selector === undefined ? [] : labelsSeen(selector, others),
    matching: matching.length,
    ...unselected(matching, units),
    ...(missing.length === 0 ? {} : { missing: missing.slice(0, MOST_VALUES), missingCount: missing.length }),
  })
}

/** Names in spec.targets.clusters that no cluster of the namespace has. */
export const missingClusters = (
  { spec: { targets } }: Pick<Module, 'spec'>,
  clusters: readonly ClusterView[],
): string[] => {
  const others = clusters.filter((c) => c.kind !== 'Hub')
  return (targets?.clusters ?? []).filter((name) => !others.some((c) => isNamed(name, c)))
}

/** By the name of its units, or of its object in the inventory. */
const isNamed = (name: string, c: ClusterView): boolean => name === c.name || name === c.objectName

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
  return parts.join(', ') || '{}'
}

/** Values of the selector's keys on the clusters, the most frequent first. */
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
