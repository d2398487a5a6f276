/** Holds as commands make, find and end them. */

import { ok, type Result } from '@lockstep/kube/env'
import { digestOf, parseTimestampMs, type Stored } from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Hold, type HoldSpec, holdKind, type Module } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { type HubConnection, listAll } from '../hub/index.ts'
import { type CliFailure, type CommandContext, failed, requestFailure } from '../index.ts'
import type { FleetSnapshot } from '../snapshot/index.ts'
import { revisionFor, revisionsOf } from '../units/index.ts'

/** State that a Hold puts its clusters in; the last part of its name. */
type By = 'suspended' | 'paused' | 'pinned'

const LONGEST = 253

/** Name of the Hold for these clusters: the same command changes it. A Module and a BootstrapModule of one name have one each. */
export function holdName(
  { kind, metadata: { name } }: Pick<Stored<Module>, 'kind' | 'metadata'>,
  by: By,
  clusters: readonly string[],
): string {
  const [only] = clusters
  const base = `${kind === 'Module' ? '' : 'bmod-'}${name}-${by}`
  if (only === undefined) return base
  const plain = `${base}-${only}`
  if (clusters.length === 1 && plain.length <= LONGEST) return plain
  return `${base}-${digestOf('hold/1', [...clusters]).slice(3, 13)}`
}

/** Undefined: all of them are clusters of the fleet. */
export function unknownCluster(
  { clusters }: FleetSnapshot,
  { namespace }: HubConnection,
  names: readonly string[],
): { readonly ok: false; readonly error: CliFailure } | undefined {
  const name = names.find((n) => !clusters.some((x) => x.name === n))
  if (name === undefined) return undefined
  const suggestion = 'to list clusters, use lockstep get clusters'
  return failed('E_NOT_FOUND', { kind: 'cluster', name, namespace, suggestion })
}

/** What is asked for, besides what it is on: no clusters are all of them. */
export type HoldRequest = Pick<HoldSpec, 'reason'> &
  Partial<Pick<HoldSpec, 'until'>> &
  ({ readonly action: 'Suspend' | 'Pause' } | { readonly action: 'Pin'; readonly revision: string })

/** Makes it, or changes the one that is there. */
export async function putHold(
  c: CommandContext,
  hub: HubConnection,
  module: Stored<Module>,
  {
    by,
    clusters,
    asked,
  }: { readonly by: By; readonly clusters: readonly string[]; readonly asked: HoldRequest },
): Promise<Result<Stored<Hold>, CliFailure>> {
  const { kind, metadata } = module
  const body = {
    apiVersion: API_VERSION,
    kind: holdKind.kind,
    metadata: { name: holdName(module, by, clusters), namespace: metadata.namespace! },
    spec: {
      targetRef: { kind, name: metadata.name },
      ...(clusters.length === 0 ? {} : { clusters }),
      ...asked,
    },
  }
  const done = await hub.client.apply(holdKind, body, {
    purpose: 'user',
    manager: CLI_MANAGER,
    signal: c.signal,
    precondition: 'any',
    force: true,
  })
  return done.ok ? done : requestFailure(done.error, hub.server)
}

/** Whether it was there. */
export async function endHold(
  c: CommandContext,
  hub: HubConnection,
  key: { readonly name: string; readonly namespace: string },
): Promise<Result<boolean, CliFailure>> {
  const done = await hub.client.delete(holdKind, key, {
    purpose: 'user',
    manager: CLI_MANAGER,
    signal: c.signal,
    precondition: 'any',
  })
  if (!done.ok && done.error.kind !== 'NotFound') return requestFailure(done.error, hub.server)
  return ok(done.ok)
}

/** Those on a module, also what is over. */
export async function readModuleHolds(
  c: CommandContext,
  hub: HubConnection,
  { kind, metadata: { name, namespace } }: Stored<Module>,
): Promise<Result<Stored<Hold>[], CliFailure>> {
  const found = await listAll(c, hub, holdKind, { namespace: namespace! })
  if (!found.ok) return found
  return ok(found.value.filter(({ spec: { targetRef: t } }) => t.kind === kind && t.name === name))
}

/** Its time has come: it means nothing any more. */
export const isOver = ({ spec: { until } }: Hold, nowMs: number): boolean =>
  until !== undefined && (parseTimestampMs(until) ?? 0) <= nowMs

/** It means something, and names this cluster. */
export const isOn = (hold: Hold, cluster: string, nowMs: number): boolean =>
  hold.spec.clusters?.includes(cluster) === true && !isOver(hold, nowMs)

/** A revision of the history, in full; or which ones there are. */
export async function pinnedRevision(
  c: CommandContext,
  hub: HubConnection,
  module: Stored<Module>,
  prefix: string,
): Promise<Result<string, CliFailure>> {
  const ref = moduleRefOf(module)
  const known = await revisionsOf(c, hub, ref)
  if (!known.ok) return known
  const unit = { module, ref, cluster: '', inventory: undefined }
  const found = revisionFor(unit, { type: 'revision', prefix }, known.value)
  return found.ok ? ok(found.value!.revision) : found
}
