/** `lockstep cluster remove`: the Secret first, so that the controller ends before its account does. */
import { ok, type Result } from '@lockstep/kube/env'
import { type Secret, secretKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { type Inventory, inventoryKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER, ORPHANED_ANNOTATION } from '../../../api/labels.ts'
import { listAll, type OpenedHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  requestFailure,
  textFlag,
} from '../../kit/index.ts'
import {
  asAdministrator,
  objectText,
  readRegistration,
  registrationObjects,
} from '../../kit/registration/index.ts'
import { firstOf, fit, plural } from '../../kit/terminal/index.ts'
import { findClusterSecret, notRegistered } from './clustersecret.ts'

export async function removeCluster(
  c: CommandContext,
  hub: OpenedHub,
  name: string,
  flags: Flags,
): Promise<CommandResult> {
  const found = await findClusterSecret(c, hub, name)
  if (!found.ok) return found
  const context = textFlag(flags, 'clusterContext')
  // A run that was interrupted has deleted the Secret and not the account.
  if (!found.value && context === undefined) return notRegistered(hub, name)
  const free = isSet(flags, 'orphan') ? ok(undefined) : await requireUnused(c, hub, name)
  if (!free.ok) return free
  // Before the first deletion: a context that is wrong deletes nothing.
  const account = context === undefined ? ok([]) : await deleteAccount(c, hub, name, context, found.value)
  if (!account.ok) return account
  if (context === undefined && found.value) {
    const deleted = await deleteSecret(c, hub, found.value)
    if (!deleted.ok) return deleted
  }
  const t = c.terminal
  const isForPrograms = c.globals.output !== 'table' && c.globals.output !== 'wide'
  if (isForPrograms) t.data(`cluster/${name}\n`)
  else {
    for (const text of account.value) t.print(fit(t.look, `${text} deleted`))
    t.print(fit(t.look, `cluster/${name} was removed from namespace ${hub.namespace}`))
  }
  return ok(0)
}

/** Fails while Modules have objects on the cluster, or are to bring some there. */
async function requireUnused(
  c: CommandContext,
  hub: OpenedHub,
  name: string,
): Promise<Result<void, CliFailure>> {
  const all = await listAll<Inventory>(c, hub, inventoryKind, { namespace: hub.namespace })
  if (!all.ok) return all
  const units = all.value.filter((i) => isUnit(i, name))
  if (units.length === 0) return ok(undefined)
  const modules = firstOf([...new Set(units.map((i) => i.spec.moduleRef.name))].sort()).join(', ')
  return failed('E_CLUSTER_IN_USE', { units: plural(units.length, 'unit'), name, modules })
}

const isUnit = ({ metadata, spec }: Stored<Inventory>, cluster: string): boolean =>
  spec.clusterRef.name === cluster &&
  spec.released === undefined &&
  metadata.annotations?.[ORPHANED_ANNOTATION] === undefined

async function deleteSecret(
  c: CommandContext,
  hub: OpenedHub,
  { metadata: { name, uid, resourceVersion } }: Stored<Secret>,
): Promise<Result<void, CliFailure>> {
  const deleted = await hub.client.delete(
    secretKind,
    { namespace: hub.namespace, name },
    { purpose: 'user', manager: CLI_MANAGER, signal: c.signal, precondition: { uid, resourceVersion } },
  )
  return deleted.ok || deleted.error.kind === 'NotFound'
    ? ok(undefined)
    : requestFailure(deleted.error, hub.server)
}

/** Deletes the Secret, then the objects of `cluster add` on the cluster. Namespace lockstep-system has stamps of other hubs, too. */
async function deleteAccount(
  c: CommandContext,
  hub: OpenedHub,
  name: string,
  word: string,
  secret: Stored<Secret> | undefined,
): Promise<Result<string[], CliFailure>> {
  const registration = await readRegistration(c, hub, name)
  if (!registration.ok) return registration
  return asAdministrator(c, hub, { name, word }, async ({ client, server }) => {
    const gone = secret ? await deleteSecret(c, hub, secret) : ok(undefined)
    if (!gone.ok) return gone
    const deleted: string[] = []
    // The account last: without it, its rights would stay for a later one of its name.
    for (const { kind, object } of registrationObjects(registration.value, []).reverse()) {
      const { namespace, name: of = '' } = object.metadata
      const key = namespace === undefined ? { name: of } : { namespace, name: of }
      const options = {
        purpose: 'user',
        manager: CLI_MANAGER,
        signal: c.signal,
        precondition: 'any',
      } as const
      const answer = await client.delete(kind, key, options)
      if (answer.ok) deleted.push(objectText(kind, object))
      else if (answer.error.kind !== 'NotFound') return requestFailure(answer.error, server)
    }
    return ok(deleted)
  })
}
