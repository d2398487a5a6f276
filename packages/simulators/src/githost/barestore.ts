/** A bare repository on disk, by git itself: what `git http-backend` serves, and what the host merges in. */
import type { Env } from '@lockstep/kube/env'
import {
  commitText,
  type GitCommit,
  type GitFiles,
  type GitObjectId,
  type HostTreeEntry,
  readCommit,
} from './gitobjectid.ts'
import type { GitStore } from './gitstore.ts'

const MiB = 1024 * 1024
const ZERO = '0'.repeat(40)
const decoder = new TextDecoder()

export class BareStore implements GitStore {
  readonly dir: string
  private readonly env: Env
  /** Commits never change. */
  private readonly commits = new Map<GitObjectId, GitCommit>()
  private indexes = 0

  private constructor(env: Env, dir: string) {
    this.env = env
    this.dir = dir
  }

  /** Makes an empty one; `dir` is where it will be. */
  static async create(env: Env, dir: string): Promise<BareStore> {
    const store = new BareStore(env, dir)
    await store.git(['init', '-q', '--bare', '-b', 'main', dir], {}, [])
    return store
  }

  async branches(): Promise<ReadonlyMap<string, GitObjectId>> {
    const listed = await this.git([
      'for-each-ref',
      '--format=%(refname:lstrip=2) %(objectname)',
      'refs/heads/',
    ])
    const lines = decoder
      .decode(listed)
      .split('\n')
      .filter((l) => l !== '')
    return new Map(lines.map((l) => l.split(' ') as [string, string]))
  }

  async commit(id: GitObjectId): Promise<GitCommit | undefined> {
    const known = this.commits.get(id)
    if (known) return known
    const read = await this.attempt(['cat-file', 'commit', id])
    if (read.code !== 0) return undefined
    const commit = readCommit(decoder.decode(read.stdout))
    this.commits.set(id, commit)
    return commit
  }

  async files(commit: GitObjectId): Promise<GitFiles> {
    const listed = decoder.decode(await this.git(['ls-tree', '-r', '-z', '--full-tree', commit]))
    const out = new Map<string, HostTreeEntry>()
    for (const line of listed.split('\0')) {
      const tab = line.indexOf('\t')
      if (tab < 0) continue
      const [mode, , id] = line.slice(0, tab).split(' ')
      out.set(line.slice(tab + 1), { mode: mode!, id: id! })
    }
    return out
  }

  blob(id: GitObjectId): Promise<Uint8Array> {
    return this.git(['cat-file', 'blob', id])
  }

  async put(content: Uint8Array): Promise<GitObjectId> {
    return lineOf(await this.git(['hash-object', '-w', '--stdin'], { stdin: content }))
  }

  async make(files: GitFiles, c: Omit<GitCommit, 'tree'>): Promise<GitObjectId> {
    const index = `${this.dir}/lockstep-index-${++this.indexes}`
    const variables = { GIT_INDEX_FILE: index }
    const entries = [...files].map(([path, e]) => `${e.mode} ${e.id}\t${path}\0`).join('')
    await this.git(['update-index', '-z', '--index-info'], { stdin: entries, variables })
    const tree = lineOf(await this.git(['write-tree'], { variables }))
    await this.env.files.remove(index)
    return lineOf(
      await this.git(['hash-object', '-w', '-t', 'commit', '--stdin'], { stdin: commitText({ ...c, tree }) }),
    )
  }

  async move(branch: string, from: GitObjectId | undefined, to: GitObjectId | undefined): Promise<boolean> {
    const ref = `refs/heads/${branch}`
    const change = to === undefined ? ['-d', ref, from ?? ZERO] : [ref, to, from ?? ZERO]
    return (await this.attempt(['update-ref', ...change])).code === 0
  }

  /** By git's own hook, so that a push is told what every other host tells. */
  async reject(
    rule: { readonly branches: readonly string[]; readonly message: string } | undefined,
  ): Promise<void> {
    const hook = `${this.dir}/hooks/update`
    if (!rule) return void (await this.env.files.remove(hook))
    const patterns = rule.branches.map((b) => `refs/heads/${b}`).join('|')
    if (!/^[\w/.*|-]+$/.test(patterns)) throw new Error(`"${patterns}" is not a pattern of branches`)
    const said = rule.message.replaceAll("'", `'\\''`)
    const script = `#!/bin/sh\ncase "$1" in\n${patterns}) echo '${said}' >&2; exit 1;;\nesac\n`
    await this.env.files.writeAtomic(hook, script, 0o755)
  }

  /** Git that fails is a bug of the host: it is asked for nothing that could be refused. */
  private async git(
    args: readonly string[],
    o: { readonly stdin?: string | Uint8Array; readonly variables?: Readonly<Record<string, string>> } = {},
    where: readonly string[] = ['--git-dir', this.dir],
  ): Promise<Uint8Array> {
    const done = await this.attempt(args, o, where)
    if (done.code === 0) return done.stdout
    throw new Error(`git ${args[0]} in ${this.dir}: ${done.stderr}`)
  }

  private async attempt(
    args: readonly string[],
    o: { readonly stdin?: string | Uint8Array; readonly variables?: Readonly<Record<string, string>> } = {},
    where: readonly string[] = ['--git-dir', this.dir],
  ) {
    const done = await this.env.processes.run('git', [...where, ...args], {
      env: { ...QUIET, ...o.variables },
      timeoutMs: 20_000,
      maxOutput: 64 * MiB,
      ...(o.stdin === undefined ? {} : { stdin: o.stdin }),
    })
    if (!done.ok) throw new Error(`git ${args[0]}: ${done.error.kind}`)
    return done.value
  }
}

const QUIET = { LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }

const lineOf = (out: Uint8Array): string => decoder.decode(out).trim()
