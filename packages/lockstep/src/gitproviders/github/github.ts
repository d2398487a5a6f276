/** GitHub: docs.github.com "REST API endpoints for pull requests", version 2022-11-28. */
import { err, ok } from '../../../../kube/src/env/result.ts'
import { at, type JsonObject, type JsonValue } from '../../../../kube/src/object/index.ts'
import type {
  Budget,
  CallOptions,
  GitHost,
  HostFailure,
  HostResult,
  Merge,
  NewPull,
  Pull,
  PullEdit,
} from '../gitprovider.ts'
import { LAST_PULLS } from '../gitprovider.ts'
import { type ApiAnswer, type ApiCall, type ApiRequest, HostApi } from '../api/restclient.ts'
import {
  byNumber,
  type HostOptions,
  kindOf,
  pullIn,
  type Rules,
  reasonOf,
  whereOf,
} from '../api/pullrequestrules.ts'
import { flag, number, text } from '../api/jsonfields.ts'

/** Statuses that mean the same in all calls; 403 with a limit is known by then. */
const ANYWHERE: Rules = [
  [403, /archived/, 'Refused'],
  [403, /./, 'CredentialsRejected'],
  [451, /./, 'Refused'],
]

/** 422 `Validation Failed` with `errors`: the message of an element, or its field and code. */
const OPEN: Rules = [
  ...ANYWHERE,
  [422, /A pull request already exists for/, 'Exists'],
  [422, /No commits between/, 'NothingToMerge'],
  [422, /base invalid/, 'RepositoryNotFound'],
  [422, /head invalid/, 'NotFound'],
  [404, /./, 'RepositoryNotFound'],
  [410, /./, 'RepositoryNotFound'],
]

const ONE: Rules = [...ANYWHERE, [404, /./, 'NotFound'], [410, /./, 'NotFound']]

const MERGE: Rules = [
  ...ONE,
  [409, /Head branch was modified/, 'HeadMoved'],
  [405, /not allowed/, 'Refused'],
  [405, /Base branch was modified/, 'NotYet'],
]

const HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

export class GitHub implements GitHost {
  readonly name = 'github'
  readonly where: string
  private readonly api: HostApi
  private readonly owner: string
  private readonly base: string
  private readonly repo: string

  constructor(o: HostOptions) {
    this.where = whereOf(o)
    this.api = new HostApi(o.env, o.address.api, o.credentials, HEADERS)
    this.owner = o.address.owner
    this.base = o.baseBranch
    this.repo = `/repos/${encodeURIComponent(o.address.owner)}/${encodeURIComponent(o.address.repository)}`
  }

  async pullsOf(head: string, o: CallOptions): Promise<HostResult<readonly Pull[]>> {
    // Without `owner:` the filter is ignored, and everything is listed.
    const listed = await this.list({ state: 'all', head: `${this.owner}:${head}` }, this.base, o)
    return listed.ok ? ok(listed.value.filter((pull) => pull.head === head)) : listed
  }

  openPulls(o: CallOptions): Promise<HostResult<readonly Pull[]>> {
    return this.list({ state: 'open' }, undefined, o)
  }

  lastPulls(o: CallOptions): Promise<HostResult<readonly Pull[]>> {
    return this.list({ state: 'all' }, this.base, o, LAST_PULLS)
  }

  pull(n: number, o: CallOptions): Promise<HostResult<Pull>> {
    return this.one(this.api.during(o), n)
  }

  async open(pull: NewPull, o: CallOptions): Promise<HostResult<Pull>> {
    const call = this.api.during(o)
    const body: JsonObject = { title: pull.title, head: pull.head, base: this.base, body: pull.body }
    return this.asked(call, { method: 'POST', path: `${this.repo}/pulls`, body }, OPEN)
  }

  async edit(n: number, edit: PullEdit, o: CallOptions): Promise<HostResult<Pull>> {
    const call = this.api.during(o)
    const { comment, ...changes } = edit
    if (comment !== undefined) {
      const r: ApiRequest = {
        method: 'POST',
        path: `${this.repo}/issues/${n}/comments`,
        body: { body: comment },
      }
      const said = await call.send(r)
      if (!said.ok) return said
      if (said.value.status !== 201) return err(call.refused(r, kindOf(ONE, said.value), said.value))
    }
    if (Object.keys(changes).length === 0) return this.one(call, n)
    return this.asked(call, { method: 'PATCH', path: `${this.repo}/pulls/${n}`, body: { ...changes } }, ONE)
  }

