/** Gitea's API, as `routers/api/v1/repo/pull.go`, `issue_comment.go` and `services/convert/pull.go` of go-gitea/gitea answer. */
import type { JsonObject } from '@lockstep/kube/object'
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
import type { MergeMethod } from './mergemethod.ts'

/** `ctx.APIError`. */
const refusal = (status: number, message: string): HostReply => ({
  status,
  json: { message, url: '/api/swagger' },
})

/** `ctx.APIErrorNotFound`. */
const NOT_FOUND = refusal(404, "The target couldn't be found.")
/** `mustNotBeArchived` of routers/api/v1/api.go: 423. */
const archived = (repo: HostedRepository): HostReply => refusal(423, `${repo.name} is archived`)

export const giteaDialect: HostDialect = {
  prefixes: ['/api/v1'],
  ways: {
    // services/pull/merge.go, getMergeMessage.
    mergeMessage: (pull) =>
      `Merge pull request '${pull.title}' (#${pull.number}) from ${pull.head} into ${pull.base}`,
    needsCommits: false,
    // Only with "autodetect manual merge", which is off at first.
    seesManualMerges: false,
  },
  unauthorized: refusal(401, 'invalid username, password or token'),
  async answer(asked) {
    const found = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(asked.path)
    const repo = found ? asked.repository(decodeURIComponent(found[1]!)) : undefined
    if (!repo) return NOT_FOUND
    const rest = found?.[2] ?? ''
    if (rest === '/pulls' && asked.method === 'GET') return list(asked, repo)
    if (rest === '/pulls' && asked.method === 'POST') return open(asked, repo)
    const branch = /^\/branches\/(.+)$/.exec(rest)?.[1]
    if (branch !== undefined) return branchOf(repo, decodeURIComponent(branch))
    const [, kind, number, act] = /^\/(pulls|issues)\/(\d+)(?:\/(merge|comments))?$/.exec(rest) ?? []
    const pull = number === undefined ? undefined : repo.pulls.get(Number(number))
    if (!pull) return NOT_FOUND
    const what = `${asked.method} ${kind} ${act ?? ''}`
    if (what === 'GET pulls ') return { status: 200, json: await shown(asked, repo, pull) }
    if (what === 'PATCH pulls ') return edit(asked, repo, pull)
    if (what === 'POST pulls merge') return merge(asked, repo, pull)
    if (what === 'POST issues comments') return comment(asked, repo, pull)
    return NOT_FOUND
  },
  /** It has none of its own: a proxy in front says 429. */
  limited: (_, seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }),
  headers: () => ({}),
}

/** `utils.GetListOptions`: `limit`, 30 unless asked, 50 at most (`[api]` DEFAULT_PAGING_NUM, MAX_RESPONSE_ITEMS). */
async function list(asked: HostRequest, repo: HostedRepository): Promise<HostReply> {
  const { query } = asked
  const state = query.get('state') ?? 'open'
  const found = repo.pulls.list(repo.listsBehindMs).filter((p) => {
    if (state !== 'all' && (state === 'open') !== (p.state === 'open')) return false
    return !query.has('base_branch') || query.get('base_branch') === p.base
  })
  const ordered = query.get('sort') === 'oldest' ? found : newestFirst(found)
  const at = page(asked, ordered, { name: 'limit', usual: 30, most: 50 })
  const json: JsonObject[] = []
  for (const p of at.pulls) json.push(await shown(asked, repo, p))
  return { status: 200, headers: { ...at.headers, 'x-total-count': String(found.length) }, json }
}

async function open(asked: HostRequest, repo: HostedRepository): Promise<HostReply> {
  if (repo.isArchived) return archived(repo)
  const [title, head, base] = ['title', 'head', 'base'].map((name) => textIn(asked.body, name))
  if (head === undefined || base === undefined || title === undefined) return refusal(422, '[Head]: Required')
  if (head === base)
    return refusal(422, 'Invalid PullRequest: There are no changes between the head and the base')
  const opened = await repo.open({ head, base, title, body: textIn(asked.body, 'body') ?? '' })
  return opened.kind === 'opened'
    ? { status: 201, json: await shown(asked, repo, opened.pull) }
    : notOpened(repo, opened, head, base)
}

/** `ErrPullRequestAlreadyExists.Error` of models/issues/pull.go; a branch that is none: 404 of parseCompareInfo. */
function notOpened(
  repo: HostedRepository,
  why: Exclude<OpenPullResult, { kind: 'opened' }>,
  head: string,
  base: string,
): HostReply {
  switch (why.kind) {
    case 'exists': {
      const ids = `id: ${why.number}, issue_id: ${why.number}, head_repo_id: 1, base_repo_id: 1`
      const text = `pull request already exists for these targets [${ids}, head_branch: ${head}, base_branch: ${base}]`
      return refusal(409, text)
    }
    case 'nothing':
      return refusal(422, 'Invalid PullRequest: There are no changes between the head and the base')
    case 'no-branch':
      return NOT_FOUND
    case 'archived':
      return archived(repo)
  }
}

