/** `lockstep delete module NAME --orphan CLUSTER,…`: a deleted module goes without clusters that cannot be worked on. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Key, Stored } from '@lockstep/kube/object'
import {
  type Inventory,
  inventoryKind,
  type Module,
  type OwnKind,
  type RemoteAssemblage,
  remoteAssemblageKind,
} from '../../../api/kinds/index.ts'
import { CLI_MANAGER, ORPHAN_ANNOTATION } from '../../../api/labels.ts'
import { namedOrphans } from '../../../controllers/module/index.ts'
import { type HubConnection, listAll } from '../../kit/hub/index.ts'
import { type CommandContext, type CommandResult, failed, nameOf, requestFailure } from '../../kit/index.ts'
import { byKeeper } from '../../kit/snapshot/index.ts'
import { fit, nearest } from '../../kit/terminal/index.ts'

/** What is known of the clusters of a namespace. */
export interface NamespaceDelivery {
  readonly assemblages: readonly Pick<RemoteAssemblage, 'metadata' | 'spec' | 'status'>[]
  readonly inventories: readonly Pick<Inventory, 'spec'>[]
}

export interface OrphanRefusal {
  readonly problem: string
  readonly suggestion: string
}

/** Pure. Why a module cannot go without these clusters; undefined: it can. */
export function orphanRefusal(
  names: readonly string[],
  { kind, name }: { readonly kind: string; readonly name: string },
  { assemblages, inventories }: NamespaceDelivery,
): OrphanRefusal | undefined {
  const isIts = (r: { kind: string; name: string }): boolean => r.kind === kind && r.name === name
  const listed = inventories.filter((i) => isIts(i.spec.moduleRef) && i.spec.released === undefined)
  const has = [...new Set(listed.map((i) => i.spec.clusterRef.name))].sort()
  for (const cluster of names) {
    if (!has.includes(cluster)) {
      const meant = nearest(cluster, has)
      const some =
        has.length > 0
          ? `clusters with its objects: ${has.slice(0, 8).join(', ')}`
          : 'it has no objects on any cluster'
      return {
        problem: `it has no objects on cluster ${cluster}`,
        suggestion: meant ? `did you mean ${meant}?` : some,
      }
    }
    const state = assemblages.find((a) => a.metadata.name === cluster)?.status?.cluster
    if (state === 'Connected')
      return {
        problem: `${cluster} is reachable: objects are deleted with the Module`,
        suggestion: 'to keep objects, set spec.apply.deletionPolicy to Orphan',
      }
  }
  return undefined
}

/** The module is deleted if it is not yet; then the names are written down, for the controller that waits for them. */
export async function deleteWithOrphans(
  c: CommandContext,
  hub: HubConnection,
  kind: OwnKind,
  key: Key,
  names: readonly string[],
  isDry: boolean,
): Promise<CommandResult | 'absent'> {
  const refused = ({ problem, suggestion }: OrphanRefusal) =>
    failed('E_REFUSED', { ref: `${kind.kind} ${key.name}`, problem, suggestion }, {}, 'Nothing was changed.')
  if (kind.sourced !== true)
    return failed('E_USAGE', {
      problem: `--orphan requires a Module: a ${kind.kind} has no objects on clusters`,
      suggestion: 'lockstep delete module NAME --orphan CLUSTER,CLUSTER',
    })
  const read = { purpose: 'user', signal: c.signal } as const
  const found = await hub.client.get<Module>(kind as never, key, read)
  if (!found.ok) return found.error.kind === 'NotFound' ? 'absent' : requestFailure(found.error, hub.server)
  const seen = await deliveredIn(c, hub)
  if (!seen.ok) return seen
  const refusal = orphanRefusal(names, { kind: kind.kind, name: key.name }, seen.value)
  if (refusal) return refused(refusal)
  const { uid } = found.value.metadata
  const write = { ...read, manager: CLI_MANAGER, dryRun: isDry }
  if (found.value.metadata.deletionTimestamp === undefined) {
    const gone = await hub.client.delete(kind, key, { ...write, precondition: 'any' })
    if (!gone.ok && gone.error.kind !== 'NotFound') return requestFailure(gone.error, hub.server)
  }
  const named = await name(hub, kind, key, { uid, names, write })
  if (!named.ok) return named
  const text = named.value
    ? `${isDry ? 'would be' : 'is being'} deleted; objects on ${names.join(', ')} are orphaned${isDry ? ' (server dry run)' : ` (lockstep status ${key.name})`}`
    : 'deleted'
  if (c.globals.output === 'name') c.terminal.data(`${nameOf(kind, key.name)}\n`)
  else c.terminal.print(fit(c.terminal.look, `${nameOf(kind, key.name)} ${text}`))
  return { ok: true, value: 0 }
}

async function deliveredIn(c: CommandContext, hub: HubConnection) {
  const scope = { namespace: hub.namespace }
  const assemblages = await listAll<RemoteAssemblage>(c, hub, remoteAssemblageKind, scope)
  if (!assemblages.ok) return assemblages
  const inventories = await listAll<Inventory>(c, hub, inventoryKind, scope)
  return inventories.ok
    ? ok({ assemblages: byKeeper(assemblages.value).assemblages, inventories: inventories.value })
    : inventories
}

/** Its status is written all the time: so often the names are put beside those that are there. */
const MOST_TRIES = 10

interface OrphanNames {
  readonly uid: string
  readonly names: readonly string[]
  readonly write: { purpose: 'user'; manager: string; dryRun: boolean; signal: AbortSignal }
}

/** False: it is gone already. */
async function name(
  hub: HubConnection,
  kind: OwnKind,
  key: Key,
  { uid, names, write }: OrphanNames,
): Promise<Result<boolean, (CommandResult & { ok: false })['error']>> {
  for (let tries = 1; ; tries++) {
    const found = await hub.client.get<Module>(kind as never, key, { purpose: 'user', signal: write.signal })
    const isGone = found.ok ? found.value.metadata.uid !== uid : found.error.kind === 'NotFound'
    if (isGone) return ok(false)
    if (!found.ok) return requestFailure(found.error, hub.server)
    const module: Stored<Module> = found.value
    const all = [...new Set([...namedOrphans(module), ...names])].join(',')
    const patch = { metadata: { annotations: { [ORPHAN_ANNOTATION]: all } } }
    const { resourceVersion } = module.metadata
    const done = await hub.client.patch(kind, key, patch, {
      ...write,
      precondition: { uid, resourceVersion },
    })
    if (done.ok) return ok(true)
    if (done.error.kind === 'NotFound') return ok(false)
    if (done.error.kind !== 'FenceLost' || tries === MOST_TRIES)
      return err(requestFailure(done.error, hub.server).error)
  }
}
