/**
 * A repository by git: bare, without a work tree, hooks or signatures. Commits come without the files that nobody asks for; what
 * is made here is pushed only where the branch is what it is expected to be.
 */

import { ok, type Result } from '@lockstep/kube/env'
import { MAX_FILE_BYTES, MAX_FILES, type RepoFile } from '../../decisions/promotion/index.ts'
import { type GitFailure, GitRunner, parseRemoteRefs } from '../../sources/git/index.ts'
import type { CallOptions } from '../gitprovider.ts'
import type { CommitId, CommitView, GitRepository, NewCommit, RepoResult } from '../gitrepository.ts'
import { commitProblem, commitText, LOG_FORMAT, readLog } from './commit.ts'
import { type GitCommandOptions, GitCommands } from './gitcommand.ts'
import { pushResultOf, remoteSays } from './gitmessages.ts'
import { contentsOf, kindOfMode, parseTreeList, sizesOf, type TreeListEntry } from './treelist.ts'

const MiB = 1024 * 1024
const decoder = new TextDecoder()

/** The problem is for people. Nothing is sent yet. */
export async function openSubprocessRepository(o: GitCommandOptions): Promise<Result<GitRepository, string>> {
  const git = await GitRunner.open(o.env, {
    url: o.url,
    credentials: o.credentials,
    by: o.by,
    timeoutMs: 60_000,
    folder: `${o.dir}/private`,
  })
  return git.ok ? ok(new BinaryRepository(o, git.value)) : git
}

/** Several may ask at once; in its folders git runs one command after another, since it refuses what another one has locked. */
class BinaryRepository implements GitRepository {
  private readonly o: GitCommandOptions
  private readonly git: GitRunner
  private readonly made = new Map<string, Promise<Result<void, GitFailure>>>()
  private indexes = 0
  private last: Promise<unknown> = Promise.resolve()

  constructor(o: GitCommandOptions, git: GitRunner) {
    this.o = o
    this.git = git
  }

