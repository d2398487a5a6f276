/**
 * One bare repository on disk for a URL and its credentials: never a work tree, so that no hook, filter, attribute or link
 * of it is run or written. Commits come without history, files only when they are asked for.
 */
import { type Env, err, ok, type Result } from '@lockstep/kube/env'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import { MAX_TREE_BYTES } from '../intake/sourcetree.ts'
import { gitFault, gitPlace, isUnadvertised } from './gitfault.ts'
import { type GitRef, parseRemoteRefs, patternsOf, type ResolvedRef, resolveRef } from './gitref.ts'
import type { GitFailure, GitRunner } from './gitrunner.ts'
import type { GitUrl } from './giturl.ts'
import { type LsTreeEntry, parseLsTree } from './lstree.ts'

const MiB = 1024 * 1024
/** As many commits as there are, also where a part of them is known already (git fetch: --unshallow). */
const ALL = 2147483647

export class GitMirror {
  private readonly env: Env
  private readonly url: GitUrl
  private readonly dir: string
  private readonly git: GitRunner

  constructor(env: Env, url: GitUrl, dir: string, git: GitRunner) {
    this.env = env
    this.url = url
    this.dir = dir
    this.git = git
  }

  /** Asks the server which commit the reference is now. */
  async resolve(ref: GitRef): Promise<Result<ResolvedRef, SourceFailure>> {
    const patterns = patternsOf(ref)
    if (patterns.length === 0) return resolveRef(ref, [], this.place)
    const listed = await this.git.run(['ls-remote', '--quiet', '--', this.url.text, ...patterns])
    if (!listed.ok) return err(this.fault(listed.error))
    const refs = parseRemoteRefs(new TextDecoder().decode(listed.value))
    const picked = resolveRef(ref, refs, this.place)
    return picked.ok && picked.value.behind ? this.pinnedToBranch(picked.value) : picked
  }

  /** A commit beside a branch must be in its history: else it may come from anybody's fork. */
  private async pinnedToBranch(picked: ResolvedRef): Promise<Result<ResolvedRef, SourceFailure>> {
    // Beside the other: a commit that is known already would not be fetched again with its directories.
    const beside = new GitMirror(this.env, this.url, `${this.dir}.history`, this.git)
    const ready = await beside.prepare(picked.commit)
    if (!ready.ok) return ready
    const branch = `refs/lockstep/${picked.label}`
    const fetched = await beside.fetch(['--filter=tree:0', 'origin', `+${picked.refName}:${branch}`])
    if (!fetched.ok) return err(this.fault(fetched.error))
    const isIn = await this.git.attempt(beside.in(['merge-base', '--is-ancestor', picked.commit, branch]), {
      offline: true,
    })
    if (isIn.ok && isIn.value.code === 0) return ok(picked)
    const name = picked.label === picked.refName ? (picked.label ?? '') : `branch ${picked.label}`
    const { commit } = picked
    return err(fault('RefNotFound', { place: this.place, because: 'NotOnBranch', commit, name }))
  }

  /** Makes a commit and its directories known here. Nothing is asked of the server if they are. */
  async ensureCommit(picked: ResolvedRef): Promise<Result<void, SourceFailure>> {
    const ready = await this.prepare(picked.commit)
    if (!ready.ok) return ready
    if (await this.has(picked.commit)) return ok(undefined)
    const byId = await this.fetch(['--depth=1', '--filter=blob:none', 'origin', picked.commit])
    if (byId.ok) return ok(undefined)
    if (!isUnadvertised(byId.error)) return err(this.fault(byId.error))
    return this.fetchByName(picked)
  }

  /** For servers that serve only what a reference names: files cannot be asked for by id either, so they come along. */
  private async fetchByName(picked: ResolvedRef): Promise<Result<void, SourceFailure>> {
    const wanted = picked.refName
      ? [`--depth=${picked.behind ? ALL : 1}`, 'origin', `+${picked.refName}:refs/lockstep/seen`]
      : ['origin', '+refs/heads/*:refs/lockstep/heads/*', '+refs/tags/*:refs/lockstep/tags/*']
    const fetched = await this.fetch(['--no-filter', ...wanted])
    if (!fetched.ok) return err(this.fault(fetched.error))
    if (await this.has(picked.commit)) return ok(undefined)
    // It moved between our two requests: the next look resolves it again.
    const { place } = this
    if (picked.refName)
      return err(fault('SourceUnreachable', { place, because: 'RefMoved', name: picked.label ?? '' }, true))
    return err(fault('RefNotFound', { place, because: 'NotOnAnyRef', commit: picked.commit }))
  }

  /** Entries of a commit below paths, or a path itself where it is a file; '' is everything. */
  async list(commit: string, paths: readonly string[]): Promise<Result<LsTreeEntry[], SourceFailure>> {
    const at = paths.includes('') ? [] : ['--', ...paths.map((path) => `:(literal)${path}`)]
    // A tag may name a directory, which has no history that anybody could have looked at.
    const of = `${commit}^{commit}`
    const listed = await this.git.run(this.in(['ls-tree', '-r', '-z', '--full-tree', of, ...at]), {
      offline: true,
      maxOutput: 64 * MiB,
    })
    if (!listed.ok) return err(this.fault(listed.error))
    return parseLsTree(listed.value, this.place)
  }

  /** Names of the directories at the root, for messages. */
  async directories(commit: string): Promise<string[]> {
    const listed = await this.git.run(
      this.in(['ls-tree', '-z', '-d', '--name-only', '--full-tree', commit]),
      {
        offline: true,
      },
    )
    return listed.ok ? new TextDecoder().decode(listed.value).split('\0').filter(Boolean) : []
  }

