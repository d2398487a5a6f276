/**
 * GitLab: docs.gitlab.com "Merge requests API"; refusals as `lib/api/merge_requests.rb` of gitlabhq/gitlabhq gives them.
 * Whether a merge makes a merge commit or goes without one is the project's setting: `merge` and `rebase` are the same here.
 */
import { err, ok } from '@lockstep/kube/env'
import type { JsonObject, JsonValue } from '@lockstep/kube/object'
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

const ANYWHERE: PullRequestRules = [[403, /./, 'CredentialsRejected']]

/** A missing branch is 400, 409 or 422, by the version (`handle_merge_request_errors!`). */
const OPEN: PullRequestRules = [
  ...ANYWHERE,
  [409, /Another open merge request already exists/, 'Exists'],
  ...[400, 409, 422].flatMap(
    (status): PullRequestRules => [
      [status, /target_branch does not exist|Target branch .*does not exist/i, 'RepositoryNotFound'],
      [status, /source_branch does not exist|Source branch .*does not exist/i, 'NotFound'],
      [status, /same project\/branch/, 'NothingToMerge'],
    ],
  ),
  [404, /./, 'RepositoryNotFound'],
]

const ONE: PullRequestRules = [...ANYWHERE, [404, /Project/, 'RepositoryNotFound'], [404, /./, 'NotFound']]

/** 405 and 422 (406 before 16): for many reasons, which the merge request tells. */
const MERGE: PullRequestRules = [...ONE, [409, /SHA does not match/, 'HeadMoved']]

export class GitLab implements GitProvider {
  readonly name = 'gitlab'
  readonly where: string
  private readonly api: RestClient
  private readonly base: string
  private readonly project: string
  private readonly requests: string

  constructor(o: GitProviderOptions) {
    this.where = whereOf(o)
    this.api = new RestClient(o.env, o.address.api, o.credentials, o.by)
    this.base = o.baseBranch
    const id = encodeURIComponent(`${o.address.owner}/${o.address.repository}`)
    this.project = `/projects/${id}`
    this.requests = `${this.project}/merge_requests`
  }

  async pullsOf(head: string, o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    const listed = await this.list({ state: 'all', source_branch: head }, this.base, o)
    return listed.ok ? ok(listed.value.filter((pull) => pull.head === head)) : listed
  }

  openPulls(o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    return this.list({ state: 'opened' }, undefined, o)
  }

  lastPulls(o: CallOptions): Promise<GitProviderResult<readonly Pull[]>> {
    return this.list({ state: 'all' }, this.base, o, LAST_PULLS)
  }

  pull(n: number, o: CallOptions): Promise<GitProviderResult<Pull>> {
    return this.one(this.api.during(o), n)
  }

  open(pull: NewPull, o: CallOptions): Promise<GitProviderResult<Pull>> {
    const body: JsonObject = {
      source_branch: pull.head,
      target_branch: this.base,
      title: pull.title,
      description: pull.body,
    }
    return this.asked(this.api.during(o), { method: 'POST', path: this.requests, body }, OPEN)
  }

  async edit(n: number, edit: PullEdit, o: CallOptions): Promise<GitProviderResult<Pull>> {
    const call = this.api.during(o)
    if (edit.comment !== undefined) {
      const r: RestRequest = {
        method: 'POST',
        path: `${this.requests}/${n}/notes`,
        body: { body: edit.comment },
      }
      const said = await call.send(r)
      if (!said.ok) return said
      if (said.value.status !== 201) return err(await this.refusal(call, r, ONE, said.value))
    }
    const body: JsonObject = {
      ...(edit.title === undefined ? {} : { title: edit.title }),
      ...(edit.body === undefined ? {} : { description: edit.body }),
      ...(edit.state === undefined ? {} : { state_event: 'close' }),
    }
    if (Object.keys(body).length === 0) return this.one(call, n)
    return this.asked(call, { method: 'PUT', path: `${this.requests}/${n}`, body }, ONE)
  }

  async merge(n: number, to: MergeOptions, o: CallOptions): Promise<GitProviderResult<void>> {
    const call = this.api.during(o)
    const isSquash = to.method === 'squash'
    const body: JsonObject = {
      sha: to.expectHead,
      squash: isSquash,
      ...(isSquash && to.message !== undefined ? { squash_commit_message: to.message } : {}),
    }
    const r: RestRequest = { method: 'PUT', path: `${this.requests}/${n}/merge`, body }
    const answer = await call.send(r)
    if (!answer.ok) return err(await this.unlessArchived(call, answer.error))
    // Merged, or under way: state `locked`.
    if (answer.value.status === 200) return ok(undefined)
    return err(await this.unlessArchived(call, await this.whyNot(call, r, n, answer.value)))
  }

