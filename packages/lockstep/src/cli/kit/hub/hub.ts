/** The hub that a command talks to. */

import { createHttpClient, type KubeClient } from '@lockstep/kube/client'
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

export async function openHub(
  c: CommandContext,
  agent = 'lockstep-cli',
): Promise<Result<HubConnection, CliFailure>> {
  const target = await findTarget(c)
  if (!target.ok) return target
  const { endpoint, context, namespace } = target.value
  const connection = withTimeout(c.env.net.connect(endpoint, 'operator'), c.globals.requestTimeoutMs)
  return {
    ok: true,
    value: {
      client: createHttpClient(c.env, context, connection, agent),
      server: `${context} (${endpoint.url})`,
      namespace: c.globals.namespace ?? namespace ?? 'default',
      allowHosts: isLoopback(hostOf(endpoint).host) ? LOOPBACK : [],
    },
  }
}

const PAGE = 500

/** All objects of a kind, page by page. */
export async function listAll<T extends KubeObject>(
  c: CommandContext,
  hub: HubConnection,
  kind: Kind<T>,
  o: { readonly namespace?: string; readonly labelSelector?: string } = {},
): Promise<Result<Stored<T>[], CliFailure>> {
  const items: Stored<T>[] = []
  let next: string | undefined
  do {
    const page = await hub.client.list(kind, {
      purpose: 'user',
      signal: c.signal,
      limit: PAGE,
      ...o,
      ...(next ? { continue: next } : {}),
    })
    if (!page.ok) return requestFailure(page.error, hub.server)
    items.push(...page.value.items)
    next = page.value.continue
  } while (next !== undefined)
  return { ok: true, value: items }
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
