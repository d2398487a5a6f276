/** What of an installation is on a hub, and its removal. */

import {
  type KubeResult,
  listAll,
  type RequestError,
  type ServedResource,
  type WriteOptions,
} from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { secretKind } from '@lockstep/kube/kinds'
import {
  apiVersionOf,
  defineKind,
  type JsonObject,
  type Key,
  type Kind,
  type KubeObject,
  parseApiVersion,
  type Stored,
} from '@lockstep/kube/object'
import { z } from 'zod'
import { isOurDefinition, isProtected } from '../../../api/crd/index.ts'
import { BUNDLE_LABEL, CLI_MANAGER, CONFIRM_DELETION_ANNOTATION } from '../../../api/labels.ts'
import type { HubConnection } from '../../kit/hub/index.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../../kit/index.ts'
import { defineReport } from '../../kit/output/index.ts'

const object = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  state: z
    .enum(['Planned', 'Deleted', 'Deleting', 'Kept'])
    .describe('Kept: an object of this name that is not managed by Lockstep.'),
})
export type RemovedObject = z.output<typeof object>
export const uninstallReport = defineReport('Uninstall', { objects: z.array(object).readonly() })

/** One object that is there. */
export interface InstalledObject {
  readonly kind: Kind
  readonly key: Key
  readonly found: Stored
  /** It has the labels of an installation: whatever else has its name stays. */
  readonly isOurs: boolean
}

/** Those of `manifests` that the hub has, in their order. */
export async function installedOn(
  c: CommandContext,
  hub: HubConnection,
  manifests: readonly JsonObject[],
): Promise<Result<InstalledObject[], CliFailure>> {
  const served = await hub.client.discover({ purpose: 'user', signal: c.signal })
  if (!served.ok) return requestFailure(served.error, hub.server)
  const found: InstalledObject[] = []
  for (const manifest of manifests as unknown as KubeObject[]) {
    const kind = servedKind(served.value, manifest)
    if (!kind) continue
    const { name = '', namespace } = manifest.metadata
    const key = namespace === undefined ? { name } : { namespace, name }
    const read = await hub.client.get(kind, key, { purpose: 'user', signal: c.signal })
    if (read.ok)
      found.push({ kind, key, found: read.value, isOurs: isOurDefinition(read.value.metadata.labels) })
    else if (read.error.kind !== 'NotFound') return requestFailure(read.error, hub.server)
  }
  return ok(found)
}

function servedKind(served: readonly ServedResource[], { apiVersion, kind }: KubeObject): Kind | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  const found = served.find((r) => r.group === group && r.version === version && r.kind === kind)
  return found && defineKind(found)
}

/** Contents of revisions that nothing refers to any more: their collector would take them an hour later. */
export async function bundlesOn(
  c: CommandContext,
  hub: HubConnection,
): Promise<Result<InstalledObject[], CliFailure>> {
  const all = await listAll(hub.client, secretKind as unknown as Kind, {
    purpose: 'user',
    signal: c.signal,
    labelSelector: BUNDLE_LABEL,
    fields: 'metadata',
  })
  if (!all.ok) return requestFailure(all.error, hub.server)
  return ok(
    all.value.map((found): InstalledObject => {
      const { namespace = '', name } = found.metadata
      return { kind: secretKind as unknown as Kind, key: { namespace, name }, found, isOurs: true }
    }),
  )
}

/** Others write to it as well: the controller of budgets its status, for example. More changes in a row than this are reported. */
const READS = 10

/** Deletes it, or with `isDry` only asks whether it may be. What the hub protects is confirmed first. */
export async function removeInstalled(
  c: CommandContext,
  hub: HubConnection,
  o: InstalledObject,
  isDry: boolean,
): Promise<Result<RemovedObject['state'], CliFailure>> {
  const { kind, key } = o
  let done = await deleteAsRead(c, hub, o, isDry)
  for (let reads = 0; isFenceLost(done) && reads < READS; reads++) {
    const again = await hub.client.get(kind, key, { purpose: 'user', signal: c.signal })
    // An object that was recreated under the name is not the one that the person was shown.
    if (again.ok && again.value.metadata.uid !== o.found.metadata.uid) break
    done = again.ok ? await deleteAsRead(c, hub, { ...o, found: again.value }, isDry) : again
  }
  // A confirmation in a dry run is not stored: the hub asks for it again.
  if (!done.ok && done.error.kind !== 'NotFound' && !(isDry && isUnconfirmed(done.error, o)))
    return requestFailure(done.error, hub.server)
  if (isDry) return ok('Planned')
  const left = await hub.client.get(kind, key, { purpose: 'user', signal: c.signal })
  return ok(left.ok ? 'Deleting' : 'Deleted')
}

async function deleteAsRead(
  c: CommandContext,
  hub: HubConnection,
  o: InstalledObject,
  isDry: boolean,
): Promise<KubeResult<unknown>> {
  const write = { purpose: 'user', manager: CLI_MANAGER, signal: c.signal, dryRun: isDry } as const
  const confirmed = isProtected(o.found) ? await confirm(hub, o, write) : ok(o.found)
  if (!confirmed.ok) return confirmed
  return hub.client.delete(o.kind, o.key, { ...write, precondition: fenceOf(confirmed.value) })
}

/** The person has been shown the object, and asks for its deletion. In a dry run the object stays as it was read. */
async function confirm(
  hub: HubConnection,
  { kind, key, found }: InstalledObject,
  write: WriteOptions,
): Promise<KubeResult<Stored>> {
  const annotations = { [CONFIRM_DELETION_ANNOTATION]: found.metadata.uid }
  const precondition = fenceOf(found)
  const done = await hub.client.patch(kind, key, { metadata: { annotations } }, { ...write, precondition })
  return done.ok && write.dryRun ? ok(found) : done
}

const fenceOf = ({ metadata: { uid, resourceVersion } }: Stored) => ({ uid, resourceVersion })

const isFenceLost = (done: KubeResult<unknown>): boolean => !done.ok && done.error.kind === 'FenceLost'

/** The refusal of the policy for deletions, which names the annotation. */
const isUnconfirmed = (e: RequestError, { found }: InstalledObject): boolean =>
  e.kind === 'Forbidden' && e.message.includes(`${CONFIRM_DELETION_ANNOTATION}: ${found.metadata.uid}`)

export const removedObject = (
  { kind, key }: InstalledObject,
  state: RemovedObject['state'],
): RemovedObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  name: key.name,
  ...(key.namespace === undefined ? {} : { namespace: key.namespace }),
  state,
})
