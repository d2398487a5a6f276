import { matchesSelector } from '@lockstep/kube/object'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import type { ClusterView } from './cluster.ts'

/** What of a cluster is asked for. */
export type ClusterSelectionInput = Pick<
  ClusterView,
  'name' | 'objectName' | 'kind' | 'labels' | 'properties'
>

/** Whether `spec.targets` selects a cluster of the module's namespace. Absent selector: none by label. */
export function selectsCluster(targets: ModuleSpec['targets'], cluster: ClusterSelectionInput): boolean {
  if (!targets) return false
  if (targets.hub === true) return cluster.kind === 'Hub'
  if (cluster.kind === 'Hub') return false
  if (targets.inventories && !targets.inventories.some((kind) => kind === cluster.kind)) return false
  if (!(targets.properties ?? []).every((p) => hasProperty(p, cluster.properties))) return false
  const byLabel =
    targets.clusterSelector !== undefined && matchesSelector(targets.clusterSelector, cluster.labels)
  const byName =
    targets.clusters?.some((name) => name === cluster.objectName || name === cluster.name) === true
  const isExcluded = targets.exclude !== undefined && matchesSelector(targets.exclude, cluster.labels)
  return (byLabel || byName) && !isExcluded
}

type Property = NonNullable<NonNullable<ModuleSpec['targets']>['properties']>[number]

/** As an expression over labels, but over values that are no label values. */
const hasProperty = ({ name, operator, values }: Property, properties: ClusterView['properties']): boolean =>
  matchesSelector({ matchExpressions: [{ key: name, operator, ...(values ? { values } : {}) }] }, properties)
