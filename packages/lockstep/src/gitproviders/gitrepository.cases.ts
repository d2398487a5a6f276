/** What a repository does for promotions, by git or in a simulation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../kube/src/object/digest.ts'
import type { TestGitHost } from '../../../simulators/src/githost/githost.ts'
import type { HostedRepository } from '../../../simulators/src/githost/hostedrepository.ts'
import type { CallOptions } from './gitprovider.ts'
import type { GitRepository, NewCommit, RepoFailure, RepoResult } from './gitrepository.ts'

export interface RepositoryStage {
  readonly double: TestGitHost
  readonly repo: HostedRepository
  /** Another one, which knows nothing yet. */
  connect(o?: { readonly token?: string; readonly repository?: string }): Promise<GitRepository>
  /** Waits for what may take virtual time. */
  run<T>(work: Promise<T>): Promise<T>
  close(): Promise<void>
}

export const TOKEN = 'hush-hush-token'
const O: CallOptions = { timeoutMs: 20_000 }
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** `names`: how a push is called in paths of requests. */
export function gitRepositoryCases(make: () => Promise<RepositoryStage>, pushPath: RegExp): void {
  let s: RepositoryStage
  let r: GitRepository
  let first = ''
  let branches = 0
  beforeAll(async () => {
    s = await make()
    first = await s.repo.push('main', { 'a.yaml': 'x: 1\n', 'b/c.yaml': 'y: 1\r\n', 'd.txt': 'no' }, 'First')
    r = await s.connect()
  })
  afterAll(() => s.close())

  const value = async <T>(work: Promise<RepoResult<T>>): Promise<T> => {
    const done = await s.run(work)
    if (!done.ok) throw new Error(JSON.stringify(done.error))
    return done.value
  }
  const failure = async (work: Promise<RepoResult<unknown>>): Promise<RepoFailure> => {
    const done = await s.run(work)
    if (done.ok) throw new Error(`it did it: ${JSON.stringify(done.value)}`)
    expect(JSON.stringify(done.error)).not.toContain(TOKEN)
    return done.error
  }
  const change = (base: string, text: string, o: Partial<NewCommit> = {}): NewCommit => ({
    base,
    files: new Map([['a.yaml', bytes(text)]]),
    message: 'Promote a\n\nLockstep-Promotion: k1',
    person: 'Lockstep <lockstep@invalid>',
    date: '2026-03-01T12:00:00Z',
    ...o,
  })
  /** A branch of its own for each case: they are beside each other in one repository. */
  const fresh = () => `lockstep/a/b/${++branches}-k1`
  const made = async (text: string, base = first) => (await value(r.commit(change(base, text), O))).commit
  const tip = async (branch: string) => (await s.repo.store.branches()).get(branch)

  describe('reading', () => {
    it('branches by name and by prefix', async () => {
      const [one, two] = [`${fresh()}x`, `${fresh()}y`]
      await s.repo.push(one, {}, 'x')
      await s.repo.push(two, {}, 'y')
      await s.repo.push('x/main', {}, 'not main')
      const found = await value(r.branches(['main', 'gone', 'lockstep/a/b/'], O))
      expect(found.get('main')).toBe(first)
      expect(found.get(one)).toBe(await tip(one))
      expect([...found.keys()].sort()).toEqual(['main', one, two].sort())
    })

    it('files that are wanted, byte for byte', async () => {
      const files = await value(r.files(first, (path) => path.endsWith('.yaml'), O))
      expect(files.map((f) => [f.path, f.kind, f.size, new TextDecoder().decode(f.bytes)])).toEqual([
        ['a.yaml', 'file', 5, 'x: 1\n'],
        ['b/c.yaml', 'file', 6, 'y: 1\r\n'],
      ])
      expect(await value(r.files(first, () => false, O))).toEqual([])
    })

    it('what is too large only by its size', async () => {
      const large = await s.repo.push(fresh(), { 'large.yaml': new Uint8Array(5 * 1024 * 1024 + 1) }, 'Large')
      const [file] = await value(r.files(large, (path) => path === 'large.yaml', O))
      expect([file?.path, file?.kind, file?.size]).toEqual(['large.yaml', 'file', 5 * 1024 * 1024 + 1])
      expect(file?.bytes === undefined).toBe(true)
    })

    it('history, newest first, to where it is known', async () => {
      const branch = fresh()
      const two = await s.repo.push(branch, { 'a.yaml': 'x: 2\n' }, 'Two\n\nLockstep-Promotion: k1')
      const three = await s.repo.push(branch, { 'a.yaml': 'x: 3\n' }, 'Three')
      const found = await value(r.history(three, first, 10, O))
      expect(found.map((c) => [c.id, c.parents])).toEqual([
        [three, [two]],
        [two, [first]],
      ])
      expect(found[1]).toMatchObject({
        message: 'Two\n\nLockstep-Promotion: k1\n',
        tree: (await s.repo.store.commit(two))?.tree,
        author: expect.stringMatching(/^A Person <.*>$/),
      })
      expect((await value(r.history(three, undefined, 2, O))).map((c) => c.id)).toEqual([three, two])
      expect((await value(r.history(three, three, 10, O))).map((c) => c.id)).toEqual([])
      // What leads to the other is nothing that the other lacks, however little is asked for.
      expect(await value(r.history(first, three, 1, O))).toEqual([])
      expect((await value(r.history(three, first, 1, O))).map((c) => c.id)).toEqual([three])
      const all = (await value(r.history(three, undefined, 10, O))).map((c) => c.id)
      expect(all).toEqual([three, two, first])
      // A base that was pushed away by force, and that nobody keeps.
      expect((await value(r.history(three, '1'.repeat(40), 10, O))).map((c) => c.id)).toEqual(all)
    })

    it('several at once', async () => {
      const other = await s.connect()
      const asked = Array.from({ length: 4 }, async (_, i) => {
        const [files, commits] = [
          other.files(first, (p) => p === 'a.yaml', O),
          other.history(first, undefined, 1, O),
        ]
        const commit = await other.commit(change(first, `x: ${i}\n`), O)
        return [(await files).ok, (await commits).ok, commit.ok]
      })
      expect(new Set((await s.run(Promise.all(asked))).flat())).toEqual(new Set([true]))
    })

    it('not what is not there', async () => {
      expect(await failure(r.files('1'.repeat(40), () => true, O))).toMatchObject({
        kind: 'NotFound',
        wrote: 'no',
      })
      expect(await failure(r.history('1'.repeat(40), undefined, 5, O))).toMatchObject({ kind: 'NotFound' })
    })
  })

  describe('a commit', () => {
    it('is the same for the same, whoever makes it', async () => {
      const one = await value(r.commit(change(first, 'x: 2\n'), O))
      const other = await s.connect()
      expect(await value(other.commit(change(first, 'x: 2\n'), O))).toEqual(one)
      expect((await value(r.commit(change(first, 'x: 3\n'), O))).commit).not.toBe(one.commit)
      const later = await value(r.commit(change(first, 'x: 2\n', { date: '2026-03-01T12:00:01Z' }), O))
      expect(later.tree).toBe(one.tree)
      expect(later.commit).not.toBe(one.commit)
      // As git itself has it.
      const root = await s.repo.store.commit(first)
      expect(root?.tree).toBe('d4155820c0b3d342e7f8232ca8d3d5e9dbc03635')
    })

    it('changes what it names, and nothing else', async () => {
      const branch = fresh()
      const commit = await made('x: "2"\n')
      await value(r.push(branch, commit, 'absent', O))
      const files = await s.repo.store.files(commit)
      expect([...files.keys()].sort()).toEqual(['a.yaml', 'b/c.yaml', 'd.txt'])
      expect(new TextDecoder().decode(await s.repo.store.blob(files.get('a.yaml')!.id))).toBe('x: "2"\n')
      expect(files.get('b/c.yaml')).toEqual((await s.repo.store.files(first)).get('b/c.yaml'))
      const when = 'Lockstep <lockstep@invalid> 1772366400 +0000'
      expect(await s.repo.store.commit(commit)).toMatchObject({
        parents: [first],
        author: when,
        committer: when,
        message: 'Promote a\n\nLockstep-Promotion: k1\n',
      })
    })

    it.each([
      [{ person: 'nobody' }, 'is not a person; write Name <address>'],
      [{ person: 'a <b>\nparent x' }, 'is not a person'],
      [{ date: 'today' }, 'is not a date'],
    ])('%o is refused', async (o, message) => {
      expect(await failure(r.commit(change(first, 'x: 2\n', o), O))).toMatchObject({
        kind: 'Unexpected',
        message: expect.stringContaining(message),
      })
    })
  })

  describe('a push', () => {
    it('makes a branch, once', async () => {
      const [branch, commit] = [fresh(), await made('x: 2\n')]
      expect(await value(r.push(branch, commit, 'absent', O))).toBe('pushed')
      expect(await value(r.push(branch, commit, 'absent', O))).toBe('same')
      const other = await s.connect()
      const again = await value(other.commit(change(first, 'x: 2\n'), O))
      expect(await value(other.push(branch, again.commit, 'absent', O))).toBe('same')
      expect(await tip(branch)).toBe(commit)
      expect(s.repo.journal.changes.filter((c) => c.branch === branch)).toMatchObject([
        { by: 'git', keys: ['k1'] },
      ])
    })

    it('of more than git sends at once', async () => {
      // Two MiB that cannot be compressed.
      const large = Uint8Array.from(
        { length: 2 * 1024 * 1024 },
        (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 24) ^ (i >> 7),
      )
      const commit = await value(r.commit(change(first, '', { files: new Map([['a.yaml', large]]) }), O))
      expect(await value(r.push(fresh(), commit.commit, 'absent', O))).toBe('pushed')
    })

    it('moves a branch only from where it is expected', async () => {
      const [branch, one, two] = [fresh(), await made('x: 2\n'), await made('x: 3\n')]
      await value(r.push(branch, one, 'absent', O))
      expect(await failure(r.push(branch, two, 'absent', O))).toMatchObject({ kind: 'Stale', wrote: 'no' })
      expect(await failure(r.push(branch, two, first, O))).toMatchObject({ kind: 'Stale', wrote: 'no' })
      expect(await value(r.push(branch, two, one, O))).toBe('pushed')
      expect(await tip(branch)).toBe(two)
      const gone = fresh()
      expect(await failure(r.push(gone, two, one, O))).toMatchObject({ kind: 'Stale', wrote: 'no' })
      expect(await tip(gone)).toBeUndefined()
    })

    it('a person was faster, between the look and the push', async () => {
      const [branch, one, two] = [fresh(), await made('x: 2\n'), await made('x: 3\n')]
      await value(r.push(branch, one, 'absent', O))
      let theirs = ''
      s.double.faults.add(
        { path: pushPath, nth: 1 },
        {
          kind: 'before',
          act: async () => {
            theirs = await s.repo.push(branch, { 'a.yaml': 'x: 9\n' }, 'By hand')
          },
        },
      )
      const done = await failure(r.push(branch, two, one, O))
      s.double.faults.clear()
      expect(done).toMatchObject({ kind: 'Stale', wrote: 'no' })
      expect(await tip(branch)).toBe(theirs)
    })

    it('removes a branch only as it is expected; what is gone is gone', async () => {
      const [branch, one] = [fresh(), await made('x: 2\n')]
      await value(r.push(branch, one, 'absent', O))
      expect(await failure(r.remove(branch, first, O))).toMatchObject({ kind: 'Stale' })
      expect(await value(r.remove(branch, one, O))).toBe('removed')
      expect(await tip(branch)).toBeUndefined()
      expect(await value(r.remove(branch, one, O))).toBe('gone')
    })

    it('is kept out by a rule of the host, in its words', async () => {
      const commit = await made('x: 2\n')
      await s.repo.store.reject({
        branches: ['main', 'release/*'],
        message: 'GH006: Protected branch update failed',
      })
      for (const [branch, expected] of [
        ['main', first],
        ['release/1', 'absent'],
      ] as const)
        expect(await failure(r.push(branch, commit, expected, O))).toMatchObject({
          kind: 'Refused',
          wrote: 'no',
          message: expect.stringContaining('GH006: Protected branch update failed'),
        })
      await s.repo.store.reject(undefined)
      expect(await tip('main')).toBe(first)
    })
  })

  describe('what goes wrong on the way', () => {
    it.each([
      ['drop', undefined],
      ['lose', 'done'],
      ['half', 'done'],
    ] as const)('%s: a push may have been done', async (kind, done) => {
      const [branch, commit] = [fresh(), await made('x: 2\n')]
      s.double.faults.add({ path: pushPath }, { kind })
      const failed = await failure(r.push(branch, commit, 'absent', O))
      s.double.faults.clear()
      expect(failed).toMatchObject({ kind: 'Unreachable', wrote: 'maybe' })
      expect(await tip(branch)).toBe(done && commit)
      expect(await value(r.push(branch, commit, 'absent', O))).toBe(done ? 'same' : 'pushed')
    })

    it.each([502, 504])('%i: a push may have been done', async (status) => {
      const [branch, commit] = [fresh(), await made('x: 2\n')]
      s.double.faults.add({ path: pushPath }, { kind: 'status', status, isDone: status === 504 })
      const failed = await failure(r.push(branch, commit, 'absent', O))
      s.double.faults.clear()
      expect(failed).toMatchObject({ kind: 'Server', wrote: 'maybe' })
      expect(await tip(branch)).toBe(status === 504 ? commit : undefined)
    })

    it('reset in the middle of what is sent: nothing was done', async () => {
      const [branch, half] = [fresh(), 4 * 1024 * 1024]
      // What does not pack, so that it is still under way when the other side goes.
      const noise = Array.from({ length: half / 32 }, (_, i) => sha256Hex(`${i}`).slice(0, 63)).join('\n')
      const { commit } = await value(r.commit({ ...change(first, noise) }, O))
      s.double.faults.add({ path: pushPath }, { kind: 'cut-upload', bytes: 64 * 1024 })
      const failed = await failure(r.push(branch, commit, 'absent', O))
      s.double.faults.clear()
      expect(failed).toMatchObject({ kind: 'Unreachable', wrote: 'maybe' })
      expect(await tip(branch)).toBeUndefined()
      expect(await value(r.push(branch, commit, 'absent', O))).toBe('pushed')
    })

    it('no answer in time', async () => {
      const [branch, commit] = [fresh(), await made('x: 2\n')]
      s.double.faults.add({ path: pushPath }, { kind: 'delay', ms: 60_000 })
      const failed = await failure(r.push(branch, commit, 'absent', { timeoutMs: 700 }))
      s.double.faults.clear()
      expect(failed).toMatchObject({
        kind: 'Unreachable',
        wrote: 'maybe',
        message: expect.stringMatching(/^no (?:complete )?answer within 0\.7 ?s$/),
      })
      expect(await tip(branch)).toBeUndefined()
    })

    it('credentials that are not taken; a repository that is not there', async () => {
      const [wrong, gone] = [await s.connect({ token: 'wrong' }), await s.connect({ repository: 'o/gone' })]
      expect(await failure(wrong.branches(['main'], O))).toMatchObject({
        kind: 'CredentialsRejected',
        wrote: 'no',
      })
      expect(await failure(wrong.push('b', first, 'absent', O))).toMatchObject({
        kind: 'CredentialsRejected',
        wrote: 'no',
      })
      // Not a commit that is missing: nothing of it can be looked for any more.
      for (const asked of [
        gone.branches(['main'], O),
        gone.files(first, () => true, O),
        gone.history(first, undefined, 1, O),
        gone.history(first, '1'.repeat(40), 1, O),
        gone.commit(change(first, 'x: 2\n'), O),
        gone.push('b', first, 'absent', O),
      ])
        expect(await failure(asked)).toMatchObject({ kind: 'RepositoryNotFound', wrote: 'no' })
    })

    it('reading fails without having done anything', async () => {
      s.double.faults.add({}, { kind: 'drop' })
      const failed = await failure(r.branches(['main'], O))
      s.double.faults.clear()
      expect(failed).toMatchObject({ kind: 'Unreachable', wrote: 'no' })
    })
  })
}
