/**
 * GitHub's API, as docs.github.com/rest has it (pulls, issues/comments, rate limits). Where it gives no words for a refusal,
 * the words are as clients quote them; the source stands beside each.
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
import type { MergeMethod } from './mergemethod.ts'

const DOCS = 'https://docs.github.com/rest'

const refusal = (status: number, message: string, errors?: JsonValue): HostReply => ({
  status,
  json: {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: DOCS,
    status: String(status),
  },
})

/** docs.github.com "Validation failed": `{resource, field, code}`; with code `custom` a message. */
const invalid = (error: JsonObject): HostReply =>
  refusal(422, 'Validation Failed', [{ resource: 'PullRequest', ...error }])

const NOT_FOUND = refusal(404, 'Not Found')
/** hub4j/github-api, GHRepository.archive. */
const ARCHIVED = refusal(403, 'Repository was archived so is read-only.')

export const githubDialect: HostDialect = {
  prefixes: ['/api/v3', ''],
  ways: {
    mergeMessage: (pull, repository) =>
      `Merge pull request #${pull.number} from ${repository.split('/')[0]}/${pull.head}\n\n${pull.title}`,
    needsCommits: true,
    seesManualMerges: true,
  },
  // docs.github.com "Authenticating to the REST API": "Bad credentials".
  unauthorized: refusal(401, 'Bad credentials'),
  async answer(asked) {
    const found = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(asked.path)
    const repo = found ? asked.repository(decodeURIComponent(found[1]!)) : undefined
    if (!repo) return NOT_FOUND
    const rest = found?.[2] ?? ''
    if (rest === '/pulls' && asked.method === 'GET') return list(asked, repo)
    if (rest === '/pulls' && asked.method === 'POST') return open(asked, repo)
    const [, kind, number, act] = /^\/(pulls|issues)\/(\d+)(?:\/(merge|comments))?$/.exec(rest) ?? []
    const pull = number === undefined ? undefined : repo.pulls.get(Number(number))
    if (!pull) return NOT_FOUND
    const what = `${asked.method} ${kind} ${act ?? ''}`
    if (what === 'GET pulls ') return { status: 200, json: await whole(asked, repo, pull) }
    if (what === 'PATCH pulls ') return edit(asked, repo, pull)
    if (what === 'PUT pulls merge') return merge(asked, repo, pull)
    if (what === 'POST issues comments') return comment(asked, repo, pull)
    return NOT_FOUND
  },
  /** docs.github.com "Rate limits for the REST API": 403 or 429; the words as octokit's throttling plugin matches them. */
  limited(which, seconds, now, status = 403) {
    if (which === 'secondary') {
      const text = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
      return { ...refusal(status, text), headers: { 'retry-after': String(seconds) } }
    }
    const resetsAt = now + seconds * 1000
    return {
      ...refusal(status, 'API rate limit exceeded for user ID 1.'),
      headers: this.headers({ limit: 5000, remaining: 0, resetsAt }),
    }
  },
  headers: ({ limit, remaining, resetsAt }) => ({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-used': String(limit - remaining),
    'x-ratelimit-reset': String(Math.ceil(resetsAt / 1000)),
    'x-ratelimit-resource': 'core',
  }),
}

function list(asked: HostRequest, repo: HostedRepository): HostReply {
  const { query } = asked
  const [owner, branch] = (query.get('head') ?? '').split(/:(.*)/s)
  const state = query.get('state') ?? 'open'
  const found = repo.pulls.list(repo.listsBehindMs).filter((p) => {
    if (state !== 'all' && (state === 'open') !== (p.state === 'open')) return false
    if (query.has('base') && query.get('base') !== p.base) return false
    // PyGithub #1566: a head without an owner is no filter.
    return branch === undefined || (branch === p.head && owner?.toLowerCase() === ownerOf(repo).toLowerCase())
  })
  const ordered = query.get('direction') === 'asc' ? found : newestFirst(found)
  const shown = page(asked, ordered, { name: 'per_page', usual: 30, most: 100 })
  return { status: 200, headers: shown.headers, json: shown.pulls.map((p) => short(asked, repo, p)) }
}

async function open(asked: HostRequest, repo: HostedRepository): Promise<HostReply> {
  const [title, head, base] = ['title', 'head', 'base'].map((name) => textIn(asked.body, name))
  if (title === undefined) return invalid({ field: 'title', code: 'missing_field' })
  if (head === undefined || base === undefined)
    return invalid({ field: head === undefined ? 'head' : 'base', code: 'missing_field' })
  const branch = head.replace(/^[^:]*:/, '')
  const opened = await repo.open({ head: branch, base, title, body: textIn(asked.body, 'body') ?? '' })
  return opened.kind === 'opened'
    ? { status: 201, json: await whole(asked, repo, opened.pull) }
    : notOpened(opened, `${ownerOf(repo)}:${branch}`, base, branch)
}

