/** What a failure of a host or a repository is to a promotion. */
import type { NewBlocker } from '../../api/blocker.ts'
import {
  type FailureCategory,
  failureCategoryOf,
  MERGE_WAIT_MS,
  reasonOf,
  WAIT_MS,
} from '../../decisions/promotion/index.ts'
import type { GitProviderFailure } from '../../gitproviders/gitprovider.ts'
import type { RepoFailure } from '../../gitproviders/gitrepository.ts'
import type { HubObjectFailure } from './hubfailure.ts'

/** `hasBegun`: some of it is done already, so that it is not given up half done. */
export type GitProviderError = (GitProviderFailure | RepoFailure | HubObjectFailure) & {
  readonly hasBegun?: boolean
}

/** `POST /repos/o/r/pulls: 502 Bad Gateway`. */
export function providerFailureText(f: GitProviderError): string {
  const status = 'status' in f && f.status !== undefined ? `${f.status} ` : ''
  return said(f.request, `${status}${f.message}`)
}

export const providerFailureBlocker = (subject: string, where: string, f: GitProviderError): NewBlocker => ({
  reason: reasonOf(f.kind),
  subject,
  message: said(credentialOf(f), said(where, providerFailureText(f))).slice(0, 1024),
})

const credentialOf = (f: GitProviderError): string => ('credential' in f ? (f.credential ?? '') : '')

/** What has no place says itself where it is. */
const said = (place: string, text: string): string => (place === '' ? text : `${place}: ${text}`).trim()

export interface FailureReaction {
  readonly class: FailureCategory
  /** Of `Wait`: milliseconds. */
  readonly waitMs: number
}

export function reactionTo(f: GitProviderError): FailureReaction {
  const usual = f.kind === 'NotYet' ? MERGE_WAIT_MS : WAIT_MS
  return { class: failureCategoryOf(f.kind), waitMs: f.retryAfterMs ?? usual }
}
