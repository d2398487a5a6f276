/**
 * GitLab's API, as docs.gitlab.com has it ("Merge requests API", "Notes API", "REST API": pagination) and
 * `lib/api/merge_requests.rb` of gitlabhq/gitlabhq answers.
 */
import type { JsonObject, JsonValue } from '@lockstep/kube/object'
import {
  type HostDialect,
  type HostReply,
  type HostRequest,
  newestFirst,
  page,
  stamp,
  textIn,
} from './hostdialect.ts'
import type { HostedPull } from './hostedpull.ts'
import type { HostedRepository, MergePullResult, OpenPullResult } from './hostedrepository.ts'

const refusal = (status: number, message: JsonValue): HostReply => ({ status, json: { message } })

/** `not_found!('Project')`, `not_allowed!` of `lib/api/helpers.rb`: the status, and its words. */
const NO_PROJECT = refusal(404, '404 Project Not Found')
const NOT_FOUND = refusal(404, '404 Not found')
const NOT_ALLOWED = refusal(405, '405 Method Not Allowed')
const ARCHIVED = refusal(403, '403 Forbidden')

export const gitlabDialect: HostDialect = {
  prefixes: ['/api/v4'],
  ways: {
    mergeMessage: (pull, repository) =>
      `Merge branch '${pull.head}' into '${pull.base}'\n\n${pull.title}\n\nSee merge request ${repository}!${pull.number}`,
    needsCommits: false,
    seesManualMerges: true,
  },
  unauthorized: refusal(401, '401 Unauthorized'),
  async answer(asked) {
    const project = /^\/projects\/([^/]+)$/.exec(asked.path)?.[1]
    if (project !== undefined) return projectOf(asked.repository(decodeURIComponent(project)))
    const found = /^\/projects\/([^/]+)\/merge_requests(?:\/(\d+)(?:\/(merge|notes))?)?$/.exec(asked.path)
    if (!found) return NOT_FOUND
    const repo = asked.repository(decodeURIComponent(found[1]!))
    if (!repo) return NO_PROJECT
    const [, , number, act] = found
    if (number === undefined && asked.method === 'GET') return list(asked, repo)
    if (number === undefined && asked.method === 'POST') return open(asked, repo)
    const pull = repo.pulls.get(Number(number))
    if (!pull) return NOT_FOUND
    const what = `${asked.method} ${act ?? ''}`
    if (what === 'GET ') return { status: 200, json: await shown(asked, repo, pull) }
    if (what === 'PUT ') return edit(asked, repo, pull)
    if (what === 'PUT merge') return merge(asked, repo, pull)
    if (what === 'POST notes') return note(asked, repo, pull)
    return NOT_FOUND
  },
  /** docs.gitlab.com "User and IP rate limits": a text, not JSON, in GitLab; `Retry-After` and `RateLimit-*`. */
  limited(which, seconds, now) {
    const resetsAt = now + seconds * 1000
    const headers = {
      ...this.headers({ limit: 2000, remaining: 0, resetsAt }),
      'retry-after': String(seconds),
    }
    return { status: 429, headers: which === 'primary' ? headers : { 'retry-after': String(seconds) } }
  },
  headers: ({ limit, remaining, resetsAt }) => ({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-observed': String(limit - remaining),
    'ratelimit-reset': String(Math.ceil(resetsAt / 1000)),
  }),
}

/** docs.gitlab.com "Projects API": Retrieve a project. */
const projectOf = (repo: HostedRepository | undefined): HostReply =>
  repo
    ? { status: 200, json: { id: 1, path_with_namespace: repo.name, archived: repo.isArchived } }
    : NO_PROJECT

const STATES: Readonly<Record<HostedPull['state'], string>> = {
  open: 'opened',
  closed: 'closed',
  merged: 'merged',
}

async function list(asked: HostRequest, repo: HostedRepository): Promise<HostReply> {
  const { query } = asked
  const state = query.get('state') ?? 'all'
  const found = repo.pulls.list(repo.listsBehindMs).filter((p) => {
    if (state !== 'all' && STATES[p.state] !== state) return false
    if (query.has('source_branch') && query.get('source_branch') !== p.head) return false
    return !query.has('target_branch') || query.get('target_branch') === p.base
  })
  const ordered = query.get('sort') === 'asc' ? found : newestFirst(found)
  const at = page(asked, ordered, { name: 'per_page', usual: 20, most: 100 })
  const json: JsonObject[] = []
  for (const p of at.pulls) json.push(await shown(asked, repo, p))
  return { status: 200, headers: { ...at.headers, 'x-next-page': String(at.next ?? '') }, json }
}