  /** Contents of a commit's files by object id: what is missing comes in one request. */
  async read(
    picked: ResolvedRef,
    ids: readonly string[],
  ): Promise<Result<Map<string, Uint8Array>, SourceFailure>> {
    const wanted = [...new Set(ids)]
    if (wanted.length === 0) return ok(new Map())
    const missing = await this.missing(wanted)
    if (!missing.ok) return missing
    if (missing.value.length > 0) {
      const fetched = await this.fetch(['--filter=blob:none', 'origin', '--stdin'], {
        stdin: `${missing.value.join('\n')}\n`,
        negotiate: false,
      })
      if (!fetched.ok)
        return isUnadvertised(fetched.error) ? this.readWhole(picked, wanted) : err(this.fault(fetched.error))
    }
    const content = await this.git.run(this.in(['cat-file', '--batch']), {
      stdin: `${wanted.join('\n')}\n`,
      maxOutput: MAX_TREE_BYTES,
      offline: true,
    })
    return content.ok ? this.contents(content.value) : err(this.fault(content.error))
  }

  /** The server gives no files by id: a repository of its own has the whole commit. */
  private async readWhole(
    picked: ResolvedRef,
    ids: readonly string[],
  ): Promise<Result<Map<string, Uint8Array>, SourceFailure>> {
    const whole = new GitMirror(this.env, this.url, `${this.dir}.whole`, this.git)
    const ready = await whole.prepare(picked.commit)
    if (!ready.ok) return ready
    const fetched = (await whole.has(picked.commit)) ? ok(undefined) : await whole.fetchByName(picked)
    return fetched.ok ? whole.read(picked, ids) : fetched
  }

  private async missing(ids: readonly string[]): Promise<Result<string[], SourceFailure>> {
    const known = await this.git.run(
      this.in(['cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objectname)']),
      { offline: true, maxOutput: 256 * MiB },
    )
    if (!known.ok) return err(this.fault(known.error))
    const have = new Set(new TextDecoder().decode(known.value).split('\n'))
    return ok(ids.filter((id) => !have.has(id)))
  }

  /** `<id> blob <size>\n<bytes>\n`, again and again. */
  private contents(bytes: Uint8Array): Result<Map<string, Uint8Array>, SourceFailure> {
    const found = new Map<string, Uint8Array>()
    const decoder = new TextDecoder()
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(10, at)
      const [id, type, size] = decoder.decode(bytes.subarray(at, end)).split(' ')
      if (end < 0 || id === undefined || type !== 'blob') return err(this.missingObject(`object ${id}`))
      const from = end + 1
      found.set(id, bytes.slice(from, from + Number(size)))
      at = from + Number(size) + 1
    }
    return ok(found)
  }

  private async has(commit: string): Promise<boolean> {
    const done = await this.git.attempt(this.in(['cat-file', '-e', `${commit}^{tree}`]), { offline: true })
    return done.ok && done.value.code === 0
  }

  /** The bare repository, made at first use. */
  private async prepare(commit: string): Promise<Result<void, SourceFailure>> {
    if ((await this.env.files.read(`${this.dir}/lockstep`)).ok) return ok(undefined)
    const format = commit.length === 64 ? ['--object-format=sha256'] : []
    const made = await this.git.run(['init', '-q', '--bare', ...format, this.dir], { offline: true })
    if (!made.ok) return err(this.fault(made.error))
    const marked = await this.env.files.writeAtomic(`${this.dir}/lockstep`, 'complete\n')
    if (marked.ok) return ok(undefined)
    const facts = { place: this.place, because: 'Error', error: marked.error.message } as const
    return err(fault('SourceUnreachable', facts, true))
  }

  private async fetch(
    what: readonly string[],
    o: { stdin?: string; negotiate?: boolean } = {},
  ): Promise<Result<Uint8Array, GitFailure>> {
    const noop = o.negotiate === false ? ['-c', 'fetch.negotiationAlgorithm=noop'] : []
    const flags = [
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--no-auto-maintenance',
    ]
    const done = await this.git.run(
      [...noop, ...this.in(['fetch', ...flags, ...what])],
      o.stdin === undefined ? {} : { stdin: o.stdin },
    )
    if (!done.ok) await this.removeRemains()
    return done
  }

  /** A command that was ended at a limit left a part of a pack behind: the next ones would fill the disk with them. */
  private async removeRemains(): Promise<void> {
    const { files } = this.env
    const packs = `${this.dir}/objects/pack`
    const found = await files.list(packs)
    if (!found.ok) return
    for (const { name } of found.value) if (name.startsWith('tmp_')) await files.remove(`${packs}/${name}`)
  }

  private in(args: readonly string[]): string[] {
    return [...this.remote, '--git-dir', this.dir, ...args]
  }

  /** Settings of the repository that need not be written into it. */
  private get remote(): string[] {
    const settings = [`url=${this.url.text}`, 'promisor=true', 'partialclonefilter=blob:none']
    return settings.flatMap((setting) => ['-c', `remote.origin.${setting}`])
  }

  /** For messages. */
  get place(): string {
    return gitPlace(this.url)
  }

  missingObject(name: string): SourceFailure {
    return fault('SourceUnreachable', { place: this.place, because: 'ObjectMissing', name }, true)
  }

  private fault(failure: GitFailure): SourceFailure {
    return gitFault(failure, this.url)
  }
}
