/** `lockstep cluster rotate`: a new token now, by the present one or by an administrator of the cluster. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { type Secret, secretKind } from '@lockstep/kube/kinds'
import { humanDuration, keyText, type Stored } from '@lockstep/kube/object'
import {
  acceptedToken,
  credentialLife,
  renewedToken,
  type SecretRenewal,
  secretRenewal,
} from '../../../fleet/credentials/index.ts'
import { type OpenedContext, type OpenedHub, PROXY_OF_HUB } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  requestFailure,
  textFlag,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import { asAdministrator, readRegistration } from '../../kit/registration/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { findClusterSecret, notRegistered, replaceToken, secretRefused } from './clustersecret.ts'

const AGENT = 'lockstep-cli'

export async function rotateCluster(
  c: CommandContext,
  hub: OpenedHub,
  name: string,
  flags: Flags,
): Promise<CommandResult> {
  const found = await findClusterSecret(c, hub, name)
  if (!found.ok) return found
  const secret = found.value
  if (!secret) return notRegistered(hub, name)
  const renewal = secretRenewal(secret, 'Any')
  if (!renewal.ok) return cannotRenew(hub, name, renewal.error)
  const context = textFlag(flags, 'clusterContext')
  const token = await (context === undefined
    ? byItself(c, hub, name, renewal.value)
    : byAdministrator(c, hub, name, renewal.value, context))
  if (!token.ok) return token
  const written = await replaceToken(c, hub, secret, renewal.value.kubeconfig, token.value)
  return written.ok ? report(c, name, written.value) : written
}

const cannotRenew = (hub: OpenedHub, name: string, problem: string) =>
  secretRefused(hub, name, problem, `register the cluster: lockstep cluster add CONTEXT --name ${name}`)

async function byItself(
  c: CommandContext,
  hub: OpenedHub,
  name: string,
  { endpoint, account, seconds }: SecretRenewal,
): Promise<Result<string, CliFailure>> {
  const refused = (problem: string) =>
    failed('E_REFUSED', {
      ref: `cluster ${name}`,
      problem,
      suggestion: `as an administrator of the cluster: lockstep cluster rotate ${name} --cluster-context CONTEXT`,
    })
  if (endpoint.proxy !== undefined) return refused(PROXY_OF_HUB)
  const by = { namespace: hub.namespace, allowed: hub.allowHosts ?? [] }
  const token = await renewedToken(c.env, { cluster: name, endpoint, by, agent: AGENT }, account, seconds)
  return token.ok ? token : refused(token.error)
}

/**
 * For the account that `cluster add` has made, never for one that only the Secret names: users with fewer rights may write the Secret.
 */
async function byAdministrator(
  c: CommandContext,
  hub: OpenedHub,
  name: string,
  renewal: SecretRenewal,
  word: string,
): Promise<Result<string, CliFailure>> {
  const registration = await readRegistration(c, hub, name)
  if (!registration.ok) return registration
  if (keyText(registration.value.account) !== keyText(renewal.account))
    return cannotRenew(hub, name, 'has a token of another account than lockstep cluster add makes')
  return asAdministrator(c, hub, { name, word }, (context) => issueToken(c, context, renewal))
}

/** A token of the account, that the cluster of the context has accepted. */
export async function issueToken(
  c: CommandContext,
  context: OpenedContext,
  { account, seconds }: Pick<SecretRenewal, 'account' | 'seconds'>,
): Promise<Result<string, CliFailure>> {
  const issued = await context.client.token(account, { seconds, purpose: 'user', signal: c.signal })
  if (!issued.ok) return requestFailure(issued.error, context.server)
  // The certificate and the user of the context would be accepted in place of the token.
  const { url, tls, proxy } = context.endpoint
  const { cert: _cert, key: _key, ...server } = tls ?? {}
  const endpoint = { url, tls: server, ...(proxy === undefined ? {} : { proxy }) }
  const token = await acceptedToken(
    c.env,
    { cluster: context.name, endpoint, by: 'operator', agent: AGENT },
    account,
    issued.value,
  )
  return token.ok ? token : err(failed('E_SERVER', { server: context.server, problem: token.error }).error)
}

function report(c: CommandContext, name: string, secret: Stored<Secret>): CommandResult {
  if (printObjects(c, [{ kind: secretKind, object: secret }])) return ok(0)
  const ends = endText(c, secret)
  c.terminal.print(fit(c.terminal.look, `cluster/${name}: the token was replaced${ends}`))
  return ok(0)
}

/** ` (expires in 7d)`. */
export function endText(c: CommandContext, secret: Stored<Secret>): string {
  const renewal = secretRenewal(secret, 'Any')
  const life = renewal.ok ? credentialLife(renewal.value.endpoint) : undefined
  return life ? ` (expires in ${humanDuration(life.endsAt - c.env.clock.now())})` : ''
}