  async merge(n: number, to: Merge, o: CallOptions): Promise<HostResult<void>> {
    const call = this.api.during(o)
    const body = { sha: to.expectHead, merge_method: to.method, ...squashOf(to) }
    const r: ApiRequest = { method: 'PUT', path: `${this.repo}/pulls/${n}/merge`, body }
    const answer = await call.send(r)
    if (!answer.ok) return answer
    if (answer.value.status === 200) return ok(undefined)
    return err(call.refused(r, await this.whyNot(call, n, answer.value), answer.value))
  }

  budget(): Budget | undefined {
    return this.api.budget
  }

  close(): Promise<void> {
    return this.api.close()
  }

  /** 405 `Pull Request is not mergeable` is said of conflicts, of missing checks and of what is merged already. */
  private async whyNot(call: ApiCall, n: number, a: ApiAnswer): Promise<HostFailure['kind']> {
    const kind = kindOf(MERGE, a)
    if (a.status !== 405 || kind !== 'Unexpected') return kind
    const pull = await this.one(call, n)
    return pull.ok ? reasonOf(pull.value) : 'NotYet'
  }

  private one(call: ApiCall, n: number): Promise<HostResult<Pull>> {
    return this.asked(call, { method: 'GET', path: `${this.repo}/pulls/${n}` }, ONE)
  }

  private async asked(call: ApiCall, r: ApiRequest, rules: Rules): Promise<HostResult<Pull>> {
    const answer = await call.send(r)
    if (!answer.ok) return answer
    const { status } = answer.value
    if (status !== 200 && status !== 201)
      return err(call.refused(r, kindOf(rules, answer.value), answer.value))
    return pullIn(call, r, answer.value, readPull)
  }

  /** `base` undefined: onto whichever. */
  private async list(
    query: Readonly<Record<string, string>>,
    base: string | undefined,
    o: CallOptions,
    last?: number,
  ): Promise<HostResult<readonly Pull[]>> {
    const call = this.api.during(o)
    const path = `${this.repo}/pulls`
    // In the order of their creation: what is opened meanwhile moves nothing to another page.
    const onto: Readonly<Record<string, string>> = base === undefined ? {} : { base }
    const asked = { ...query, ...onto, sort: 'created', direction: last === undefined ? 'asc' : 'desc' }
    const found = await call.pages(path, asked, ['per_page', 100], last)
    if (!found.ok) return found
    if ('refused' in found.value) {
      const a = found.value.refused
      return err(call.refused({ method: 'GET', path }, kindOf(OPEN, a), a))
    }
    // A fork may have a branch of the same name; one that is gone is null.
    const own = found.value.items.filter(
      (i) => number(i, 'head', 'repo', 'id') === number(i, 'base', 'repo', 'id'),
    )
    const pulls = own.map(readPull).filter((p) => p !== undefined)
    return ok(byNumber(pulls.filter((p) => base === undefined || p.base === base)))
  }
}

/** A squash has the message that it is given; else GitHub makes one of its own, by the settings of the repository. */
function squashOf(to: Merge): JsonObject {
  if (to.method !== 'squash' || to.message === undefined) return {}
  const [title, ...rest] = to.message.split('\n')
  return { commit_title: title, commit_message: rest.join('\n').trim() }
}

function readPull(json: JsonValue | undefined): Pull | undefined {
  const n = number(json, 'number')
  const state = text(json, 'state')
  const [head, base] = [text(json, 'head', 'ref'), text(json, 'base', 'ref')]
  if (n === undefined || state === undefined || head === undefined || base === undefined) return undefined
  const isMerged = text(json, 'merged_at') !== undefined
  return {
    number: n,
    url: text(json, 'html_url') ?? '',
    state: isMerged ? 'merged' : state === 'open' ? 'open' : 'closed',
    head,
    headCommit: text(json, 'head', 'sha'),
    base,
    title: text(json, 'title') ?? '',
    body: text(json, 'body') ?? '',
    createdAt: text(json, 'created_at') ?? '',
    mergedAt: text(json, 'merged_at'),
    // Before it is merged this is a commit that GitHub tries the merge with.
    mergeCommit: isMerged ? text(json, 'merge_commit_sha') : undefined,
    mergeable: mergeableOf(json),
  }
}

/** `mergeable` is null until a job has looked; `mergeable_state` as docs.github.com/graphql says of MergeStateStatus. */
function mergeableOf(json: JsonValue | undefined): Pull['mergeable'] {
  const state = text(json, 'mergeable_state')
  if (flag(json, 'mergeable') === false || state === 'dirty' || state === 'behind') return 'Conflict'
  const isReady = state === 'clean' || state === 'unstable' || state === 'has_hooks'
  return at(json, 'mergeable') === true && isReady ? 'Yes' : 'Unknown'
}
