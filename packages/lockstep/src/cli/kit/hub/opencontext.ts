/** A cluster that a person reaches by a context of the kubeconfig, beside the hub. */
import { createHttpClient, type KubeClient } from '@lockstep/kube/client'
import { type Endpoint, ok, type Result, withTimeout } from '@lockstep/kube/env'
import { CredentialCache, renewingConnection } from '../../../fleet/credentials/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import { findContext, kubeconfigFailed } from './findhub.ts'

export interface OpenedContext {
  readonly name: string
  readonly client: KubeClient
  /** For messages: context and address. */
  readonly server: string
  /** The access that it has now, with its credential. */
  readonly endpoint: Endpoint
}

export async function openContext(
  c: CommandContext,
  name: string,
): Promise<Result<OpenedContext, CliFailure>> {
  const target = await findContext(c, name)
  if (!target.ok) return target
  const { source, url } = target.value
  const credential = new CredentialCache(c.env, source, { by: 'operator', hasTerminal: c.host.stdin.isTty })
  const first = await credential.get()
  if (!first.ok) return kubeconfigFailed(`context ${name}: ${first.error.detail}`)
  if (first.value.tls?.insecure)
    c.terminal.talk(`warning: the certificate of ${url} (context ${name}) is not verified`)
  const connection = withTimeout(
    renewingConnection(c.env, credential, 'operator'),
    c.globals.requestTimeoutMs,
  )
  return ok({
    name,
    client: createHttpClient(c.env, name, connection, 'lockstep-cli', 'cluster'),
    server: `${name} (${url})`,
    endpoint: first.value,
  })
}
