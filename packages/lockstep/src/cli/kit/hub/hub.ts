/** The hub that a command talks to. */

import {
  createHttpClient,
  type ImpersonatingClient,
  type KubeClient,
  listAll as wholeList,
} from '@lockstep/kube/client'
import {
  type AllowedHost,
  type Connection,
  hostOf,
  isLoopback,
  LOOPBACK,
  type Result,
  withTimeout,
} from '@lockstep/kube/env'
import type { Kind, KubeObject, Stored } from '@lockstep/kube/object'
import { GROUP } from '../../../api/apiversion.ts'
import {
  CredentialCache,
  type CredentialSource,
  renewingConnection,
} from '../../../fleet/credentials/index.ts'
import type { KubeconfigTrust } from '../../../fleet/kubeconfig/index.ts'
import { type CliFailure, type CommandContext, failed, requestFailure } from '../index.ts'
import { findHub, kubeconfigFailed } from './findhub.ts'
import { HubPulse } from './hubpulse.ts'
import { retryLater } from './retrylater.ts'

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
  /** Where its credential is read, for another thread. */
  readonly source: CredentialSource
  /** Resolves when the kubeconfig names another server, with a text for people. */
  readonly moved: Promise<string>
  /** For requests that no verb of a client makes; ends with `client`. */
  readonly connection: Connection
  readonly pulse: HubPulse
  /** Opens another connection to the hub. */
  connect(): ImpersonatingClient
}

/** Whose hub it is: a command of a person, or the controller with its agent in audit logs. */
export interface HubUser {
  readonly trust: KubeconfigTrust
  readonly agent: string
}

const COMMAND: HubUser = { trust: 'Person', agent: 'lockstep-cli' }

export async function openHub(
  c: CommandContext,
  { trust, agent } = COMMAND,
): Promise<Result<OpenedHub, CliFailure>> {
  const target = await findHub(c, trust)
  if (!target.ok) return target
  const { source, url, namespace } = target.value
  const context = target.value.context || url
  const hasTerminal = trust === 'Person' && c.host.stdin.isTty
  const credential = new CredentialCache(c.env, source, { by: 'operator', hasTerminal })
  const first = await credential.get()
  if (!first.ok) return kubeconfigFailed(first.error.detail)
  if (first.value.tls?.insecure) c.terminal.talk("warning: the server's certificate is not verified")
  const pulse = new HubPulse(c.env)
  const open = (): Connection => {
    const connection = pulse.count(renewingConnection(c.env, credential, 'operator'))
    // A controller has a pace of its own.
    const sent = trust === 'Person' ? retryLater(c.env.clock, connection) : connection
    return withTimeout(sent, c.globals.requestTimeoutMs)
  }
  const connection = open()
  return {
    ok: true,
    value: {
      client: createHttpClient(c.env, context, connection, agent),
      source,
      moved: credential.moved,
      connection,
      pulse,
      connect: () => createHttpClient(c.env, context, open(), agent),
      server: context === url ? url : `${context} (${url})`,
      namespace: c.globals.namespace ?? namespace ?? 'default',
      allowHosts: isLoopback(hostOf({ url }).host) ? LOOPBACK : [],
    },
  }
}

/** Files that bring all they need want no hub. */
export async function hubOrNone(c: CommandContext): Promise<Result<OpenedHub | undefined, CliFailure>> {
  const hub = await openHub(c)
  return hub.ok || c.globals.kubeconfig !== undefined ? hub : { ok: true, value: undefined }
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
