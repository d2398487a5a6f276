/** A Git repository, as far as promotions read and write it. A push is a compare-and-swap of one branch. */

import type { HostRefusal, Result } from '@lockstep/kube/env'
import type { RepoFile } from '../decisions/promotion/index.ts'
import type { CallOptions } from './gitprovider.ts'

/** 40 or 64 hex digits. */
export type CommitId = string

export interface CommitView {
  readonly id: CommitId
  readonly tree: string
  readonly parents: readonly CommitId[]
  /** The whole message: trailers are in it. */
  readonly message: string
  readonly author: string
}

export interface NewCommit {
  readonly base: CommitId
  /** By path; what is not named stays. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly message: string
  /** `Name <address>`, of author and committer. */
  readonly person: string
  /** RFC 3339, whole seconds, of both dates: equal input gives an equal id. */
  readonly date: string
}

export interface GitRepository {
  /** Branches that are there, of those asked for by name, or by prefix where it ends in `/`. */
  branches(names: readonly string[], o: CallOptions): Promise<RepoResult<ReadonlyMap<string, CommitId>>>
  /** Files of a commit that are wanted; `size` of all, bytes of those within the limits of edits. */
  files(
    at: CommitId,
    wanted: (path: string) => boolean,
    o: CallOptions,
  ): Promise<RepoResult<readonly RepoFile[]>>
  /** Newest first: those in `of` and not in `not`, at most `limit`. `not` may be unknown to the repository by now: then those of `of`. */
  history(
    of: CommitId,
    not: CommitId | undefined,
    limit: number,
    o: CallOptions,
  ): Promise<RepoResult<readonly CommitView[]>>
  /** Made here; nothing is sent. */
  commit(
    commit: NewCommit,
    o: CallOptions,
  ): Promise<RepoResult<{ readonly commit: CommitId; readonly tree: string }>>
  /** `same`: the branch was there already. `expect` absent: the branch must not exist. */
  push(
    branch: string,
    commit: CommitId,
    expect: CommitId | 'absent',
    o: CallOptions,
  ): Promise<RepoResult<'pushed' | 'same'>>
  /** `gone`: it was not there. */
  remove(branch: string, expect: CommitId, o: CallOptions): Promise<RepoResult<'removed' | 'gone'>>
  close(): Promise<void>
}

export type RepoResult<T> = Result<T, RepoFailure>

export interface RepoFailure {
  readonly kind: /** Somebody else was first: the branch is another, or there is one. */
    | 'Stale'
    /** A commit; a branch. */
    | 'NotFound'
    /** All of it, for whoever asks. */
    | 'RepositoryNotFound'
    | 'CredentialsRejected'
    | 'RateLimited'
    | 'Unreachable'
    /** The host is not for the namespace: `refused`. */
    | 'HostRefused'
    | 'Server'
    /** A rule of the host keeps it out: a hook, a protected branch. */
    | 'Refused'
    | 'ToolMissing'
    | 'Unexpected'
  readonly wrote: 'no' | 'maybe'
  /** `git push`, and what it says, without credentials. */
  readonly request: string
  readonly message: string
  /** Of one that is not taken: `Secret ns/name, key token`. */
  readonly credential?: string
  readonly retryAfterMs?: number
  readonly refused?: HostRefusal
}
