import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { TestGitRepository } from '../../../../../test/git/testgitrepository.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import type { GitSource } from '../../api/kinds/module/sourcespec.ts'
import { Upstreams } from './upstreams.ts'

const MODULES = 40
const POLL_MS = 200
const PATHS = Array.from({ length: MODULES }, (_, i) => `m${i}`)

/** Modules with a directory each of one repository. */
class Modules {
  /** Git commands, but for polls of the branch. */
  commands = 0
  readonly upstreams: Upstreams
  private readonly found = new Map<string, string>()
  private readonly git: Omit<GitSource, 'path'>
  private readonly env = loopbackEnv()
  private awaited: { readonly commit: string; readonly done: () => void } | undefined
  private readonly paths: readonly string[]
  private readonly commits = new Map<string, string>()

  constructor(root: string, paths: readonly string[]) {
    this.paths = paths
    this.git = { url: `file://${root}/r.git`, ref: { branch: 'main' } }
    const { processes } = this.env
    const counted: typeof processes = {
      find: (program) => processes.find(program),
      run: (program, args, ...more) => {
        if (!args.includes('ls-remote')) this.commands++
        return processes.run(program, args, ...more)
      },
    }
    const options = { cacheDir: undefined, sourceRoot: root }
    this.upstreams = new Upstreams(
      { ...this.env, processes: counted },
      () => undefined as never,
      options,
      (who) => this.reconcile(who),
    )
  }

  /** Resolves with the texts once all modules have read the commit. */
  async read(commit: string): Promise<readonly string[]> {
    await new Promise<void>((done) => {
      this.awaited = { commit, done }
      for (const path of this.paths) this.reconcile(path)
    })
    return this.paths.map((path) => this.found.get(path)!)
  }

  private reconcile(path: string): void {
    const { clock } = this.env
    const asking = { who: path, namespace: 'n', intervalMs: POLL_MS, timeoutMs: 60_000, trigger: '' }
    const git: GitSource = { ...this.git, path }
    const picked = this.upstreams.commit(git, asking)
    if (picked.againInMs !== undefined)
      clock.at(clock.steady() + picked.againInMs, () => this.reconcile(path))
    if (picked.state !== 'Known') return
    const tree = this.upstreams.tree(git, picked.value, asking)
    if (tree.state === 'Working') return
    const isKnown = tree.state === 'Known'
    const text = isKnown ? tree.value.files.map(({ bytes }) => Buffer.from(bytes).toString()).join() : ''
    this.found.set(path, isKnown ? text : (tree as { failure: { reason: string } }).failure.reason)
    this.commits.set(path, picked.value.commit)
    const { awaited } = this
    if (awaited && this.paths.every((p) => this.commits.get(p) === awaited.commit)) awaited.done()
  }
}

describe('modules of one repository', () => {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-sharedreads-'))
  const repository = new TestGitRepository(root, 'r.git')
  const commit = (text: string): string =>
    repository.commit(Object.fromEntries(PATHS.map((path) => [`${path}/a.yaml`, `${path}: ${text}`])))
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it('share the commands that read a commit', async () => {
    const first = commit('first')
    const [alone, all] = [new Modules(root, ['m0']), new Modules(root, PATHS)]
    await Promise.all([alone.read(first), all.read(first)])
    const before = [alone.commands, all.commands]
    const second = commit('second')
    await alone.read(second)
    expect(await all.read(second)).toEqual(PATHS.map((path) => `${path}: second`))
    const [one, many] = [alone.commands - before[0]!, all.commands - before[1]!]
    expect(one).toBeGreaterThan(0)
    expect(many).toBeLessThanOrEqual(one + 3)
    await Promise.all([alone.upstreams.close(), all.upstreams.close()])
  })

  it('a path that is missing fails for its module only', async () => {
    const modules = new Modules(root, ['m0', 'missing', 'm1'])
    expect(await modules.read(commit('third'))).toEqual(['m0: third', 'PathMissing', 'm1: third'])
    await modules.upstreams.close()
  })
})
