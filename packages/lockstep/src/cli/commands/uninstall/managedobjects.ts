/** What Lockstep looks after on a hub. */

import { ok, type Result } from '@lockstep/kube/env'
import { crdKind, leaseKind, roleBindingKind } from '@lockstep/kube/kinds'
import type { Kind, KubeObject, Stored } from '@lockstep/kube/object'
import { isOurDefinition, OUR_SELECTOR } from '../../../api/crd/index.ts'
import {
  approvalKind,
  bootstrapModuleKind,
  type ClusterResourceSet,
  disruptionBudgetKind,
  holdKind,
  inventoryKind,
  type Module,
  moduleKind,
  pipelineKind,
  promotionKind,
  remoteAssemblageKind,
  setKind,
} from '../../../api/kinds/index.ts'
import { MANAGED_BY_LABEL, PULL_REQUESTS_FINALIZER, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { type HubConnection, listAll } from '../../kit/hub/index.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../../kit/index.ts'
import { LEASE_NAME } from '../../kit/leader/index.ts'
import { isHeld, setKindsOn } from '../../kit/sets/index.ts'
import { plural } from '../../kit/terminal/index.ts'
import type { ManagedObjects } from './uninstallblockers.ts'

type ReadResult<T> = Promise<Result<T, CliFailure>>

/** All of a kind; none where it is not served. */
async function all<T extends KubeObject>(
  c: CommandContext,
  hub: HubConnection,
  kind: Kind<T>,
  label?: string,
): ReadResult<Stored<T>[]> {
  const found = await listAll(c, hub, kind, label === undefined ? {} : { labelSelector: label })
  return !found.ok && found.error.code === 'E_NOT_INSTALLED' ? ok([]) : found
}

export async function readManagedObjects(c: CommandContext, hub: HubConnection): ReadResult<ManagedObjects> {
  const sets = await setsOn(c, hub)
  if (!sets.ok) return sets
  const modules: Stored<Module>[] = []
  for (const kind of [moduleKind, bootstrapModuleKind]) {
    const found = await all<Module>(c, hub, kind)
    if (!found.ok) return found
    modules.push(...found.value.map((m) => ({ ...m, kind: kind.kind })))
  }
  const inventories = await all(c, hub, inventoryKind)
  if (!inventories.ok) return inventories
  const foreign = await all(c, hub, remoteAssemblageKind, MANAGED_BY_LABEL)
  if (!foreign.ok) return foreign
  const closing: Stored[] = []
  for (const kind of [pipelineKind, promotionKind]) {
    const found = await all(c, hub, kind as Kind)
    if (!found.ok) return found
    closing.push(...found.value.filter((o) => o.metadata.finalizers?.includes(PULL_REQUESTS_FINALIZER)))
  }
  return ok({ ...sets.value, modules, inventories: inventories.value, foreign: foreign.value, closing })
}

async function setsOn(
  c: CommandContext,
  hub: HubConnection,
): ReadResult<Pick<ManagedObjects, 'sets' | 'setLabels' | 'isOwnDefinition'>> {
  const key = { name: `${setKind.plural}.${setKind.group}` }
  const definition = await hub.client.get(crdKind, key, { purpose: 'user', signal: c.signal })
  if (!definition.ok && definition.error.kind === 'NotFound')
    return ok({ sets: [], setLabels: undefined, isOwnDefinition: false })
  if (!definition.ok) return requestFailure(definition.error, hub.server)
  const kinds = await setKindsOn(c, hub)
  if (!kinds.ok) return kinds
  const sets = await listAll<ClusterResourceSet>(c, hub, kinds.value.set)
  if (!sets.ok) return sets
  const setLabels = definition.value.metadata.labels
  return ok({ sets: sets.value, setLabels, isOwnDefinition: isOurDefinition(setLabels) })
}

/** What people have written, and what goes with its definition without anybody's loss but theirs: `2 holds`. */
export async function deletedWithDefinitions(c: CommandContext, hub: HubConnection): ReadResult<string[]> {
  const found: string[] = []
  for (const kind of [holdKind, approvalKind, disruptionBudgetKind, pipelineKind]) {
    const some = await all(c, hub, kind as Kind)
    if (!some.ok) return some
    const n = some.value.length
    if (n > 0) found.push(plural(n, kind.singular))
  }
  return ok(found)
}

/** Namespaces in which `install` has given rights, beside that of the controller. */
export async function managedNamespaces(c: CommandContext, hub: HubConnection): ReadResult<string[]> {
  const bindings = await listAll(c, hub, roleBindingKind, { labelSelector: OUR_SELECTOR })
  if (!bindings.ok) return bindings
  const found = new Set(bindings.value.map((b) => b.metadata.namespace ?? ''))
  found.delete(SYSTEM_NAMESPACE)
  return ok([...found].sort())
}

/** Who leads now; undefined: nobody, or it may not be known. */
export async function currentLeader(c: CommandContext, hub: HubConnection): Promise<string | undefined> {
  const key = { namespace: SYSTEM_NAMESPACE, name: LEASE_NAME }
  const lease = await hub.client.get(leaseKind, key, { purpose: 'user', signal: c.signal })
  return lease.ok && isHeld(lease.value, c.env.clock.now()) ? lease.value.spec?.holderIdentity : undefined
}