async function branchOf(repo: HostedRepository, name: string): Promise<HostReply> {
  const id = (await repo.store.branches()).get(name)
  return id === undefined
    ? NOT_FOUND
    : { status: 200, json: { name, commit: { id }, protected: repo.isProtected(name) } }
}

async function edit(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  if (repo.isArchived) return archived(repo)
  const [title, body, state] = ['title', 'body', 'state'].map((name) => textIn(asked.body, name))
  const texts = { ...(title ? { title } : {}), ...(body === undefined ? {} : { body }) }
  await repo.edit(pull.number, texts)
  if (state !== undefined && repo.pulls.get(pull.number)?.state === 'merged')
    return refusal(412, 'cannot change state of this pull request, it was already merged')
  if (state === 'open') await repo.reopen(pull.number)
  const edited = state === 'closed' ? await repo.edit(pull.number, { state }) : repo.pulls.get(pull.number)
  // "TODO this should be 200, not 201", it says there.
  return { status: 201, json: await shown(asked, repo, edited ?? pull) }
}

async function comment(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  if (repo.isArchived) return archived(repo)
  const body = textIn(asked.body, 'body') ?? ''
  const after = await repo.comment(pull.number, body)
  return { status: 201, json: { id: pull.number * 1000 + (after?.comments.length ?? 0), body } }
}

async function merge(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  if (repo.isArchived) return archived(repo)
  const method = (textIn(asked.body, 'Do') ?? 'merge') as MergeMethod
  const [title, rest] = [textIn(asked.body, 'MergeTitleField'), textIn(asked.body, 'MergeMessageField')]
  const message = title ? (rest ? `${title}\n\n${rest}` : title) : undefined
  // CheckPullMergeable comes first: what conflicts is not compared any further.
  if (pull.state === 'open' && (await repo.isConflict(pull)))
    return notMerged(repo, { kind: 'conflict' }, method)
  const done = await repo.merge(pull.number, {
    method,
    expect: textIn(asked.body, 'head_commit_id'),
    message,
  })
  return done.kind === 'merged' ? { status: 200 } : notMerged(repo, done, method)
}

/** MergePullRequest. */
function notMerged(
  repo: HostedRepository,
  why: Exclude<MergePullResult, { kind: 'merged' }>,
  method: MergeMethod,
): HostReply {
  switch (why.kind) {
    case 'missing':
    case 'is-closed':
      return NOT_FOUND
    case 'is-merged':
      return refusal(405, '')
    case 'archived':
      return archived(repo)
    case 'method':
      return refusal(405, `${method} is not allowed an allowed merge style for this repository`)
    case 'moved':
      return refusal(409, 'head out of date')
    case 'base-moved':
      return refusal(409, 'merge push out of date')
    case 'declined':
      return refusal(409, `PushRejected with remote message: ${why.message}`)
    case 'blocked':
    case 'conflict':
      return refusal(405, 'Please try again later')
  }
}

async function shown(asked: HostRequest, repo: HostedRepository, p: HostedPull): Promise<JsonObject> {
  const branches = await repo.store.branches()
  const isConflict = p.state === 'open' && (await repo.isConflict(p))
  const ended = stamp(p.endedAt)
  return {
    id: p.number,
    number: p.number,
    html_url: `${asked.origin}/${repo.name}/pulls/${p.number}`,
    state: p.state === 'open' ? 'open' : 'closed',
    title: p.title,
    body: p.body,
    comments: p.comments.length,
    merged: p.state === 'merged',
    // A check that is missing is no conflict: whether it may be merged is said by 405 only.
    mergeable: p.state === 'open' && !isConflict,
    draft: false,
    merge_base: p.mergeBase ?? '',
    merge_commit_sha: p.mergeCommit ?? null,
    merged_at: p.state === 'merged' ? ended : null,
    closed_at: ended,
    created_at: stamp(p.createdAt),
    updated_at: stamp(p.updatedAt),
    // What has lost its branch is named by a reference of the pull request.
    head: {
      label: p.head,
      ref: branches.has(p.head) ? p.head : `refs/pull/${p.number}/head`,
      sha: p.headCommit,
      repo_id: 1,
    },
    base: { label: p.base, ref: p.base, sha: branches.get(p.base) ?? '', repo_id: 1 },
  }
}
