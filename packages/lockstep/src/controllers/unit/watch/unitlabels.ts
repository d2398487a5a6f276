import type { ClusterView } from '../../../fleet/clusters/index.ts'
import type { UnitKey } from '../../runtime/index.ts'

/** Which unit a label on a cluster belongs to: events of objects carry the label only. */
export class UnitLabels {
  private readonly units = new Map<string, UnitKey>()

  of(view: ClusterView, label: string): UnitKey | undefined {
    return this.units.get(labelId(view, label))
  }

  set(view: ClusterView, label: string, unit: UnitKey): void {
    this.units.set(labelId(view, label), unit)
  }

  delete(view: ClusterView, label: string): void {
    this.units.delete(labelId(view, label))
  }
}

const labelId = (view: ClusterView, label: string): string =>
  view.access.type === 'Hub' ? `hub ${label}` : `${view.namespace}/${view.name} ${label}`