async function open(asked: HostRequest, repo: HostedRepository): Promise<HostReply> {
  const [title, head, base] = ['title', 'source_branch', 'target_branch'].map((name) =>
    textIn(asked.body, name),
  )
  if (title === undefined || head === undefined || base === undefined)
    return { status: 400, json: { error: 'title, source_branch, target_branch are missing' } }
  const opened = await repo.open({ head, base, title, body: textIn(asked.body, 'description') ?? '' })
  return opened.kind === 'opened'
    ? { status: 201, json: await shown(asked, repo, opened.pull) }
    : notOpened(opened)
}

/** `validate_branches` of app/models/merge_request.rb; a missing branch: gerritlab #87; equal branches: NARKOZ/gitlab #145. */
function notOpened(why: Exclude<OpenPullResult, { kind: 'opened' }>): HostReply {
  switch (why.kind) {
    case 'exists':
      return refusal(409, [
        `Another open merge request already exists for this source branch: !${why.number}`,
      ])
    case 'nothing':
      return refusal(422, ["You can't use same project/branch for source and target"])
    case 'no-branch':
      return refusal(400, { [why.which === 'head' ? 'source_branch' : 'target_branch']: ['does not exist'] })
    case 'archived':
      return ARCHIVED
  }
}

async function edit(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  if (repo.isArchived) return ARCHIVED
  const [title, body, event] = ['title', 'description', 'state_event'].map((name) => textIn(asked.body, name))
  if (event === 'reopen') await repo.reopen(pull.number)
  const edited = await repo.edit(pull.number, {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(event === 'close' ? { state: 'closed' } : {}),
  })
  return { status: 200, json: await shown(asked, repo, edited ?? pull) }
}

async function note(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  if (repo.isArchived) return ARCHIVED
  const body = textIn(asked.body, 'body') ?? ''
  const after = await repo.comment(pull.number, body)
  return { status: 201, json: { id: pull.number * 1000 + (after?.comments.length ?? 0), body } }
}

async function merge(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  const isSquash = asked.body.squash === true
  const method = isSquash ? 'squash' : repo.methods.includes('merge') ? 'merge' : 'rebase'
  const message = textIn(asked.body, isSquash ? 'squash_commit_message' : 'merge_commit_message')
  const done = await repo.merge(pull.number, { method, expect: textIn(asked.body, 'sha'), message })
  if (done.kind !== 'merged') return notMerged(done.kind)
  return { status: 200, json: await shown(asked, repo, repo.pulls.get(pull.number)!) }
}

/** docs.gitlab.com "Merge a merge request": 405, 409, 422; a merged one and a conflict: gitlab4j-api #872. */
function notMerged(why: Exclude<MergePullResult['kind'], 'merged'>): HostReply {
  switch (why) {
    case 'missing':
      return NOT_FOUND
    case 'archived':
      // `unauthorized! unless merge_request.can_be_merged_by?`
      return refusal(401, '401 Unauthorized')
    case 'moved':
      return refusal(409, 'SHA does not match HEAD of source branch')
    // What went wrong while it was merged is told by `merge_error` of the merge request, not here.
    case 'conflict':
    case 'base-moved':
    case 'declined':
      return refusal(422, 'Branch cannot be merged')
    case 'is-merged':
    case 'is-closed':
    case 'blocked':
    case 'method':
      return NOT_ALLOWED
  }
}

async function shown(asked: HostRequest, repo: HostedRepository, p: HostedPull): Promise<JsonObject> {
  const isConflict = p.state === 'open' && (await repo.isConflict(p))
  const status =
    p.state !== 'open' ? 'not_open' : isConflict ? 'conflict' : p.isBlocked ? 'ci_must_pass' : 'mergeable'
  const ended = stamp(p.endedAt)
  return {
    id: 1000 + p.number,
    iid: p.number,
    project_id: 1,
    source_project_id: 1,
    target_project_id: 1,
    title: p.title,
    description: p.body,
    state: STATES[p.state],
    source_branch: p.head,
    target_branch: p.base,
    sha: p.headCommit,
    merge_commit_sha: p.wasSquashed ? null : (p.mergeCommit ?? null),
    squash_commit_sha: p.wasSquashed ? (p.mergeCommit ?? null) : null,
    created_at: stamp(p.createdAt),
    updated_at: stamp(p.updatedAt),
    merged_at: p.state === 'merged' ? ended : null,
    closed_at: p.state === 'closed' ? ended : null,
    draft: false,
    has_conflicts: isConflict,
    detailed_merge_status: status,
    user_notes_count: p.comments.length,
    web_url: `${asked.origin}/${repo.name}/-/merge_requests/${p.number}`,
  }
}
