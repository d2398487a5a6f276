/** What is the same for all hosts around an API: who is asked, and what a pull request's branch has to be. */
import { type Env, err, ok, type Provenance } from '@lockstep/kube/env'
import type { JsonValue } from '@lockstep/kube/object'
import type { GitProviderFailure, GitProviderResult, Pull } from '../gitprovider.ts'
import type { ProviderAddress } from './address.ts'
import type { ProviderCredentials } from './credentials.ts'
import type { RestCall, RestRequest, RestResponse } from './restclient.ts'

export interface GitProviderOptions {
  readonly env: Env
  /** The namespace of the Promotion and its Secret. */
  readonly by: Provenance
  readonly address: ProviderAddress
  readonly baseBranch: string
  readonly credentials: ProviderCredentials
}

export const whereOf = (o: GitProviderOptions): string =>
  `${o.address.owner}/${o.address.repository}@${o.baseBranch}`

export const byNumber = (pulls: readonly Pull[]): Pull[] => [...pulls].sort((a, b) => a.number - b.number)

/** A pull request out of an answer to a request; `read` gives undefined where it is none. */
export function pullIn(
  call: RestCall,
  r: RestRequest,
  answer: RestResponse,
  read: (json: JsonValue | undefined) => Pull | undefined,
): GitProviderResult<Pull> {
  const pull = read(answer.json)
  if (pull) return ok(pull)
  const wrote = r.method === 'GET' ? 'no' : 'maybe'
  const message = 'the answer is not a pull request'
  return err(call.failure(r, 'Unexpected', wrote, { status: answer.status, message }))
}

/** A kind by status and message: the first that applies. */
export type PullRequestRules = readonly (readonly [
  status: number,
  message: RegExp,
  kind: GitProviderFailure['kind'],
])[]

/** Undefined: none applies. */
export const failureKindByRules = (
  rules: PullRequestRules,
  a: RestResponse,
): GitProviderFailure['kind'] | undefined =>
  rules.find(([status, message]) => a.status === status && message.test(a.message))?.[2]

/** What conflicts with something in other words than those of the rules is looked at again. */
export const failureKindOf = (rules: PullRequestRules, a: RestResponse): GitProviderFailure['kind'] =>
  failureKindByRules(rules, a) ?? (a.status === 409 ? 'HeadMoved' : 'Unexpected')

/** Why a pull request was not merged, where the host's answer does not say: from the pull request itself. */
export function reasonOf(pull: Pull): GitProviderFailure['kind'] {
  if (pull.state !== 'open') return 'NotOpen'
  return pull.mergeable === 'Conflict' ? 'MergeConflict' : 'NotYet'
}
