/** What the simulated controllers share: the cluster, time, the content of sources, and what is to go wrong. */

import type { LocalApi } from '@lockstep/apiserver/server'
import { type Env, type Random, sleep } from '@lockstep/kube/env'
import { type KubeObject, timestamp } from '@lockstep/kube/object'
import type { Artifacts } from './artifacts.ts'
import type { FluxCache } from './fluxcache.ts'
import { type FluxKind, RESOURCES } from './fluxkind.ts'
import type { FluxSettings, StatusWrite } from './fluxoptions.ts'
import { apiVersionOfId, type InventoryId } from './inventoryid.ts'

export interface FluxContext {
  readonly env: Env
  readonly api: LocalApi
  readonly random: Random
  readonly settings: FluxSettings
  readonly artifacts: Artifacts
  /** Aborted when Flux is stopped: nothing is written afterwards. */
  readonly stop: AbortSignal
  /** Counts the writes that may be refused. */
  readonly writes: { count: number }
}

/** One of the three controllers: its name in writes, and what it knows. */
export interface FluxController {
  readonly x: FluxContext
  readonly manager: string
  /** The manager of its status writes. */
  readonly statusManager: string
  readonly caches: Readonly<Partial<Record<FluxKind, FluxCache>>>
}

/** Time passes as for one request; false: Flux was stopped meanwhile. */
export async function request(x: FluxContext, ms = x.settings.delays.request): Promise<boolean> {
  await sleep(x.env.clock, ms, x.stop)
  return !x.stop.aborted
}

export const nowText = (x: FluxContext): string => timestamp(x.env.clock.now())

/** An object as the API server has it now. */
export const live = (
  x: FluxContext,
  kind: FluxKind,
  namespace: string,
  name: string,
): KubeObject | undefined => x.api.get(RESOURCES[kind], namespace, name)

/** The object now; undefined also where its kind is not served. */
export function liveOf({ x }: FluxController, id: InventoryId): KubeObject | undefined {
  const resource = x.api.served(apiVersionOfId(id), id.kind)
  return resource && x.api.get(resource.id, id.namespace, id.name)
}

/** How the API server says that it has no such object. */
export const notFound = (kind: FluxKind, name: string): string => `${RESOURCES[kind]} "${name}" not found`

/** How a cache says it: it has no names of resources. */
export const notCached = (kind: FluxKind, name: string): string =>
  `${kind}.${RESOURCES[kind].slice(RESOURCES[kind].indexOf('.') + 1)} "${name}" not found`

/** An interval with its jitter, milliseconds. */
export const jittered = (x: FluxContext, ms: number): number =>
  Math.round(ms * (1 + (x.random.next() * 2 - 1) * x.settings.jitter))

/** Whether this status write is one that fails. */
export function isRefused(x: FluxContext, write: Omit<StatusWrite, 'n'>): boolean {
  x.writes.count++
  return x.settings.refuse({ ...write, n: x.writes.count })
}