  budget(): RequestBudget | undefined {
    return this.api.budget
  }

  close(): Promise<void> {
    return this.api.close()
  }

  private async whyNot(
    call: RestCall,
    r: RestRequest,
    n: number,
    a: RestResponse,
  ): Promise<GitProviderFailure> {
    if (a.status !== 405 && a.status !== 406 && a.status !== 422)
      return call.refused(r, failureKindOf(MERGE, a), a)
    const pull = await this.one(call, n)
    return call.refused(r, pull.ok ? reasonOf(pull.value) : 'NotYet', a)
  }

  /** 403 is said of what is archived, too, and of a merge there 401: only the project tells that from a token without rights. */
  private async unlessArchived(call: RestCall, f: GitProviderFailure): Promise<GitProviderFailure> {
    if (f.kind !== 'CredentialsRejected') return f
    const project = await call.send({ method: 'GET', path: this.project })
    if (!project.ok || jsonFlagField(project.value.json, 'archived') !== true) return f
    return { ...f, kind: 'Refused', message: `${f.message}: the project is archived` }
  }

  private refusal(
    call: RestCall,
    r: RestRequest,
    rules: PullRequestRules,
    a: RestResponse,
  ): Promise<GitProviderFailure> {
    return this.unlessArchived(call, call.refused(r, failureKindOf(rules, a), a))
  }

  private one(call: RestCall, n: number): Promise<GitProviderResult<Pull>> {
    return this.asked(call, { method: 'GET', path: `${this.requests}/${n}` }, ONE)
  }

  private async asked(
    call: RestCall,
    r: RestRequest,
    rules: PullRequestRules,
  ): Promise<GitProviderResult<Pull>> {
    const answer = await call.send(r)
    if (!answer.ok) return answer
    const { status } = answer.value
    if (status !== 200 && status !== 201) return err(await this.refusal(call, r, rules, answer.value))
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
    const path = this.requests
    const onto: Readonly<Record<string, string>> = base === undefined ? {} : { target_branch: base }
    const asked = { ...query, ...onto, order_by: 'created_at', sort: last === undefined ? 'asc' : 'desc' }
    const found = await call.pages(path, asked, ['per_page', 100], last)
    if (!found.ok) return found
    if ('refused' in found.value) {
      const a = found.value.refused
      return err(call.refused({ method: 'GET', path }, failureKindOf(OPEN, a), a))
    }
    // A fork may have a branch of the same name.
    const own = found.value.items.filter(
      (i) => jsonNumberField(i, 'source_project_id') === jsonNumberField(i, 'project_id'),
    )
    const pulls = own.map(readPull).filter((p) => p !== undefined)
    return ok(byNumber(pulls.filter((p) => base === undefined || p.base === base)))
  }
}

function readPull(json: JsonValue | undefined): Pull | undefined {
  const n = jsonNumberField(json, 'iid')
  const state = jsonField(json, 'state')
  const [head, base] = [jsonField(json, 'source_branch'), jsonField(json, 'target_branch')]
  if (n === undefined || state === undefined || head === undefined || base === undefined) return undefined
  const headCommit = jsonField(json, 'sha')
  const merged = jsonField(json, 'merge_commit_sha') ?? jsonField(json, 'squash_commit_sha') ?? headCommit
  return {
    number: n,
    url: jsonField(json, 'web_url') ?? '',
    // locked: it is being merged.
    state: state === 'merged' ? 'merged' : state === 'closed' ? 'closed' : 'open',
    head,
    headCommit,
    base,
    title: jsonField(json, 'title') ?? '',
    body: jsonField(json, 'description') ?? '',
    createdAt: jsonField(json, 'created_at') ?? '',
    mergedAt: jsonField(json, 'merged_at'),
    // Without either commit the base went on to the head itself.
    mergeCommit: state === 'merged' ? merged : undefined,
    mergeable: mergeableOf(jsonField(json, 'detailed_merge_status')),
  }
}

/** docs.gitlab.com "Merge status": the others wait for checks, reviews, or for GitLab to look. */
function mergeableOf(status: string | undefined): Pull['mergeable'] {
  if (status === 'mergeable') return 'Yes'
  return status === 'conflict' || status === 'need_rebase' ? 'Conflict' : 'Unknown'
}
