/** GitHub: docs.github.com "REST API endpoints for pull requests", version 2022-11-28. */
import { err, ok } from '@lockstep/kube/env'
import { at, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import { jsonField, jsonFlagField, jsonNumberField } from '../api/jsonfields.ts'
import {
  byNumber,
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

/** Statuses that mean the same in all calls; 403 with a limit is known by then. */
const ANYWHERE: PullRequestRules = [
  [403, /archived/, 'Refused'],
  [403, /./, 'CredentialsRejected'],
  [451, /./, 'Refused'],
]

/** 422 `Validation Failed` with `errors`: the message of an element, or its field and code. */
const OPEN: PullRequestRules = [
  ...ANYWHERE,
  [422, /A pull request already exists for/, 'Exists'],
  [422, /No commits between/, 'NothingToMerge'],
  [422, /base invalid/, 'RepositoryNotFound'],
  [422, /head invalid/, 'NotFound'],
  [404, /./, 'RepositoryNotFound'],
  [410, /./, 'RepositoryNotFound'],
]

const ONE: PullRequestRules = [...ANYWHERE, [404, /./, 'NotFound'], [410, /./, 'NotFound']]

const MERGE: PullRequestRules = [
  ...ONE,
  [409, /Head branch was modified/, 'HeadMoved'],
  [405, /not allowed/, 'Refused'],
  [405, /Base branch was modified/, 'NotYet'],
]

const HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

export class GitHub implements GitProvider {
  readonly name = 'github'
  readonly where: string
  private readonly api: RestClient
  private readonly owner: string
  private readonly base: string
  private readonly repo: string

  constructor(o: GitProviderOptions) {
    this.where = whereOf(o)
    this.api = new RestClient(o.env, o.address.api, o.credentials, o.by, HEADERS)
    this.owner = o.address.owner
    this.base = o.baseBranch
    this.repo = `/repos/${encodeURIComponent(o.address.owner)}/${encodeURIComponent(o.address.repository)}`
  }

  async pullsOf(head: string, o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    // Without `owner:` the filter is ignored, and everything is listed.
    const listed = await this.list({ state: 'all', head: `${this.owner}:${head}` }, this.base, o)
    return listed.ok ? ok(listed.value.filter((pull) => pull.head === head)) : listed
  }

  openPulls(o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    return this.list({ state: 'open' }, undefined, o)
  }

  lastPulls(o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    return this.list({ state: 'all' }, this.base, o, LAST_PULLS)
  }

  pull(n: number, o: CallOptions): Promise<GitProviderResult<Pull>> {
    return this.one(this.api.during(o), n)
  }

  async open(pull: NewPull, o: CallOptions): Promise<GitProviderResult<Pull>> {
    const call = this.api.during(o)
    const body: JsonObject = { title: pull.title, head: pull.head, base: this.base, body: pull.body }
    return this.asked(call, { method: 'POST', path: `${this.repo}/pulls`, body }, OPEN)
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
    return this.asked(call, { method: 'PATCH', path: `${this.repo}/pulls/${n}`, body: { ...changes } }, ONE)
  }

  async merge(n: number, to: MergeOptions, o: CallOptions): Promise<GitProviderResult<void>> {
    const call = this.api.during(o)
    const body = { sha: to.expectHead, merge_method: to.method, ...squashOf(to) }
    const r: RestRequest = { method: 'PUT', path: `${this.repo}/pulls/${n}/merge`, body }
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

  /** 405 `Pull Request is not mergeable` is said of conflicts, of missing checks and of what is merged already. */
  private async whyNot(call: RestCall, n: number, a: RestResponse): Promise<GitProviderFailure['kind']> {
    const kind = failureKindOf(MERGE, a)
    if (a.status !== 405 || kind !== 'Unexpected') return kind
    const pull = await this.one(call, n)
    return pull.ok ? reasonOf(pull.value) : 'NotYet'
  }

  private one(call: RestCall, n: number): Promise<GitProviderResult<Pull>> {
    return this.asked(call, { method: 'GET', path: `${this.repo}/pulls/${n}` }, ONE)
  }

  private async asked(
    call: RestCall,
    r: RestRequest,
    rules: PullRequestRules,
  ): Promise<GitProviderResult<Pull>> {
    const answer = await call.send(r)
    if (!answer.ok) return answer
    const { status } = answer.value
    if (status !== 200 && status !== 201)
      return err(call.refused(r, failureKindOf(rules, answer.value), answer.value))
    return pullIn(call, r, answer.value, readPull)
  }

  /** `base` undefined: onto whichever. */
  private async list(
    query: Readonly<Record<string, string>>,
    base: string | undefined,
    o: CallOptions,
    last?: number,
  ): Promise<GitProviderResult<readonly Pull[]>> {
    const call = this.api.during(o)
    const path = `${this.repo}/pulls`
    // In the order of their creation: what is opened meanwhile moves nothing to another page.
    const onto: Readonly<Record<string, string>> = base === undefined ? {} : { base }
    const asked = { ...query, ...onto, sort: 'created', direction: last === undefined ? 'asc' : 'desc' }
    const found = await call.pages(path, asked, ['per_page', 100], last)
    if (!found.ok) return found
    if ('refused' in found.value) {
      const a = found.value.refused
      return err(call.refused({ method: 'GET', path }, failureKindOf(OPEN, a), a))
    }
    // A fork may have a branch of the same name; one that is gone is null.
    const own = found.value.items.filter(
      (i) => jsonNumberField(i, 'head', 'repo', 'id') === jsonNumberField(i, 'base', 'repo', 'id'),
    )
    const pulls = own.map(readPull).filter((p) => p !== undefined)
    return ok(byNumber(pulls.filter((p) => base === undefined || p.base === base)))
  }
}

/** A squash has the message that it is given; else GitHub makes one of its own, by the settings of the repository. */
function squashOf(to: MergeOptions): JsonObject {
  if (to.method !== 'squash' || to.message === undefined) return {}
  const [title, ...rest] = to.message.split('\n')
  return { commit_title: title, commit_message: rest.join('\n').trim() }
}

function readPull(json: JsonValue | undefined): Pull | undefined {
  const n = jsonNumberField(json, 'number')
  const state = jsonField(json, 'state')
  const [head, base] = [jsonField(json, 'head', 'ref'), jsonField(json, 'base', 'ref')]
  if (n === undefined || state === undefined || head === undefined || base === undefined) return undefined
  const isMerged = jsonField(json, 'merged_at') !== undefined
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
    // Before it is merged this is a commit that GitHub tries the merge with.
    mergeCommit: isMerged ? jsonField(json, 'merge_commit_sha') : undefined,
    mergeable: mergeableOf(json),
  }
}

/** `mergeable` is null until a job has looked; `mergeable_state` as docs.github.com/graphql says of MergeStateStatus. */
function mergeableOf(json: JsonValue | undefined): Pull['mergeable'] {
  const state = jsonField(json, 'mergeable_state')
  if (jsonFlagField(json, 'mergeable') === false || state === 'dirty' || state === 'behind') return 'Conflict'
  const isReady = state === 'clean' || state === 'unstable' || state === 'has_hooks'
  return at(json, 'mergeable') === true && isReady ? 'Yes' : 'Unknown'
}
