/** ClusterResourceSets: their controllers, and which change is whose business. */
import type { Stored } from '../../api/kind.ts'
import type { ClusterResourceSet, ClusterResourceSetBinding } from '../../api/kinds/resourceset.ts'
import type { Inventory } from '../../api/registry.ts'
import type { ClusterView } from '../../fleet/cluster.ts'
import { selectionId } from '../../fleet/selections.ts'
import type { Item } from '../../kube/queue.ts'
import type { Context } from '../context.ts'
import type { HubChange } from '../hub.ts'
import { inputSelection } from '../inputs.ts'
import type { Controllers } from '../worker.ts'
import { BINDING_CONTROLLER, BindingController } from './bindings.ts'
import { inventoriesOf, SET_KIND } from './plan.ts'
import { SetPlans } from './plans.ts'
import { SET_CONTROLLER, SetController } from './setcontroller.ts'
import { SET_UNIT_CONTROLLER, SetUnitController } from './setunit.ts'
import { SetSources } from './sources.ts'

export class Sets {
  readonly controllers: Controllers
  private readonly c: Context
  private readonly sets: SetController
  private readonly units: SetUnitController
  private readonly bindings: BindingController

  constructor(c: Context) {
    this.c = c
    const plans = new SetPlans(c.hub)
    this.units = new SetUnitController(c, plans)
    this.bindings = new BindingController(c)
    this.sets = new SetController(c, plans, new SetSources(c.hub), {
      unit: (namespace, name, cluster) => c.queue.add(this.units.item(namespace, name, cluster)),
    })
    this.controllers = {
      [SET_CONTROLLER]: this.sets,
      [SET_UNIT_CONTROLLER]: this.units,
      [BINDING_CONTROLLER]: this.bindings,
    }
  }

  /** After a start. */
  everything(): void {
    for (const set of this.c.hub.sets.all()) this.setChanged(set)
    for (const i of this.c.hub.inventories.store.all()) this.inventoryChanged(i)
  }

  changed(what: HubChange, object: unknown): void {
    if (what === 'set') this.setChanged(object as Stored<ClusterResourceSet>)
    if (what === 'setBinding') this.bindingChanged(object as Stored<ClusterResourceSetBinding>)
    if (what === 'inventory') this.inventoryChanged(object as Stored<Inventory>)
    if (what === 'configMap') this.configMapChanged((object as Stored).metadata)
  }

  /** By the id of its selection; false: no set names it. */
  secretChanged(id: string): boolean {
    let isNamed = false
    for (const { metadata, spec } of this.c.hub.sets.all())
      for (const { kind, name } of spec.resources ?? []) {
        const { namespace = '' } = metadata
        if (kind !== 'Secret' || selectionId(inputSelection(kind, { namespace, name })) !== id) continue
        isNamed = true
        this.add(this.sets.item(namespace, metadata.name))
      }
    return isNamed
  }

  private setChanged(set: Stored<ClusterResourceSet>): void {
    const { namespace = '', name } = set.metadata
    this.add(this.sets.item(namespace, name))
    for (const i of inventoriesOf(this.c.hub, set))
      this.add(this.units.item(namespace, name, i.spec.clusterRef.name))
  }

  private bindingChanged({ metadata: { namespace = '', name } }: Stored<ClusterResourceSetBinding>): void {
    this.add(this.bindings.item(namespace, name))
  }

  private inventoryChanged(inventory: Stored<Inventory>): void {
    const { metadata, spec } = inventory
    if (!isOfSet(inventory)) return
    const { namespace = '' } = metadata
    this.add(this.sets.item(namespace, spec.moduleRef.name))
    this.add(this.bindings.item(namespace, spec.clusterRef.name))
  }

  clusterChanged(view: ClusterView): void {
    for (const { metadata } of this.c.hub.sets.all())
      if (metadata.namespace === view.namespace) {
        this.add(this.sets.item(view.namespace, metadata.name))
        this.add(this.units.item(view.namespace, metadata.name, view.name))
      }
  }

  private configMapChanged({ namespace, name }: Stored['metadata']): void {
    for (const { metadata, spec } of this.c.hub.sets.all())
      if (
        metadata.namespace === namespace &&
        spec.resources?.some((r) => r.kind === 'ConfigMap' && r.name === name)
      )
        this.add(this.sets.item(metadata.namespace ?? '', metadata.name))
  }

  private add(item: Item): void {
    this.c.queue.add(item)
  }
}

/** What delivers by the engine of modules is looked after there. */
export const isOfSet = ({ spec: { moduleRef, set } }: Stored<Inventory>): boolean =>
  moduleRef.kind === SET_KIND && set !== undefined
