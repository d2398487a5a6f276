/** What every Git host does for promotions, and what it says when it does not. Hosts of other kinds differ only in skips. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostKind, TestGitHost } from '../../../simulators/src/githost/githost.ts'
import type { HostedRepository } from '../../../simulators/src/githost/hostedrepository.ts'
import type { CallOptions, GitProvider, GitProviderFailure, GitProviderResult, Pull } from './gitprovider.ts'

export interface GitProviderStage {
  readonly host: GitProvider
  readonly double: TestGitHost
  readonly repo: HostedRepository
  /** Another one: with these credentials, of this repository, onto this base. */
  connect(o: { readonly token?: string; readonly repository?: string; readonly base?: string }): GitProvider
  /** Waits for what may take virtual time. */
  run<T>(work: Promise<T>): Promise<T>
  elapsed(ms: number): Promise<void>
  close(): Promise<void>
}

export const TOKEN = 'hush-hush-token'
const O: CallOptions = { timeoutMs: 5000 }
const BODY = 'What changes.\n\n<!-- lockstep-promotion: k1 -->'

export function gitProviderCases(kind: HostKind, make: () => Promise<GitProviderStage>): void {
  let s: GitProviderStage
  beforeEach(async () => {
    s = await make()
    await s.repo.push('main', { 'a.yaml': 'x: 1\ny: 1\nz: 1\n' }, 'First')
  })
  afterEach(() => s.close())

  const value = async <T>(work: Promise<GitProviderResult<T>>): Promise<T> => {
    const done = await s.run(work)
    if (!done.ok) throw new Error(JSON.stringify(done.error))
    return done.value
  }
  const failure = async (work: Promise<GitProviderResult<unknown>>): Promise<GitProviderFailure> => {
    const done = await s.run(work)
    if (done.ok) throw new Error(`it did it: ${JSON.stringify(done.value)}`)
    expect(JSON.stringify(done.error)).not.toContain(TOKEN)
    expect(done.error.request).toMatch(/^(GET|POST|PUT|PATCH) \/[^?]*$/)
    return done.error
  }
  const branch = (name: string, content = 'x: 1\ny: 1\nz: 2\n') =>
    s.repo.push(name, { 'a.yaml': content }, 'Promote a\n\nLockstep-Promotion: k1')
  const open = (head = 'lockstep/a/b/1-k1') => value(s.host.open({ head, title: 'Promote a', body: BODY }, O))
  /** A pull request whose branch is there. */
  const opened = async (head = 'lockstep/a/b/1-k1'): Promise<Pull> => {
    await branch(head)
    return open(head)
  }
  const tip = async (name = 'main') => (await s.repo.store.branches()).get(name)

  describe('pull requests', () => {
    it('are opened, and found by their head in any state', async () => {
      const headCommit = await branch('lockstep/a/b/1-k1')
      const pull = await open()
      expect(pull).toMatchObject({
        number: 1,
        state: 'open',
        head: 'lockstep/a/b/1-k1',
        headCommit,
        base: 'main',
        title: 'Promote a',
        body: BODY,
        mergeCommit: undefined,
        mergeable: 'Yes',
      })
      expect(pull.url).toMatch(/^http:\/\/.*\/1$/)
      expect(await value(s.host.pull(1, O))).toEqual(pull)
      await opened('lockstep/a/b/2-k2')
      await s.repo.close(1)
      expect((await value(s.host.openPulls(O))).map((p) => p.number)).toEqual([2])
      expect((await value(s.host.pullsOf('lockstep/a/b/1-k1', O))).map((p) => p.state)).toEqual(['closed'])
      expect(await value(s.host.pullsOf('lockstep/a/b/3-k3', O))).toEqual([])
    })

    it('one open for a head and a base; a second once it is closed', async () => {
      const { head } = await opened()
      expect(await failure(s.host.open({ head, title: 't', body: 'b' }, O))).toMatchObject({
        kind: 'Exists',
        wrote: 'no',
      })
      await s.repo.close(1)
      expect((await open()).number).toBe(2)
      expect((await value(s.host.pullsOf(head, O))).map((p) => [p.number, p.state])).toEqual([
        [1, 'closed'],
        [2, 'open'],
      ])
    })

    it('need a branch, a base, a repository, and something to merge', async () => {
      const at = (o: { repository?: string; base?: string }, head: string) =>
        failure(s.connect(o).open({ head, title: 't', body: 'b' }, O))
      expect(await at({}, 'nowhere')).toMatchObject({ kind: 'NotFound' })
      await branch('b')
      expect(await at({ base: 'gone' }, 'b')).toMatchObject({ kind: 'RepositoryNotFound' })
      expect(await at({ repository: 'o/gone' }, 'b')).toMatchObject({ kind: 'RepositoryNotFound' })
      expect(await failure(s.connect({ repository: 'o/gone' }).openPulls(O))).toMatchObject({
        kind: 'RepositoryNotFound',
      })
      expect(await at({}, 'main')).toMatchObject({ kind: 'NothingToMerge' })
      expect(await failure(s.host.pull(7, O))).toMatchObject({ kind: 'NotFound', wrote: 'no' })
      expect(s.repo.pulls.list()).toEqual([])
    })

    it.skipIf(kind !== 'github')('without commits of its own is refused (others open it)', async () => {
      await s.repo.push('other', {}, 'later')
      await s.repo.forcePush('main', (await tip('other'))!)
      const same = s.host.open({ head: 'other', title: 't', body: 'b' }, O)
      expect(await failure(same)).toMatchObject({ kind: 'NothingToMerge' })
    })

    it('get other words; are closed with a comment', async () => {
      await opened()
      expect(await value(s.host.edit(1, { title: 'Promote c', body: 'new' }, O))).toMatchObject({
        title: 'Promote c',
        body: 'new',
        state: 'open',
      })
      expect(await value(s.host.edit(1, { state: 'closed', comment: 'Superseded by 2' }, O))).toMatchObject({
        state: 'closed',
        title: 'Promote c',
      })
      expect(await value(s.host.edit(1, { comment: 'Still so' }, O))).toMatchObject({ state: 'closed' })
      expect(s.repo.pulls.get(1)?.comments).toEqual(['Superseded by 2', 'Still so'])
    })

    it('that are merged stay so', async () => {
      await opened()
      await s.repo.merge(1, { method: 'merge', by: 'person' })
      expect(await value(s.host.edit(1, { state: 'closed' }, O))).toMatchObject({ state: 'merged' })
    })

    it('keep the name of a branch that is gone', async () => {
      const { head, headCommit } = await opened()
      await s.repo.deleteBranch(head)
      expect(await value(s.host.pullsOf(head, O))).toMatchObject([{ state: 'closed', head, headCommit }])
    })

    it('come from all pages, oldest first', async () => {
      for (let i = 1; i <= 130; i++)
        s.repo.pulls.add({ ...(await bare(i)), state: i % 2 ? 'open' : 'closed' })
      const all = await value(s.host.pullsOf('h', O))
      expect(all.map((p) => p.number)).toEqual(Array.from({ length: 130 }, (_, i) => i + 1))
      expect(await value(s.host.openPulls(O))).toHaveLength(65)
      expect((await value(s.host.lastPulls(O))).map((p) => p.number)).toEqual(all.map((p) => p.number))
      expect(s.double.requests.filter((r) => /page=2/.test(r.path)).length).toBeGreaterThan(0)
    })
    it('the last of very many, and no more pages than that takes', async () => {
      for (let i = 1; i <= 1120; i++) s.repo.pulls.add({ ...(await bare(i)), state: 'closed' })
      s.repo.pulls.add({ ...(await bare(0)), state: 'open', base: 'other' })
      const last = (await value(s.host.lastPulls(O))).map((p) => p.number)
      expect([last.length >= 1000, last.length < 1120, last[0]! > 1, last.at(-1)]).toEqual([
        ...[true, true, true, 1120],
      ])
    })
    const bare = async (i: number) => {
      const id = (await tip())!
      return { title: `t${i}`, body: '', head: 'h', base: 'main', headCommit: id, mergeBase: id } as const
    }
  })

  describe('merging', () => {
    const merge = (method: 'merge' | 'squash' | 'rebase', expectHead: string, message?: string) =>
      s.host.merge(1, { method, expectHead, ...(message === undefined ? {} : { message }) }, O)

    it.each(['merge', 'squash', 'rebase'] as const)('%s', async (method) => {
      const { headCommit } = await opened()
      await s.repo.push('main', { b: 'beside\n' }, 'Beside')
      if (kind === 'gitlab' && method === 'rebase') s.repo.methods = ['rebase', 'squash']
      await value(merge(method, headCommit!, 'Promote a\n\nLockstep-Promotion: k1'))
      const pull = await value(s.host.pull(1, O))
      expect(pull).toMatchObject({ state: 'merged', mergeCommit: await tip() })
      const commit = await s.repo.store.commit((await tip())!)
      expect(commit?.parents).toHaveLength(method === 'merge' ? 2 : 1)
      if (method !== 'merge') expect(commit?.message).toBe('Promote a\n\nLockstep-Promotion: k1\n')
      expect(s.repo.journal.changesOf('k1', 'main')).toHaveLength(1)
      expect(s.repo.journal.pullsOf('k1')).toMatchObject([{ number: 1, mergedAt: expect.any(Number) }])
    })

    it('only the head that was looked at', async () => {
      const { headCommit } = await opened()
      await branch('lockstep/a/b/1-k1', 'x: 1\ny: 1\nz: 3\n')
      expect(await failure(merge('merge', headCommit!))).toMatchObject({ kind: 'HeadMoved', wrote: 'no' })
      expect((await value(s.host.pull(1, O))).state).toBe('open')
    })

    it('not yet: a check is missing', async () => {
      const { headCommit } = await opened()
      s.repo.block(1, true)
      expect(await failure(merge('merge', headCommit!))).toMatchObject({ kind: 'NotYet', wrote: 'no' })
      // Gitea says of checks only when it is asked to merge.
      if (kind !== 'gitea') expect((await value(s.host.pull(1, O))).mergeable).toBe('Unknown')
      s.repo.block(1, false)
      await value(merge('merge', headCommit!))
    })

    it('not as it is: a conflict', async () => {
      const { headCommit } = await opened()
      await s.repo.push('main', { 'a.yaml': 'x: 1\ny: 1\nz: 9\n' }, 'Beside')
      expect((await value(s.host.pull(1, O))).mergeable).toBe('Conflict')
      expect(await failure(merge('merge', headCommit!))).toMatchObject({ kind: 'MergeConflict', wrote: 'no' })
    })

    it('not yet: somebody pushed to the base meanwhile', async () => {
      const { headCommit } = await opened()
      s.repo.overtakesMerges = 1
      expect(await failure(merge('merge', headCommit!))).toMatchObject({ kind: 'NotYet', wrote: 'no' })
      await value(merge('merge', headCommit!))
      expect(s.repo.journal.changesOf('k1', 'main')).toHaveLength(1)
    })

    it('not what a hook of the repository declines; Gitea alone says so in a way that tells it from "not yet"', async () => {
      const { headCommit } = await opened()
      s.repo.declinesMerges = 'ticket missing'
      const refused = await failure(merge('merge', headCommit!))
      expect(refused).toMatchObject({ kind: kind === 'gitea' ? 'Refused' : 'NotYet', wrote: 'no' })
      if (kind !== 'gitlab') expect(refused.message).toContain('ticket missing')
      expect(s.repo.journal.changesOf('k1', 'main')).toHaveLength(0)
    })

    it('not what is merged or closed', async () => {
      const { headCommit } = await opened()
      await s.repo.close(1)
      expect(await failure(merge('merge', headCommit!))).toMatchObject({ kind: 'NotOpen' })
      await s.repo.reopen(1)
      await s.repo.merge(1, { method: 'squash', by: 'person' })
      expect(await failure(merge('merge', headCommit!))).toMatchObject({ kind: 'NotOpen' })
      expect(s.repo.journal.changesOf('k1', 'main')).toHaveLength(1)
      expect(await failure(s.host.merge(9, { method: 'merge', expectHead: headCommit! }, O))).toMatchObject({
        kind: 'NotFound',
      })
    })

    it.skipIf(kind === 'gitlab')('not in a way that is off (GitLab says 405 of that, too)', async () => {
      const { headCommit } = await opened()
      s.repo.methods = ['squash']
      expect(await failure(merge('rebase', headCommit!))).toMatchObject({ kind: 'Refused' })
    })

    it('nothing in what is archived', async () => {
      const { headCommit, head } = await opened()
      s.repo.isArchived = true
      // GitLab says 401 of a merge there, and 403 of the rest.
      const refused = await failure(merge('merge', headCommit!))
      expect(refused).toMatchObject({ kind: 'Refused', wrote: 'no' })
      expect(refused.message).toContain('archived')
      expect(await failure(s.host.edit(1, { title: 't' }, O))).toMatchObject({ kind: 'Refused' })
      expect(await failure(s.host.open({ head, title: 't', body: '' }, O))).toMatchObject({ kind: 'Refused' })
    })
  })

  it('that a merge is not for these credentials is not said of the repository', async () => {
    const { headCommit } = await opened()
    const merge = () => s.host.merge(1, { method: 'merge', expectHead: headCommit! }, O)
    // The token is taken, and may not merge.
    s.double.faults.add({ path: /merge$/ }, { kind: 'status', status: 401 })
    expect(await failure(merge())).toMatchObject({ kind: 'CredentialsRejected', wrote: 'no', status: 401 })
    s.double.faults.clear()
    s.double.rotate('another')
    expect(await failure(merge())).toMatchObject({ kind: 'CredentialsRejected', wrote: 'no', status: 401 })
  })

  describe('what goes wrong on the way', () => {
    const ask = () => s.host.open({ head: 'b', title: 't', body: BODY }, O)

    it.each([
      ['drop', 0],
      ['lose', 1],
      ['half', 1],
      ['cut-json', 1],
    ] as const)('%s: it may have been done', async (fault, done) => {
      await branch('b')
      s.double.faults.add({ method: 'POST' }, { kind: fault })
      expect(await failure(ask())).toMatchObject({ kind: 'Unreachable', wrote: 'maybe' })
      expect(s.repo.pulls.list()).toHaveLength(done)
      s.double.faults.clear()
      s.double.faults.add({ method: 'GET' }, { kind: fault })
      expect(await failure(s.host.pullsOf('b', O))).toMatchObject({ kind: 'Unreachable', wrote: 'no' })
    })

    it.each([
      [502, false],
      [504, true],
      [408, false],
    ])('%i', async (status, isDone) => {
      await branch('b')
      s.double.faults.add({ method: 'POST', nth: 1 }, { kind: 'status', status, isDone })
      expect(await failure(ask())).toMatchObject({ kind: 'Server', wrote: 'maybe', status })
      expect(s.repo.pulls.list()).toHaveLength(isDone ? 1 : 0)
    })

    it('no answer in time: nothing more of it is sent', async () => {
      await branch('b')
      s.double.faults.add({ method: 'POST' }, { kind: 'delay', ms: 60_000 })
      const late = s.host.open({ head: 'b', title: 't', body: '' }, { timeoutMs: 200 })
      expect(await failure(late)).toMatchObject({
        kind: 'Unreachable',
        wrote: 'maybe',
        message: 'no answer within 0.2 s',
      })
      expect(s.repo.pulls.list()).toEqual([])
    })

    it('kept on the way: it is done after nobody waits any more', async () => {
      await branch('b')
      s.double.faults.add({ method: 'POST', nth: 1 }, { kind: 'late', ms: 300 })
      const late = s.host.open({ head: 'b', title: 't', body: BODY }, { timeoutMs: 100 })
      expect(await failure(late)).toMatchObject({ kind: 'Unreachable', wrote: 'maybe' })
      expect(await value(s.host.pullsOf('b', O))).toEqual([])
      const again = s.host.open({ head: 'b', title: 't', body: BODY }, O)
      expect(await value(again)).toMatchObject({ number: 1 })
      await s.run(s.elapsed(400))
      // The other one came, and found this one.
      const statuses = s.double.requests.filter((r) => r.method === 'POST').map((r) => r.status)
      expect(statuses).toEqual([kind === 'github' ? 422 : 409, 201])
      expect(s.repo.journal.pullsOf('k1')).toHaveLength(1)
    })

    it('given up before it was sent', async () => {
      const gone = new AbortController()
      gone.abort()
      const asked = s.host.open({ head: 'b', title: 't', body: '' }, { timeoutMs: 200, signal: gone.signal })
      expect(await failure(asked)).toMatchObject({ kind: 'Unreachable', wrote: 'no' })
      expect(s.double.requests).toEqual([])
    })

    it('given up while it is under way', async () => {
      await branch('b')
      const gone = new AbortController()
      s.double.faults.add({ method: 'POST' }, { kind: 'before', act: async () => gone.abort() })
      const asked = s.host.open({ head: 'b', title: 't', body: '' }, { ...O, signal: gone.signal })
      expect(await failure(asked)).toMatchObject({
        kind: 'Unreachable',
        wrote: 'maybe',
        message: 'canceled before an answer',
      })
    })

    it('credentials that are not taken, until they are others', async () => {
      await branch('b')
      s.double.rotate('another')
      expect(await failure(ask())).toMatchObject({ kind: 'CredentialsRejected', wrote: 'no', status: 401 })
      expect((await value(s.connect({ token: 'another' }).openPulls(O))).length).toBe(0)
    })

    it('a limit says how long to wait', async () => {
      s.double.faults.add({ nth: 1 }, { kind: 'limit', which: 'secondary', seconds: 90 })
      expect(await failure(s.host.openPulls(O))).toMatchObject({
        kind: 'RateLimited',
        wrote: 'no',
        retryAfterMs: 90_000,
      })
      s.double.faults.add({ nth: 1 }, { kind: 'limit', which: 'primary', seconds: 1800 })
      const { retryAfterMs, kind: what } = await failure(s.host.openPulls(O))
      expect(what).toBe('RateLimited')
      expect(retryAfterMs).toBeGreaterThan(1_790_000)
      expect(retryAfterMs).toBeLessThanOrEqual(1_801_000)
    })

    it.skipIf(kind !== 'github')('a limit may be 403 or 429', async () => {
      for (const which of ['secondary', 'primary'] as const)
        for (const status of [403, 429] as const) {
          s.double.faults.add({ nth: 1 }, { kind: 'limit', which, seconds: 90, status })
          const limited = await failure(s.host.openPulls(O))
          expect(limited).toMatchObject({ kind: 'RateLimited', wrote: 'no', status })
          expect(Math.round(limited.retryAfterMs! / 10_000)).toBe(9)
          s.double.faults.clear()
        }
    })

    it('a list that is behind: it exists, and is not listed', async () => {
      const { head } = await opened('b')
      s.repo.listsBehindMs = 3_600_000
      expect(await value(s.host.pullsOf(head, O))).toEqual([])
      expect(await failure(ask())).toMatchObject({ kind: 'Exists' })
      s.repo.listsBehindMs = 0
      expect(await value(s.host.pullsOf(head, O))).toHaveLength(1)
    })

    it('what somebody does at a chosen moment', async () => {
      const { headCommit } = await opened('b')
      s.double.faults.add(
        { path: /merge$/ },
        { kind: 'before', act: () => branch('b', 'x: 5\ny: 1\nz: 2\n') },
      )
      const merge = s.host.merge(1, { method: 'merge', expectHead: headCommit! }, O)
      expect(await failure(merge)).toMatchObject({ kind: 'HeadMoved' })
    })
  })

  it.skipIf(kind !== 'github')(
    'what is left of the limit is known (of the others only where they have one)',
    async () => {
      expect(s.host.budget()).toBeUndefined()
      await value(s.host.openPulls(O))
      expect(s.host.budget()).toMatchObject({ limit: 5000, remaining: 4999 })
    },
  )
}