  async branches(
    names: readonly string[],
    o: CallOptions,
  ): Promise<RepoResult<ReadonlyMap<string, CommitId>>> {
    const call = this.call('git ls-remote', o)
    const patterns = names.map((name) => `refs/heads/${name}${name.endsWith('/') ? '*' : ''}`)
    const done = await call.run(['ls-remote', '--quiet', '--', this.o.url.text, ...patterns])
    if (!done.ok) return done
    const found = new Map<string, CommitId>()
    for (const { name, id } of parseRemoteRefs(decoder.decode(done.value))) {
      const branch = name.replace(/^refs\/heads\//, '')
      // A pattern also finds what only ends with it.
      if (branch !== name && names.some((n) => (n.endsWith('/') ? branch.startsWith(n) : branch === n)))
        found.set(branch, id)
    }
    return ok(found)
  }

  async files(
    at: CommitId,
    wanted: (path: string) => boolean,
    o: CallOptions,
  ): Promise<RepoResult<readonly RepoFile[]>> {
    const call = this.call('git fetch', o)
    return this.alone(() => this.readFiles(call, at, wanted))
  }

  private async readFiles(
    call: GitCommands,
    at: CommitId,
    wanted: (path: string) => boolean,
  ): Promise<RepoResult<readonly RepoFile[]>> {
    const there = await this.entries(call, at)
    if (!there.ok) return there
    const entries = there.value.filter((e) => wanted(e.path))
    const files = entries.filter((e) => kindOfMode(e.mode) === 'file')
    const ids = [...new Set(files.map((e) => e.id))]
    // So many are refused: what is in them is of no use.
    const read = files.length > MAX_FILES ? ok(NOTHING) : await this.read(call, ids)
    if (!read.ok) return read
    return ok(
      entries.map(({ path, mode, id }) => {
        const kind = kindOfMode(mode)
        const [size, bytes] =
          kind === 'file' ? [read.value.sizes.get(id) ?? 0, read.value.contents.get(id)] : [0, undefined]
        return { path, kind, size, bytes }
      }),
    )
  }

  async history(
    of: CommitId,
    not: CommitId | undefined,
    limit: number,
    o: CallOptions,
  ): Promise<RepoResult<readonly CommitView[]>> {
    const call = this.call('git fetch', o)
    return this.alone(() => this.readHistory(call, of, not, limit))
  }

  private async readHistory(
    call: GitCommands,
    of: CommitId,
    not: CommitId | undefined,
    limit: number,
  ): Promise<RepoResult<readonly CommitView[]>> {
    const ready = await this.ready(call, 'history')
    if (!ready.ok) return ready
    const both = not === undefined ? undefined : await this.historyOf(call, [of, not], Math.max(limit, 256))
    // It may be gone from there, as after a forced push: then what leads to `of` is all that there is.
    const fetched =
      both && (both.ok || both.error.kind !== 'NotFound') ? both : await this.fetchCommits(call, [of], limit)
    if (!fetched.ok) return fetched
    const range = both?.ok ? [of, `^${not}`] : [of]
    const args = ['log', `--format=${LOG_FORMAT}`, '-n', String(limit), '--no-show-signature', ...range, '--']
    const log = await call.run(this.in('history', args), OFFLINE)
    return log.ok ? ok(readLog(decoder.decode(log.value))) : log
  }

  /** As much of the history of two commits as shows where they parted; all of it where they have nothing in common. */
  private async historyOf(
    call: GitCommands,
    ids: readonly [CommitId, CommitId],
    depth: number,
  ): Promise<RepoResult<void>> {
    const fetched = await this.fetchCommits(call, ids, depth)
    if (!fetched.ok) return fetched
    const base = await call.attempt(this.in('history', ['merge-base', ...ids]), OFFLINE)
    if (!base.ok) return base
    if (base.value.code === 0) return ok(undefined)
    const shallow = await call.run(this.in('history', ['rev-parse', '--is-shallow-repository']), OFFLINE)
    if (!shallow.ok) return shallow
    return decoder.decode(shallow.value).trim() === 'true'
      ? this.historyOf(call, ids, depth * 8)
      : ok(undefined)
  }

  /** Only commits: neither directories nor files. */
  private async fetchCommits(
    call: GitCommands,
    ids: readonly CommitId[],
    depth: number,
  ): Promise<RepoResult<void>> {
    const args = ['fetch', ...FETCH, `--depth=${depth}`, '--filter=tree:0', 'origin', ...ids]
    const done = await call.run(this.in('history', args))
    return done.ok ? ok(undefined) : done
  }

  async commit(c: NewCommit, o: CallOptions): Promise<RepoResult<{ commit: CommitId; tree: string }>> {
    const call = this.call('git commit', o)
    return this.alone(() => this.make(call, c))
  }

  private async make(
    call: GitCommands,
    c: NewCommit,
  ): Promise<RepoResult<{ commit: CommitId; tree: string }>> {
    const problem = commitProblem(c)
    if (problem !== undefined) return call.refused('Unexpected', problem)
    const there = await this.entries(call, c.base)
    if (!there.ok) return there
    const modes = new Map(there.value.map((e) => [e.path, e.mode]))
    const changes: string[] = []
    for (const [path, bytes] of c.files) {
      const mode = modes.get(path) ?? '100644'
      if (kindOfMode(mode) !== 'file')
        return call.refused('Unexpected', `${path} is a link or a submodule: it is not written`)
      const blob = await call.run(this.in('work', ['hash-object', '-w', '--stdin']), {
        stdin: bytes,
        ...OFFLINE,
      })
      if (!blob.ok) return blob
      changes.push(`${mode} ${decoder.decode(blob.value).trim()}\t${path}\0`)
    }
    const tree = await this.tree(call, c.base, changes.join(''))
    if (!tree.ok) return tree
    const stdin = commitText(tree.value, c)
    const made = await call.run(this.in('work', ['hash-object', '-w', '-t', 'commit', '--stdin']), {
      stdin,
      ...OFFLINE,
    })
    return made.ok ? ok({ commit: decoder.decode(made.value).trim(), tree: tree.value }) : made
  }

  async push(
    branch: string,
    commit: CommitId,
    expect: CommitId | 'absent',
    o: CallOptions,
  ): Promise<RepoResult<'pushed' | 'same'>> {
    const call = this.call('git push', o, true)
    return this.alone(() => this.change(call, branch, commit, expect === 'absent' ? '' : expect))
  }

  async remove(branch: string, expect: CommitId, o: CallOptions): Promise<RepoResult<'removed' | 'gone'>> {
    const call = this.call('git push', o, true)
    const done = await this.alone(() => this.change(call, branch, '', expect))
    if (done.ok) return ok('removed')
    // What is not there is refused in the words of what is another.
    if (!['Stale', 'NotFound', 'Unexpected'].includes(done.error.kind)) return done
    const there = await this.branches([branch], o)
    return there.ok && !there.value.has(branch) ? ok('gone') : done
  }

  async close(): Promise<void> {
    await this.git.close()
    await this.o.env.files.removeTree(this.o.dir)
  }

  /** After what is under way; its time is running already. */
  private alone<T>(act: () => Promise<T>): Promise<T> {
    const next = this.last.then(act)
    this.last = next.catch(() => {})
    return next
  }

  private async change(
    call: GitCommands,
    branch: string,
    commit: string,
    expect: string,
  ): Promise<RepoResult<'pushed' | 'same'>> {
    const ready = await this.ready(call, 'work')
    if (!ready.ok) return ready
    const ref = `refs/heads/${branch}`
    const lease = `--force-with-lease=${ref}:${expect}`
    const flags = ['--porcelain', '--no-verify', '--no-signed', '--recurse-submodules=no', lease]
    const done = await call.attempt(this.in('work', ['push', ...flags, 'origin', `${commit}:${ref}`]))
    if (!done.ok) return done
    const became = pushResultOf(decoder.decode(done.value.stdout), done.value.stderr, ref)
    if (became === 'pushed' || became === 'same')
      return done.value.code === 0 ? ok(became) : call.failed(done.value)
    if (became === undefined) return call.failed(done.value)
    const remote = became.kind === 'Refused' ? remoteSays(done.value.stderr, this.o.secrets) : ''
    return call.refused(became.kind, remote === '' ? became.message : `${became.message}: ${remote}`)
  }

  /** All entries of a commit; the commit and its directories are fetched where they are not here. */
  private async entries(call: GitCommands, commit: CommitId): Promise<RepoResult<readonly TreeListEntry[]>> {
    const ready = await this.ready(call, 'work')
    if (!ready.ok) return ready
    // What is missing git would fetch by itself, and ends by a signal where it may not: that is a no as well.
    const has = await call.attempt(this.in('work', ['cat-file', '-e', `${commit}^{tree}`]), OFFLINE)
    if (!has.ok || has.value.code !== 0) {
      const fetched = await call.run(
        this.in('work', ['fetch', ...FETCH, '--depth=1', '--filter=blob:none', 'origin', commit]),
      )
      if (!fetched.ok) return fetched
    }
    const list = await call.run(this.in('work', ['ls-tree', '-r', '-z', '--full-tree', commit]), {
      ...OFFLINE,
      maxOutput: 256 * MiB,
    })
    return list.ok ? ok(parseTreeList(list.value)) : list
  }

  private async read(call: GitCommands, ids: readonly string[]): Promise<RepoResult<Contents>> {
    if (ids.length === 0) return ok(NOTHING)
    const known = await this.sizes(call)
    if (!known.ok) return known
    const missing = ids.filter((id) => !known.value.has(id))
    if (missing.length > 0) {
      // In one request: what is asked for by id needs no negotiation.
      const args = [
        '-c',
        'fetch.negotiationAlgorithm=noop',
        ...this.in('work', ['fetch', ...FETCH, '--filter=blob:none', 'origin', '--stdin']),
      ]
      const fetched = await call.run(args, { stdin: `${missing.join('\n')}\n` })
      if (!fetched.ok) return fetched
    }
    const sizes = missing.length > 0 ? await this.sizes(call) : known
    if (!sizes.ok) return sizes
    const small = ids.filter((id) => (sizes.value.get(id) ?? 0) <= MAX_FILE_BYTES)
    const stdin = `${small.join('\n')}\n`
    const read = await call.run(this.in('work', ['cat-file', '--batch']), {
      stdin,
      ...OFFLINE,
      maxOutput: 1024 * MiB,
    })
    return read.ok ? ok({ sizes: sizes.value, contents: contentsOf(read.value) }) : read
  }

  /** Of all files that are here: what is asked for by id would be fetched. */
  private async sizes(call: GitCommands): Promise<RepoResult<ReadonlyMap<string, number>>> {
    const args = ['cat-file', '--batch-check', '--batch-all-objects', '--unordered']
    const checked = await call.run(this.in('work', args), { ...OFFLINE, maxOutput: 256 * MiB })
    return checked.ok ? ok(sizesOf(decoder.decode(checked.value))) : checked
  }

  /** The tree of a commit with other entries, by an index of its own. */
  private async tree(call: GitCommands, base: CommitId, changes: string): Promise<RepoResult<string>> {
    const index = `${this.o.dir}/index-${++this.indexes}`
    const variables = { GIT_INDEX_FILE: index }
    const steps: readonly (readonly [string[], string])[] = [
      [['read-tree', base], ''],
      [['update-index', '-z', '--index-info'], changes],
      // Files that nobody asked for are not here.
      [['write-tree', '--missing-ok'], ''],
    ]
    let out: Uint8Array = new Uint8Array()
    for (const [args, stdin] of steps) {
      const done = await call.run(this.in('work', args), { stdin, variables, ...OFFLINE })
      if (!done.ok) return done
      out = done.value
    }
    await this.o.env.files.remove(index)
    return ok(decoder.decode(out).trim())
  }

  /** The bare repositories, made at first use: one for files, one that knows commits only. */
  private async ready(call: GitCommands, name: Name): Promise<RepoResult<void>> {
    const init = async (): Promise<Result<void, GitFailure>> => {
      const made = await this.git.run(['init', '-q', '--bare', `${this.o.dir}/${name}`], { offline: true })
      return made.ok ? ok(undefined) : made
    }
    const making = this.made.get(name) ?? init()
    this.made.set(name, making)
    const made = await making
    if (made.ok) return made
    this.made.delete(name)
    return call.failedBy(made.error)
  }

  private in(name: Name, args: readonly string[]): string[] {
    const settings = [`url=${this.o.url.text}`, 'promisor=true', 'partialclonefilter=blob:none']
    const remote = settings.flatMap((setting) => ['-c', `remote.origin.${setting}`])
    return [...remote, '--git-dir', `${this.o.dir}/${name}`, ...args]
  }

  private call(request: string, o: CallOptions, writes = false): GitCommands {
    return new GitCommands(this.o, this.git, request, o, writes)
  }
}

type Name = 'work' | 'history'

interface Contents {
  readonly sizes: ReadonlyMap<string, number>
  readonly contents: ReadonlyMap<string, Uint8Array>
}

const NOTHING: Contents = { sizes: new Map(), contents: new Map() }
const OFFLINE = { offline: true } as const
const FETCH = [
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
]
