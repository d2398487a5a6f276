/** The hub that a command talks to. */

import {
  createHttpClient,
  type ImpersonatingClient,
  type KubeClient,
  listAll as wholeList,
} from '@lockstep/kube/client'
import { type AllowedHost, hostOf, isLoopback, LOOPBACK, type Result, withTimeout } from '@lockstep/kube/env'
import type { Kind, KubeObject, Stored } from '@lockstep/kube/object'
import { GROUP } from '../../../api/apiversion.ts'
import { type CliFailure, type CommandContext, failed, requestFailure } from '../index.ts'
import { findTarget } from './readkubeconfig.ts'

export interface HubConnection {
  readonly client: KubeClient
  /** For messages: context and address. */
  readonly server: string
  /** `--namespace`, the context's, or `default`. */
  readonly namespace: string
  /** Hosts that its cluster objects may name: a hub on this machine has clusters on this machine. */
  readonly allowHosts?: readonly AllowedHost[]
}

export interface OpenedHub extends HubConnection {
  readonly client: ImpersonatingClient
  /** Opens another connection to the hub. */
  connect(): ImpersonatingClient
}

export async function openHub(
  c: CommandContext,
  agent = 'lockstep-cli',
): Promise<Result<OpenedHub, CliFailure>> {
  const target = await findTarget(c)
  if (!target.ok) return target
  const { endpoint, context, namespace } = target.value
  const connect = (): ImpersonatingClient => {
    const connection = withTimeout(c.env.net.connect(endpoint, 'operator'), c.globals.requestTimeoutMs)
    return createHttpClient(c.env, context, connection, agent)
  }
  return {
    ok: true,
    value: {
      client: connect(),
      connect,
      server: `${context} (${endpoint.url})`,
      namespace: c.globals.namespace ?? namespace ?? 'default',
      allowHosts: isLoopback(hostOf(endpoint).host) ? LOOPBACK : [],
    },
  }
}

/** Files that bring all they need want no hub. */
export async function hubOrNone(c: CommandContext): Promise<Result<OpenedHub | undefined, CliFailure>> {
  const target = await findTarget(c)
  return target.ok || c.globals.kubeconfig !== undefined ? openHub(c) : { ok: true, value: undefined }
}

/** All objects of a kind, page by page. */
export async function listAll<T extends KubeObject>(
  c: CommandContext,
  hub: HubConnection,
  kind: Kind<T>,
  o: { readonly namespace?: string; readonly labelSelector?: string } = {},
): Promise<Result<Stored<T>[], CliFailure>> {
  const all = await wholeList(hub.client, kind, { purpose: 'user', signal: c.signal, ...o })
  return all.ok ? all : requestFailure(all.error, hub.server)
}

/** Refuses with what to do when the hub does not know our kinds. */
export async function requireInstalled(
  c: CommandContext,
  hub: HubConnection,
): Promise<Result<void, CliFailure>> {
  const served = await hub.client.discover({ purpose: 'user', signal: c.signal })
  if (!served.ok) return requestFailure(served.error, hub.server)
  return served.value.some((r) => r.group === GROUP)
    ? { ok: true, value: undefined }
    : failed('E_NOT_INSTALLED', { server: hub.server })
}
