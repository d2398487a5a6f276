/** Gets a new token for an account with its present one, and asks the server whether it accepts the new one. */
import {
  createHttpClient,
  type KubeClient,
  type KubeResult,
  type RequestError,
  requestErrorText,
} from '@lockstep/kube/client'
import { type Endpoint, type Env, err, ok, type Provenance, type Result } from '@lockstep/kube/env'
import { selfSubjectReviewKind } from '@lockstep/kube/kinds'
import { credentialLife } from './credentialexpiry.ts'
import { accountSubject, type TokenAccount } from './renewaltime.ts'

const MANAGER = 'lockstep'
/** Answers of a server without this review (Kubernetes before 1.28): it has accepted the token by then. */
const NO_REVIEW: ReadonlySet<RequestError['kind']> = new Set(['NotFound', 'KindUnknown'])

export interface TokenServer {
  /** For messages. */
  readonly cluster: string
  readonly endpoint: Endpoint
  /** For whom requests are sent: the token goes to no host that is not for this namespace. */
  readonly by: Provenance
  readonly agent: string
}

/** Both requests go to the server of `endpoint`, and to no other. The reason of a failure has no token. */
export async function renewedToken(
  env: Env,
  server: TokenServer,
  account: TokenAccount,
  seconds: number,
): Promise<Result<string, string>> {
  const present = clientOf(env, server)
  const issued = await present.token(account, { seconds, purpose: 'renewal' })
  await present.close()
  return issued.ok ? acceptedToken(env, server, account, issued.value) : err(failureText(issued.error))
}

/** The token, once the server has accepted it as one of the account. */
export async function acceptedToken(
  env: Env,
  server: TokenServer,
  account: TokenAccount,
  token: string,
): Promise<Result<string, string>> {
  const endpoint = withToken(server.endpoint, token)
  if (credentialLife(endpoint)?.of !== 'Token') return err('the server issued a token without an end')
  const client = clientOf(env, { ...server, endpoint })
  const seen = await whoIs(client)
  await client.close()
  if (!seen.ok) return NO_REVIEW.has(seen.error.kind) ? ok(token) : err(failureText(seen.error))
  const expected = accountSubject(account)
  return seen.value === expected ? ok(token) : err(`the new token is not one of ${expected}`)
}

/** Characters of tokens, and how many of them no word of a server has. */
const TOKEN = /[\w-]{24,}(\.[\w-]*)*/g

/** A server may repeat the token that it was sent. */
const failureText = (error: RequestError): string => requestErrorText(error).replace(TOKEN, '***')

const clientOf = (env: Env, { cluster, endpoint, by, agent }: TokenServer): KubeClient =>
  createHttpClient(env, cluster, env.net.connect(endpoint, by), agent, 'cluster')

const withToken = (endpoint: Endpoint, token: string): Endpoint => ({
  ...endpoint,
  headers: { ...endpoint.headers, authorization: `Bearer ${token}` },
})

async function whoIs(client: KubeClient): Promise<KubeResult<string>> {
  const seen = await client.create(
    selfSubjectReviewKind,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
    { purpose: 'renewal', manager: MANAGER },
  )
  return seen.ok ? ok(seen.value.status?.userInfo.username ?? '') : seen
}