/** Field and code of a missing branch: git-machete #1536; the messages: cli/cli and terraform-provider-github quote them. */
function notOpened(
  why: Exclude<OpenPullResult, { kind: 'opened' }>,
  label: string,
  base: string,
  head: string,
): HostReply {
  switch (why.kind) {
    case 'exists':
      return invalid({ code: 'custom', message: `A pull request already exists for ${label}.` })
    case 'nothing':
      return invalid({ code: 'custom', message: `No commits between ${base} and ${head}` })
    case 'no-branch':
      return invalid({ field: why.which, code: 'invalid' })
    case 'archived':
      return ARCHIVED
  }
}

async function edit(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  if (repo.isArchived) return ARCHIVED
  const [title, body, state] = ['title', 'body', 'state'].map((name) => textIn(asked.body, name))
  if (state === 'open') await repo.reopen(pull.number)
  const edited = await repo.edit(pull.number, {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(state === 'closed' ? { state } : {}),
  })
  return { status: 200, json: await whole(asked, repo, edited ?? pull) }
}

async function comment(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  if (repo.isArchived) return ARCHIVED
  const body = textIn(asked.body, 'body') ?? ''
  const after = await repo.comment(pull.number, body)
  return { status: 201, json: { id: pull.number * 1000 + (after?.comments.length ?? 0), body } }
}

async function merge(asked: HostRequest, repo: HostedRepository, pull: HostedPull): Promise<HostReply> {
  const method = (textIn(asked.body, 'merge_method') ?? 'merge') as MergeMethod
  const [title, rest] = [textIn(asked.body, 'commit_title'), textIn(asked.body, 'commit_message')]
  const message = title === undefined ? undefined : rest ? `${title}\n\n${rest}` : title
  const done = await repo.merge(pull.number, { method, expect: textIn(asked.body, 'sha'), message })
  if (done.kind !== 'merged') return notMerged(done, method)
  return {
    status: 200,
    json: { sha: done.commit, merged: true, message: 'Pull Request successfully merged' },
  }
}

/**
 * docs.github.com "Merge a pull request" (405, 409); a method that is off: mergify-engine, merge_base.py; a base that has moved:
 * NixOS/nixpkgs-merge-bot #179 quotes the answer; a rule of the repository: docs.github.com "Available rules for rulesets".
 */
function notMerged(why: Exclude<MergePullResult, { kind: 'merged' }>, method: MergeMethod): HostReply {
  const METHODS = { merge: 'Merge commits', squash: 'Squash merges', rebase: 'Rebase merges' }
  switch (why.kind) {
    case 'missing':
      return NOT_FOUND
    case 'archived':
      return ARCHIVED
    case 'declined':
      return refusal(405, `Repository rule violations found\n\n${why.message}\n\n`)
    case 'base-moved':
      return refusal(405, 'Base branch was modified. Review and try the merge again.')
    case 'moved':
      return refusal(409, 'Head branch was modified. Review and try the merge again.')
    case 'method':
      return refusal(405, `${METHODS[method]} are not allowed on this repository.`)
    case 'is-merged':
    case 'is-closed':
    case 'blocked':
    case 'conflict':
      return refusal(405, 'Pull Request is not mergeable')
  }
}

const ownerOf = (repo: HostedRepository): string => repo.name.split('/')[0]!

function short(asked: HostRequest, repo: HostedRepository, p: HostedPull): JsonObject {
  const owner = ownerOf(repo)
  const at = { full_name: repo.name, name: repo.name.split('/')[1]!, owner: { login: owner } }
  const side = (ref: string, sha: string | null): JsonObject => ({
    label: `${owner}:${ref}`,
    ref,
    sha,
    user: { login: owner },
    repo: at,
  })
  const ended = stamp(p.endedAt)
  return {
    number: p.number,
    html_url: `${asked.origin}/${repo.name}/pull/${p.number}`,
    state: p.state === 'open' ? 'open' : 'closed',
    title: p.title,
    body: p.body === '' ? null : p.body,
    created_at: stamp(p.createdAt),
    updated_at: stamp(p.updatedAt),
    closed_at: ended,
    merged_at: p.state === 'merged' ? ended : null,
    merge_commit_sha: p.mergeCommit ?? null,
    draft: false,
    head: side(p.head, p.headCommit),
    base: side(p.base, p.mergeBase ?? null),
  }
}

/** Of a single one: whether it can be merged, which lists do not say. */
async function whole(asked: HostRequest, repo: HostedRepository, p: HostedPull): Promise<JsonObject> {
  const isOpen = p.state === 'open'
  const mergeable = isOpen ? !(await repo.isConflict(p)) : null
  const state = !isOpen ? 'unknown' : !mergeable ? 'dirty' : p.isBlocked ? 'blocked' : 'clean'
  return {
    ...short(asked, repo, p),
    merged: p.state === 'merged',
    mergeable,
    mergeable_state: state,
    comments: p.comments.length,
  }
}
