/** Gitea and Forgejo: `routers/api/v1/repo/pull.go` and `services/convert/pull.go` of go-gitea/gitea. */
import { err, ok } from '@lockstep/kube/env'
import type { JsonObject, JsonValue } from '@lockstep/kube/object'
import { jsonField, jsonFlagField, jsonNumberField } from '../api/jsonfields.ts'
import {
  byNumber,
  failureKindByRules,
  failureKindOf,
  type GitProviderOptions,
  type PullRequestRules,
  pullIn,
  reasonOf,
  whereOf,
} from '../api/pullrequestrules.ts'
import { type RestCall, RestClient, type RestRequest, type RestResponse } from '../api/restclient.ts'
import type {
  CallOptions,
  GitProvider,
  GitProviderFailure,
  GitProviderResult,
  MergeOptions,
  NewPull,
  Pull,
  PullEdit,
  RequestBudget,
} from '../gitprovider.ts'
import { LAST_PULLS } from '../gitprovider.ts'

const ANYWHERE: PullRequestRules = [
  [403, /./, 'CredentialsRejected'],
  [423, /./, 'Refused'],
]

const OPEN: PullRequestRules = [
  ...ANYWHERE,
  [409, /pull request already exists for these targets/, 'Exists'],
  [422, /no changes between the head and the base/, 'NothingToMerge'],
]

const ONE: PullRequestRules = [...ANYWHERE, [404, /./, 'NotFound']]

const MERGE: PullRequestRules = [
  ...ONE,
  [409, /head out of date/, 'HeadMoved'],
  // Somebody pushed to the base at the same time.
  [409, /push out of date/, 'NotYet'],
  [409, /PushRejected/, 'Refused'],
  [405, /not allowed/, 'Refused'],
]

/** The server's limit, unless it was configured (`[api] MAX_RESPONSE_ITEMS`). */
const PAGE = 50

export class Gitea implements GitProvider {
  readonly name = 'gitea'
  readonly where: string
  private readonly api: RestClient
  private readonly base: string
  private readonly repo: string

  constructor(o: GitProviderOptions) {
    this.where = whereOf(o)
    this.api = new RestClient(o.env, o.address.api, o.credentials, o.by)
    this.base = o.baseBranch
    this.repo = `/repos/${encodeURIComponent(o.address.owner)}/${encodeURIComponent(o.address.repository)}`
  }

  /** There is no filter by head, and `pulls/{base}/{head}` gives one of them, in any state: all of the base are read. */
  async pullsOf(head: string, o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    const listed = await this.list('all', this.base, o)
    return listed.ok ? ok(listed.value.filter((pull) => pull.head === head)) : listed
  }

  openPulls(o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    return this.list('open', undefined, o)
  }

  lastPulls(o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    return this.list('all', this.base, o, LAST_PULLS)
  }

  pull(n: number, o: CallOptions): Promise<GitProviderResult<Pull>> {
    return this.one(this.api.during(o), n)
  }

  async open(pull: NewPull, o: CallOptions): Promise<GitProviderResult<Pull>> {
    const call = this.api.during(o)
    const body: JsonObject = { title: pull.title, head: pull.head, base: this.base, body: pull.body }
    const r: RestRequest = { method: 'POST', path: `${this.repo}/pulls`, body }
    const answer = await call.send(r)
    if (!answer.ok) return answer
    if (answer.value.status === 201) return pullIn(call, r, answer.value, readPull)
    const kind = answer.value.status === 404 ? await this.missing(call) : failureKindOf(OPEN, answer.value)
    return err(call.refused(r, kind, answer.value))
  }

  async edit(n: number, edit: PullEdit, o: CallOptions): Promise<GitProviderResult<Pull>> {
    const call = this.api.during(o)
    const { comment, ...changes } = edit
    if (comment !== undefined) {
      const r: RestRequest = {
        method: 'POST',
        path: `${this.repo}/issues/${n}/comments`,
        body: { body: comment },
      }
      const said = await call.send(r)
      if (!said.ok) return said
      if (said.value.status !== 201) return err(call.refused(r, failureKindOf(ONE, said.value), said.value))
    }
    if (Object.keys(changes).length === 0) return this.one(call, n)
    const r: RestRequest = { method: 'PATCH', path: `${this.repo}/pulls/${n}`, body: { ...changes } }
    const answer = await call.send(r)
    if (!answer.ok) return answer
    // 412: it was merged meanwhile. 201 is what an edit is answered with.
    if (answer.value.status === 412) return this.one(call, n)
    return this.answered(call, r, answer.value)
  }

  async merge(n: number, to: MergeOptions, o: CallOptions): Promise<GitProviderResult<void>> {
    const call = this.api.during(o)
    const body: JsonObject = { Do: to.method, head_commit_id: to.expectHead, ...squashOf(to) }
    const r: RestRequest = { method: 'POST', path: `${this.repo}/pulls/${n}/merge`, body }
    const answer = await call.send(r)
    if (!answer.ok) return answer
    if (answer.value.status === 200) return ok(undefined)
    return err(call.refused(r, await this.whyNot(call, n, answer.value), answer.value))
  }

  budget(): RequestBudget | undefined {
    return this.api.budget
  }

