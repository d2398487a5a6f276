/** ClusterResourceSets: their controllers, and which change is whose business. */
import type { Stored } from '@lockstep/kube/object'
import type {
  ClusterResourceSet,
  ClusterResourceSetBinding,
  Inventory,
  Module,
} from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { setOf } from '../../decisions/resourceset/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import {
  type ControllerContext,
  inputSelection,
  isCompanion,
  isOfSet,
  setInventories,
} from '../cache/index.ts'
import {
  annotationsChanged,
  type Controller,
  type ControllerGroup,
  defineController,
  type HubKind,
  objectKey,
  type Request,
  specChanged,
  unitKey,
} from '../runtime/index.ts'
import { BINDING_CONTROLLER, BindingReconciler, bindingName } from './bindingreconciler.ts'
import { SET_CONTROLLER, SetReconciler } from './setreconciler.ts'
import { SET_UNIT_CONTROLLER, SetUnitController } from './setunit.ts'

export class Sets implements ControllerGroup {
  readonly controllers: readonly Controller[]
  private readonly c: ControllerContext
  private readonly sets: SetReconciler
  private readonly units: SetUnitController
  private readonly bindings: BindingReconciler

  /** `wake`: a unit of a Module may have something to do. */
  constructor(c: ControllerContext, wake: (ref: ModuleRef, cluster: string) => void) {
    this.c = c
    const { sets: plans } = c
    this.units = new SetUnitController(c, plans, wake)
    this.bindings = new BindingReconciler(c)
    this.sets = new SetReconciler(c, plans, {
      unit: (namespace, name, cluster) => c.queue.add(this.units.item(namespace, name, cluster)),
    })
    const { sets, units, bindings } = this
    this.controllers = [
      defineController({
        name: SET_CONTROLLER,
        key: objectKey,
        watches: [],
        reconcile: (key) => sets.reconcile(key),
      }),
      defineController({
        name: SET_UNIT_CONTROLLER,
        key: unitKey,
        watches: [],
        reconcile: (key) => units.reconcile(key),
      }),
      defineController({
        name: BINDING_CONTROLLER,
        key: objectKey,
        watches: [],
        reconcile: (key) => bindings.reconcile(key),
      }),
    ]
  }

  /** After a start. */
  enqueueAll(): void {
    for (const set of this.c.hub.sets.all()) this.setChanged(set, true)
    for (const i of this.c.hub.inventories.store.all()) this.inventoryChanged(i)
    for (const b of this.c.hub.setBindings.all()) this.bindingChanged(b)
  }

  changed(what: HubKind, before: unknown, after: unknown): void {
    const object = after ?? before
    if (what === 'sets') {
      // Told once more as it is: its definition has changed, and with it who may write.
      const [was, is] = [before as Stored | undefined, after as Stored | undefined]
      const isAnother = before === after || specChanged(was, is) || annotationsChanged(was, is)
      this.setChanged(object as Stored<ClusterResourceSet>, isAnother)
    }
    if (what === 'setBindings') this.bindingChanged(object as Stored<ClusterResourceSetBinding>)
    if (what === 'inventories') this.inventoryChanged(object as Stored<Inventory>)
    if (what === 'modules' || what === 'bootstrapModules') this.moduleChanged(object as Stored<Module>)
    if (what === 'configMaps') this.configMapChanged((object as Stored).metadata)
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

  selectionChanged(): boolean {
    return false
  }

  /** What its status says is no business of its units. */
  private setChanged(set: Stored<ClusterResourceSet>, isAnother: boolean): void {
    const { namespace = '', name } = set.metadata
    this.add(this.sets.item(namespace, name))
    if (!isAnother) return
    for (const i of setInventories(this.c.hub, set))
      this.add(this.units.item(namespace, name, i.spec.clusterRef.name))
  }

  private bindingChanged({ metadata: { namespace = '', name } }: Stored<ClusterResourceSetBinding>): void {
    this.add(this.bindings.item(namespace, name))
  }

  private inventoryChanged(inventory: Stored<Inventory>): void {
    const { metadata, spec } = inventory
    const { namespace = '' } = metadata
    if (!isOfSet(inventory)) {
      const owner = this.setDelivering(refOfInventory(inventory))
      if (owner === undefined) return
      this.add(this.sets.item(namespace, owner))
      this.add(this.units.item(namespace, owner, spec.clusterRef.name))
      return
    }
    this.add(this.sets.item(namespace, spec.moduleRef.name))
    this.add(this.units.item(namespace, spec.moduleRef.name, spec.clusterRef.name))
    this.add(this.bindings.item(namespace, bindingName(this.c, namespace, spec.clusterRef.name)))
  }

  /** Name of the set whose Module it is; of one that is gone before its Inventories, by its name. */
  private setDelivering(ref: ModuleRef): string | undefined {
    const module = this.c.hub.module(ref)
    if (module) return setOf(module.metadata)?.name
    for (const { metadata } of this.c.hub.sets.all()) if (isCompanion(ref, metadata)) return metadata.name
    return undefined
  }

  /** Of a Module of a set: what it says is said of the set, and what somebody has changed of it is put right. */
  private moduleChanged({ metadata }: Stored<Module>): void {
    const owner = setOf(metadata)
    if (owner) this.add(this.sets.item(metadata.namespace ?? '', owner.name))
  }

  clusterChanged(view: ClusterView): void {
    // One that is made anew has its binding again; that of one that is gone goes.
    if (view.kind === 'ClusterAPI') this.add(this.bindings.item(view.namespace, view.objectName))
    for (const set of this.c.hub.sets.all())
      if (set.metadata.namespace === view.namespace && this.sets.concerns(set, view)) {
        this.add(this.sets.item(view.namespace, set.metadata.name))
        this.add(this.units.item(view.namespace, set.metadata.name, view.name))
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

  private add(item: Request): void {
    this.c.queue.add(item)
  }
}
