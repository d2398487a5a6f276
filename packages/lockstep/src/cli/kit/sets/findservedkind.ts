/** Kinds of Cluster API in the version that the hub serves: v1beta2, or v1beta1 before Cluster API 1.11. */

import type { ServedResource } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import type { Kind } from '@lockstep/kube/object'
import {
  ADDONS_GROUP,
  ADDONS_VERSIONS,
  type OwnKind,
  setBindingKind,
  setKind,
} from '../../../api/kinds/index.ts'
import { clusterApiKinds } from '../../../fleet/inventories/index.ts'
import type { HubConnection } from '../hub/index.ts'
import { type CliFailure, type CommandContext, failed, requestFailure } from '../index.ts'

/** Of any kind that commands know; one of ours has one version only. */
export async function findServedKind(
  c: CommandContext,
  hub: HubConnection,
  kind: OwnKind,
): Promise<Result<OwnKind, CliFailure>> {
  if (kind.group !== ADDONS_GROUP) return ok(kind)
  const served = await hub.client.discover({ purpose: 'user', signal: c.signal })
  return served.ok ? among(served.value, kind, hub) : requestFailure(served.error, hub.server)
}

export interface SetKinds {
  readonly set: typeof setKind
  readonly binding: typeof setBindingKind
  /** Undefined: the hub has no Clusters. */
  readonly cluster: Kind | undefined
}

export async function setKindsOn(
  c: CommandContext,
  hub: HubConnection,
): Promise<Result<SetKinds, CliFailure>> {
  const served = await hub.client.discover({ purpose: 'user', signal: c.signal })
  if (!served.ok) return requestFailure(served.error, hub.server)
  const set = among(served.value, setKind, hub)
  if (!set.ok) return set
  const binding = among(served.value, setBindingKind, hub)
  if (!binding.ok) return binding
  const cluster = clusterApiKinds.find((k) => isServed(served.value, k, k.version))
  return ok({ set: set.value, binding: binding.value, cluster })
}

function among<K extends OwnKind>(
  served: readonly ServedResource[],
  kind: K,
  { server }: HubConnection,
): Result<K, CliFailure> {
  const version = ADDONS_VERSIONS.find((v) => isServed(served, kind, v))
  if (version !== undefined) return ok({ ...kind, version })
  return failed('E_KIND_UNKNOWN', {
    where: '',
    apiVersion: `${kind.group}/${ADDONS_VERSIONS[0]}`,
    kind: kind.kind,
    server,
    suggestion:
      'Cluster API installs it; for a hub without Cluster API: lockstep install --with resource-sets --controller=false | kubectl apply --server-side -f -',
  })
}

const isServed = (served: readonly ServedResource[], k: Kind, version: string): boolean =>
  served.some((r) => r.group === k.group && r.version === version && r.kind === k.kind)
