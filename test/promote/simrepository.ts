/**
 * A repository for simulations, where no git runs: it talks JSON to the Git host for tests, so that what goes wrong on the way to
 * the host goes wrong for pushes, too. Its commits have the ids that git would give them.
 */

import type { Env } from '../../packages/kube/src/env/env.ts'
import { err, ok } from '../../packages/kube/src/env/result.ts'
import {
  at,
  base64ToBytes,
  bytesToBase64,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../packages/kube/src/object/index.ts'
import { MAX_FILES } from '../../packages/lockstep/src/decisions/promotion/edit/editfiles.ts'
import { MAX_FILE_BYTES } from '../../packages/lockstep/src/decisions/promotion/edit/sourcetext.ts'
import type { RepoFile } from '../../packages/lockstep/src/decisions/promotion/repofile.ts'
import type { ProviderCredentials } from '../../packages/lockstep/src/gitproviders/api/credentials.ts'
import {
  type RestCall,
  RestClient,
  type RestRequest,
  type RestResponse,
} from '../../packages/lockstep/src/gitproviders/api/restclient.ts'
import { commitProblem } from '../../packages/lockstep/src/gitproviders/git/commit.ts'
import { kindOfMode } from '../../packages/lockstep/src/gitproviders/git/treelist.ts'
import type { CallOptions, GitProviderFailure } from '../../packages/lockstep/src/gitproviders/gitprovider.ts'
import type {
  CommitId,
  CommitView,
  GitRepository,
  NewCommit,
  RepoFailure,
  RepoResult,
} from '../../packages/lockstep/src/gitproviders/gitrepository.ts'
import {
  blobId,
  commitId,
  ended,
  type GitCommit,
  type GitFiles,
  type HostTreeEntry,
  personAt,
  treeId,
} from '../../packages/simulators/src/githost/gitobjectid.ts'

interface Made {
  readonly commit: GitCommit
  readonly files: GitFiles
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

/** `url`: of the repository, as people write it. */
export function openSimRepository(env: Env, url: string, credentials: ProviderCredentials): GitRepository {
  const { origin, pathname } = new URL(url)
  const name = pathname.replace(/^\//, '').replace(/\.git$/, '')
  return new SimRepository(new RestClient(env, origin, credentials, 'operator'), `/-/git/${name}`)
}

class SimRepository implements GitRepository {
  private readonly api: RestClient
  private readonly path: string
  private readonly made = new Map<CommitId, Made>()

  constructor(api: RestClient, path: string) {
    this.api = api
    this.path = path
  }

  async branches(
    names: readonly string[],
    o: CallOptions,
  ): Promise<RepoResult<ReadonlyMap<string, CommitId>>> {
    const refs = await this.ask(this.api.during(o), { method: 'GET', path: `${this.path}/refs` })
    if (!refs.ok) return refs
    const isWanted = (branch: string) =>
      names.some((n) => (n.endsWith('/') ? branch.startsWith(n) : branch === n))
    const found = Object.entries(isObject(refs.value) ? refs.value : {}).filter(([branch]) =>
      isWanted(branch),
    )
    return ok(new Map(found.map(([branch, id]) => [branch, String(id)])))
  }

  async files(
    commit: CommitId,
    wanted: (path: string) => boolean,
    o: CallOptions,
  ): Promise<RepoResult<readonly RepoFile[]>> {
    const call = this.api.during(o)
    const entries = await this.entries(call, commit)
    if (!entries.ok) return entries
    const found = entries.value.filter((e) => wanted(e.path))
    const files = found.filter((e) => kindOfMode(e.mode) === 'file')
    const small = files.length > MAX_FILES ? [] : files.filter((e) => e.size <= MAX_FILE_BYTES)
    const ids = [...new Set(small.map((e) => e.id))]
    const read = await this.ask(call, { method: 'POST', path: `${this.path}/blobs`, body: { ids } })
    if (!read.ok) return read
    return ok(
      found.map(({ path, mode, id, size }) => {
        const kind = kindOfMode(mode)
        const text = at(read.value, id)
        const bytes = typeof text === 'string' ? base64ToBytes(text) : undefined
        return { path, kind, size: kind === 'file' ? size : 0, bytes }
      }),
    )
  }

  async history(
    of: CommitId,
    not: CommitId | undefined,
    limit: number,
    o: CallOptions,
  ): Promise<RepoResult<readonly CommitView[]>> {
    const query = { limit: String(limit), ...(not === undefined ? {} : { not }) }
    const r: RestRequest = { method: 'GET', path: `${this.path}/history/${of}`, query }
    const found = await this.ask(this.api.during(o), r)
    return found.ok ? ok((isArray(found.value) ? found.value : []).map(viewOf)) : found
  }

  async commit(c: NewCommit, o: CallOptions): Promise<RepoResult<{ commit: CommitId; tree: string }>> {
    const problem = commitProblem(c)
    if (problem !== undefined) return refused('git commit', problem)
    const entries = await this.entries(this.api.during(o), c.base)
    if (!entries.ok) return entries
    const files = new Map<string, HostTreeEntry>(
      entries.value.map(({ path, mode, id }) => [path, { mode, id }]),
    )
    const blobs = new Map<string, Uint8Array>()
    for (const [path, bytes] of c.files) {
      const mode = files.get(path)?.mode ?? '100644'
      if (kindOfMode(mode) !== 'file')
        return refused('git commit', `${path} is a link or a submodule: it is not written`)
      const id = blobId(bytes)
      files.set(path, { mode, id })
      blobs.set(id, bytes)
    }
    const who = personAt(c.person, Date.parse(c.date))
    const tree = treeId(files)
    const commit = { tree, parents: [c.base], author: who, committer: who, message: ended(c.message) }
    const id = commitId(commit)
    this.made.set(id, { commit, files, blobs })
    return ok({ commit: id, tree })
  }

  push(
    branch: string,
    commit: CommitId,
    expect: CommitId | 'absent',
    o: CallOptions,
  ): Promise<RepoResult<'pushed' | 'same'>> {
    return this.move(branch, commit, expect === 'absent' ? null : expect, o)
  }

  async remove(branch: string, expect: CommitId, o: CallOptions): Promise<RepoResult<'removed' | 'gone'>> {
    const done = await this.move(branch, null, expect, o)
    return done.ok ? ok(done.value === 'same' ? 'gone' : 'removed') : done
  }

  close(): Promise<void> {
    return this.api.close()
  }

  private async move(
    branch: string,
    to: CommitId | null,
    from: CommitId | null,
    o: CallOptions,
  ): Promise<RepoResult<'pushed' | 'same'>> {
    const body: JsonObject = { branch, from, to, objects: this.objects(to) }
    const done = await this.ask(this.api.during(o), { method: 'POST', path: `${this.path}/push`, body })
    return done.ok ? ok(at(done.value, 'result') === 'same' ? 'same' : 'pushed') : done
  }

  /** All commits that were made here, from this one on. */
  private objects(to: CommitId | null): JsonObject {
    const blobs: Record<string, string> = {}
    const commits: JsonObject[] = []
    for (let id: string | null = to, m = this.made.get(id ?? ''); m; m = this.made.get(id ?? '')) {
      for (const [blob, bytes] of m.blobs) blobs[blob] = bytesToBase64(bytes)
      commits.push({ ...m.commit, files: [...m.files].map(([path, e]) => ({ path, ...e })) })
      id = m.commit.parents[0] ?? null
    }
    return { blobs, commits }
  }

  private async entries(
    call: RestCall,
    commit: CommitId,
  ): Promise<RepoResult<{ path: string; mode: string; id: string; size: number }[]>> {
    const tree = await this.ask(call, { method: 'GET', path: `${this.path}/tree/${commit}` })
    if (!tree.ok) return tree
    const files = at(tree.value, 'files')
    return ok(
      (isArray(files) ? files : []) as unknown as { path: string; mode: string; id: string; size: number }[],
    )
  }

  private async ask(call: RestCall, r: RestRequest): Promise<RepoResult<JsonValue | undefined>> {
    const answer = await call.send(r)
    if (!answer.ok) return err(repoFailure(answer.error))
    if (answer.value.status === 200) return ok(answer.value.json)
    return err({
      kind: kindOf(answer.value),
      wrote: 'no',
      request: requestOf(r),
      message: answer.value.message,
    })
  }
}

/** Those that mean the same for a host have the same names. */
function repoFailure(f: GitProviderFailure): RepoFailure {
  const { wrote, request, message, retryAfterMs } = f
  const kind = f.kind as RepoFailure['kind']
  return { kind, wrote, request, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/** As git tells a commit that is missing from all of a repository. */
function kindOf({ status, message }: RestResponse): RepoFailure['kind'] {
  if (status === 404) return /not our ref/.test(message) ? 'NotFound' : 'RepositoryNotFound'
  return status === 409 ? 'Stale' : status === 403 ? 'Refused' : 'Unexpected'
}

const requestOf = (r: RestRequest): string => `${r.method} ${r.path}`

const refused = (request: string, message: string) =>
  err<RepoFailure>({ kind: 'Unexpected', wrote: 'no', request, message })

function viewOf(json: JsonValue): CommitView {
  const author = String(at(json, 'author')).replace(/ \d+ [+-]\d{4}$/, '')
  return { ...(json as unknown as CommitView), author }
}