  close(): Promise<void> {
    return this.api.close()
  }

  /** 404 is said of a closed one too, 405 of a merged one, and 409 without a message of conflicts. */
  private async whyNot(call: RestCall, n: number, a: RestResponse): Promise<GitProviderFailure['kind']> {
    const known = failureKindByRules(MERGE, a)
    if (known !== undefined && a.status !== 404) return known
    if (a.status !== 404 && a.status !== 405 && a.status !== 409) return failureKindOf(MERGE, a)
    const pull = await this.one(call, n)
    if (!pull.ok) return a.status === 404 ? pull.error.kind : 'NotYet'
    if (pull.value.state !== 'open') return 'NotOpen'
    return a.status === 409 ? 'MergeConflict' : reasonOf(pull.value)
  }

  /** 404 of a new pull request: a branch, or the repository. */
  private async missing(call: RestCall): Promise<GitProviderFailure['kind']> {
    const path = `${this.repo}/branches/${encodeURIComponent(this.base)}`
    const base = await call.send({ method: 'GET', path })
    return base.ok && base.value.status === 200 ? 'NotFound' : 'RepositoryNotFound'
  }

  private async one(call: RestCall, n: number): Promise<GitProviderResult<Pull>> {
    const r: RestRequest = { method: 'GET', path: `${this.repo}/pulls/${n}` }
    const answer = await call.send(r)
    return answer.ok ? this.answered(call, r, answer.value) : answer
  }

  private answered(call: RestCall, r: RestRequest, a: RestResponse): GitProviderResult<Pull> {
    if (a.status !== 200 && a.status !== 201) return err(call.refused(r, failureKindOf(ONE, a), a))
    return pullIn(call, r, a, readPull)
  }

  /** `base` undefined: onto whichever. */
  private async list(
    state: 'all' | 'open',
    base: string | undefined,
    o: CallOptions,
    last?: number,
  ): Promise<GitProviderResult<readonly Pull[]>> {
    const call = this.api.during(o)
    const path = `${this.repo}/pulls`
    // Older ones than 1.24 know no base_branch, and list all.
    const onto: Readonly<Record<string, string>> = base === undefined ? {} : { base_branch: base }
    // Without an order the newest come first.
    const order: Readonly<Record<string, string>> = last === undefined ? { sort: 'oldest' } : {}
    const found = await call.pages(path, { state, ...onto, ...order }, ['limit', PAGE], last)
    if (!found.ok) return found
    if ('refused' in found.value) {
      const a = found.value.refused
      const kind = a.status === 404 ? 'RepositoryNotFound' : failureKindOf(OPEN, a)
      return err(call.refused({ method: 'GET', path }, kind, a))
    }
    // A fork may have a branch of the same name.
    const own = found.value.items.filter(
      (i) => jsonNumberField(i, 'head', 'repo_id') === jsonNumberField(i, 'base', 'repo_id'),
    )
    const pulls = own.map(readPull).filter((p) => p !== undefined)
    return ok(byNumber(pulls.filter((p) => base === undefined || p.base === base)))
  }
}

function squashOf(to: MergeOptions): JsonObject {
  if (to.method !== 'squash' || to.message === undefined) return {}
  const [title, ...rest] = to.message.split('\n')
  return { MergeTitleField: title, MergeMessageField: rest.join('\n').trim() }
}

function readPull(json: JsonValue | undefined): Pull | undefined {
  const n = jsonNumberField(json, 'number')
  const state = jsonField(json, 'state')
  // Once the branch is deleted `ref` is refs/pull/<n>/head; `label` stays what the branch was called.
  const head = jsonField(json, 'head', 'label') ?? jsonField(json, 'head', 'ref')
  const base = jsonField(json, 'base', 'ref')
  if (n === undefined || state === undefined || head === undefined || base === undefined) return undefined
  const isMerged = jsonFlagField(json, 'merged') === true
  return {
    number: n,
    url: jsonField(json, 'html_url') ?? '',
    state: isMerged ? 'merged' : state === 'open' ? 'open' : 'closed',
    head,
    headCommit: jsonField(json, 'head', 'sha'),
    base,
    title: jsonField(json, 'title') ?? '',
    body: jsonField(json, 'body') ?? '',
    createdAt: jsonField(json, 'created_at') ?? '',
    mergedAt: jsonField(json, 'merged_at'),
    mergeCommit: isMerged ? jsonField(json, 'merge_commit_sha') : undefined,
    mergeable: mergeableOf(json),
  }
}

/**
 * `mergeable` is false for conflicts, for drafts and while Gitea looks (`PullRequest.Mergeable`). What begins at the base as it
 * is now has no conflict; what does not, and is looked at just now, is taken for one: then it is made again, on the new base.
 */
function mergeableOf(json: JsonValue | undefined): Pull['mergeable'] {
  if (jsonFlagField(json, 'mergeable') !== false)
    return jsonFlagField(json, 'mergeable') === true ? 'Yes' : 'Unknown'
  const [base, from] = [jsonField(json, 'base', 'sha'), jsonField(json, 'merge_base')]
  const isBehind = base !== undefined && from !== undefined && base !== from
  return isBehind && jsonFlagField(json, 'draft') !== true ? 'Conflict' : 'Unknown'
}
