/**
 * A Git host, as far as promotions ask it for something: pull requests of one repository onto one branch. What is asked may
 * have been done although no answer came; every failure says whether that is so.
 */
import type { HostRefusal, Result } from '@lockstep/kube/env'

export interface Pull {
  readonly number: number
  /** For people. */
  readonly url: string
  readonly state: 'open' | 'merged' | 'closed'
  /** The branch, without an owner. */
  readonly head: string
  readonly headCommit: string | undefined
  readonly base: string
  readonly title: string
  readonly body: string
  /** RFC 3339, by the clock of the host. */
  readonly createdAt: string
  /** The same of its merge; undefined: it is not merged, or the host does not say when. */
  readonly mergedAt: string | undefined
  /** At the base: of a merge, a squash or the last of a rebase. */
  readonly mergeCommit: string | undefined
  /**
   * `Conflict`: not before somebody changes the branch or the base. `Unknown`: the host has not looked yet, or waits for checks.
   * Lists of GitHub do not say it: only `pull` does.
   */
  readonly mergeable: 'Yes' | 'Conflict' | 'Unknown'
}

export interface NewPull {
  readonly head: string
  readonly title: string
  readonly body: string
}

export interface PullEdit {
  readonly title?: string
  readonly body?: string
  readonly state?: 'closed'
  /** Said before the change. */
  readonly comment?: string
}

/** Each call's deadline, in milliseconds: what has no answer by then is not sent any more, or its answer is not waited for. */
export interface CallOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** `lastPulls` has so many, if there are. */
export const LAST_PULLS = 1000

export interface GitProvider {
  /** `github`, `gitlab`, `gitea`. */
  readonly name: string
  /** `owner/repository@branch`, for messages. */
  readonly where: string
  /** Of one head, in any state, of all pages, lower numbers first. */
  pullsOf(head: string, o: CallOptions): Promise<GitProviderResult<readonly Pull[]>>
  /** All that are open, onto whichever branch, of all pages: one look for all promotions of a repository. */
  openPulls(o: CallOptions): Promise<GitProviderResult<readonly Pull[]>>
  /** The last ones onto the base, in any state, lower numbers first: as many as tell what there was before. */
  lastPulls(o: CallOptions): Promise<GitProviderResult<readonly Pull[]>>
  pull(number: number, o: CallOptions): Promise<GitProviderResult<Pull>>
  open(pull: NewPull, o: CallOptions): Promise<GitProviderResult<Pull>>
  /** As it is then: what was merged meanwhile stays merged, and is no failure. */
  edit(number: number, edit: PullEdit, o: CallOptions): Promise<GitProviderResult<Pull>>
  /** Only with this head: what has been pushed since is not merged. */
  merge(number: number, to: MergeOptions, o: CallOptions): Promise<GitProviderResult<void>>
  /** What the last answer said of the limit of requests; undefined: nothing yet, or this host has none. */
  budget(): RequestBudget | undefined
  /** Ends the connections; credentials are read anew for the next attempt. */
  close(): Promise<void>
}

export interface MergeOptions {
  readonly expectHead: string
  readonly method: 'merge' | 'squash' | 'rebase'
  /** Of a squash, whole: hosts make their own otherwise, and may drop the trailers. */
  readonly message?: string
}

export interface RequestBudget {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds from the answer until there are as many again as `limit`. */
  readonly resetsInMs: number
  /** For how long `limit` is. */
  readonly windowMs: number
}

export type GitProviderResult<T> = Result<T, GitProviderFailure>

export type GitProviderFailureKind =
  /** There is one already for this head and base. */
  | 'Exists'
  /** Head and base are the same. */
  | 'NothingToMerge'
  /** The branch, or the pull request. */
  | 'NotFound'
  /** The repository, or the base branch. */
  | 'RepositoryNotFound'
  | 'HeadMoved'
  /** Checks are running, reviews are missing, or the host has not looked. */
  | 'NotYet'
  /** It cannot be merged as it is. */
  | 'MergeConflict'
  /** It is merged, or closed: read it first. */
  | 'NotOpen'
  /** This method of merging is not allowed, the repository is archived. */
  | 'Refused'
  | 'CredentialsRejected'
  | 'RateLimited'
  /** No answer, or no whole one. */
  | 'Unreachable'
  /** The host is not for the namespace: `refused`. */
  | 'HostRefused'
  /** 5xx, 408, 425. */
  | 'Server'
  /** Another status, or an answer that is none. */
  | 'Unexpected'

export interface GitProviderFailure {
  readonly kind: GitProviderFailureKind
  /** `maybe`: what was asked for may have been done. */
  readonly wrote: 'no' | 'maybe'
  /** `POST /repos/o/r/pulls`: without a host, a query, or anything of the body. */
  readonly request: string
  readonly status?: number
  /** What the host says, in its words; never anything of a credential. */
  readonly message: string
  /** Of one that is not taken: `Secret ns/name, key token`. */
  readonly credential?: string
  /** Milliseconds that the host asks to wait. */
  readonly retryAfterMs?: number
  readonly refused?: HostRefusal
}
