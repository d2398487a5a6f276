/** What is the same for all hosts around an API: who is asked, and what a pull request's branch has to be. */
import type { Env } from '../../../../kube/src/env/env.ts'
import { err, ok } from '../../../../kube/src/env/result.ts'
import type { JsonValue } from '../../../../kube/src/object/index.ts'
import type { HostFailure, HostResult, Pull } from '../gitprovider.ts'
import type { HostAddress } from './address.ts'
import type { ApiAnswer, ApiCall, ApiRequest } from './restclient.ts'
import type { HostCredentials } from './credentials.ts'

export interface HostOptions {
  readonly env: Env
  readonly address: HostAddress
  readonly baseBranch: string
  readonly credentials: HostCredentials
}

export const whereOf = (o: HostOptions): string =>
  `${o.address.owner}/${o.address.repository}@${o.baseBranch}`

export const byNumber = (pulls: readonly Pull[]): Pull[] => [...pulls].sort((a, b) => a.number - b.number)

/** A pull request out of an answer to a request; `read` gives undefined where it is none. */
export function pullIn(
  call: ApiCall,
  r: ApiRequest,
  answer: ApiAnswer,
  read: (json: JsonValue | undefined) => Pull | undefined,
): HostResult<Pull> {
  const pull = read(answer.json)
  if (pull) return ok(pull)
  const wrote = r.method === 'GET' ? 'no' : 'maybe'
  const message = 'its answer is no pull request'
  return err(call.failure(r, 'Unexpected', wrote, { status: answer.status, message }))
}

/** A kind by status and message: the first that applies. */
export type Rules = readonly (readonly [status: number, message: RegExp, kind: HostFailure['kind']])[]

/** Undefined: none applies. */
export const ruledBy = (rules: Rules, a: ApiAnswer): HostFailure['kind'] | undefined =>
  rules.find(([status, message]) => a.status === status && message.test(a.message))?.[2]

/** What conflicts with something in other words than those of the rules is looked at again. */
export const kindOf = (rules: Rules, a: ApiAnswer): HostFailure['kind'] =>
  ruledBy(rules, a) ?? (a.status === 409 ? 'HeadMoved' : 'Unexpected')

/** Why a pull request was not merged, where the host's answer does not say: from the pull request itself. */
export function reasonOf(pull: Pull): HostFailure['kind'] {
  if (pull.state !== 'open') return 'NotOpen'
  return pull.mergeable === 'Conflict' ? 'MergeConflict' : 'NotYet'
}
