import type { ModuleSpec } from '../api/kinds/module.ts'
import { matchesSelector } from '../object/object.ts'

/** Whether `spec.targets` selects a cluster of the module's namespace. Absent selector: none by label. */
export function selectsCluster(
  targets: ModuleSpec['targets'],
  cluster: { name: string; kind: string; labels: Readonly<Record<string, string>> },
): boolean {
  if (!targets) return false
  if (targets.hub === true) return cluster.kind === 'Hub'
  if (cluster.kind === 'Hub') return false
  const byLabel =
    targets.clusterSelector !== undefined && matchesSelector(targets.clusterSelector, cluster.labels)
  const byName = targets.clusters?.includes(cluster.name) === true
  const isExcluded = targets.exclude !== undefined && matchesSelector(targets.exclude, cluster.labels)
  return (byLabel || byName) && !isExcluded
}
