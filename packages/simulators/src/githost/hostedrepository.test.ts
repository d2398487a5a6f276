/** What follows on the host from what is pushed, merged and taken back there. */
import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { type HostKind, openGitHost } from './githost.ts'
import { MemoryStore } from './memorystore.ts'

const KEY = 'Lockstep-Promotion: k1'
const BODY = 'text\n<!-- lockstep-promotion: k1 -->'

async function host(provider: HostKind = 'github') {
  const env = createSimEnv('hosted')
  const double = openGitHost(env, { provider, repositories: { 'o/r': new MemoryStore() } })
  const repo = double.repository('o/r')
  const first = await repo.push('main', { a: '1\n', b: '1\n' }, 'First')
  const head = await repo.push('h', { a: '2\n' }, `Promote\n\n${KEY}`)
  const opened = await repo.open({ head: 'h', base: 'main', title: 'Promote', body: BODY })
  expect(opened).toMatchObject({ kind: 'opened', pull: { number: 1, headCommit: head } })
  const text = async (path: string, branch = 'main') => {
    const tip = (await repo.store.branches()).get(branch)!
    return new TextDecoder().decode(await repo.store.blob((await repo.store.files(tip)).get(path)!.id))
  }
  return { env, double, repo, first, head, text }
}

describe('what is done for a promotion', () => {
  it.each(['merge', 'squash', 'rebase'] as const)('counts once, by %s', async (method) => {
    const { repo, text } = await host()
    expect(await repo.merge(1, { method })).toMatchObject({ kind: 'merged' })
    expect(await text('a')).toBe('2\n')
    // A squash without a message has lost the trailer: the body tells.
    const tip = (await repo.store.commit((await repo.store.branches()).get('main')!))?.message ?? ''
    expect(tip.includes(KEY)).toBe(method === 'rebase')
    expect(repo.journal.changesOf('k1', 'main')).toMatchObject([{ by: 'api', keys: ['k1'] }])
    expect(repo.journal.keys()).toEqual(['k1'])
  })

  it('counts twice, if it is done twice', async () => {
    const { repo, first } = await host()
    await repo.merge(1, { method: 'merge' })
    await repo.forcePush('main', first)
    expect(repo.journal.changesOf('k1', 'main')).toHaveLength(1)
    await repo.push('main', { a: '2\n' }, `Again\n\n${KEY}`)
    await repo.push('h2', { a: '3\n' }, 'Other')
    await repo.open({ head: 'h2', base: 'main', title: 'Again', body: BODY })
    expect(repo.journal.changesOf('k1', 'main').map((c) => c.by)).toEqual(['api', 'person'])
    expect(repo.journal.pullsOf('k1').map((p) => [p.number, p.mergedAt !== undefined])).toEqual([
      [1, true],
      [2, false],
    ])
  })

  it('a body that is edited does not change what was opened', async () => {
    const { repo } = await host()
    await repo.edit(1, { body: 'nothing' })
    expect(repo.journal.pullsOf('k1')).toHaveLength(1)
  })
})

describe('what people do', () => {
  it('take back what was merged', async () => {
    const { repo, text } = await host()
    const merged = await repo.merge(1, { method: 'squash', by: 'person' })
    if (merged.kind !== 'merged') throw new Error(merged.kind)
    await repo.push('main', { b: '5\n' }, 'Beside')
    await repo.revert(merged.commit)
    expect([await text('a'), await text('b')]).toEqual(['1\n', '5\n'])
  })

  it('delete the branch: its pull request is closed, and opened again once it is there', async () => {
    const { repo, head } = await host()
    await repo.deleteBranch('h')
    expect(repo.pulls.get(1)).toMatchObject({ state: 'closed', headCommit: head })
    expect(await repo.reopen(1)).toBe(false)
    await repo.forcePush('h', head)
    expect(await repo.reopen(1)).toBe(true)
    expect(repo.pulls.get(1)).toMatchObject({ state: 'open' })
    expect(repo.journal.pullsOf('k1')).toMatchObject([{ number: 1 }])
    expect(repo.journal.pullsOf('k1')[0]).not.toHaveProperty('closedAt')
  })

  it.each<[HostKind, string]>([
    ['github', 'merged'],
    ['gitlab', 'merged'],
    ['gitea', 'open'],
  ])('push a head to its base: %s says %s', async (provider, state) => {
    const { repo, head } = await host(provider)
    await repo.forcePush('main', head)
    expect(repo.pulls.get(1)?.state).toBe(state)
  })

  it('protect a branch: a push is refused, a merge is not', async () => {
    const { repo } = await host()
    await repo.protect('main')
    const store = repo.store as MemoryStore
    expect(store.rejection('main')).toContain('protected branch main')
    expect(store.rejection('h')).toBeUndefined()
    expect(await repo.merge(1, { method: 'merge' })).toMatchObject({ kind: 'merged' })
  })
})

describe('how much a host answers', () => {
  it('GitHub: 80 changes a minute, 5,000 requests an hour', async () => {
    const { env, double } = await host()
    env.net.serve('http://localhost:3000', double.handle)
    const connection = env.net.connect({ url: 'http://localhost:3000/api/v3' }, 'operator')
    const pass = async (ms: number) => {
      env.clock.at(env.clock.steady() + ms, () => {})
      await env.clock.run(() => false, ms)
    }
    const comment = async () => {
      const request = {
        method: 'POST',
        path: '/repos/o/r/issues/1/comments',
        headers: {},
        body: '{"body":"x"}',
      }
      const done = await connection.request(request)
      if (!done.ok) throw new Error(done.error.detail)
      return done.value
    }
    for (let i = 0; i < 80; i++) expect((await comment()).status).toBe(201)
    expect(await comment()).toMatchObject({ status: 403, headers: { 'retry-after': '60' } })
    await pass(60_000)
    expect((await comment()).status).toBe(201)
    double.limits.close(1800)
    const refused = await comment()
    expect(refused).toMatchObject({ status: 403, headers: { 'x-ratelimit-remaining': '0' } })
    const reset = Number(refused.headers['x-ratelimit-reset']) * 1000 - env.clock.now()
    expect([reset > 1_795_000, reset <= 1_801_000]).toEqual([true, true])
    await pass(1_800_000)
    expect((await comment()).status).toBe(201)
  })

  it('GitHub: a head without an owner is no filter', async () => {
    const { env, double, repo } = await host()
    await repo.push('h2', { b: '2\n' }, 'Other')
    await repo.open({ head: 'h2', base: 'main', title: 'Other', body: '' })
    env.net.serve('http://localhost:3000', double.handle)
    const connection = env.net.connect({ url: 'http://localhost:3000/api/v3' }, 'operator')
    const found = async (head: string) => {
      const done = await connection.request({
        method: 'GET',
        path: `/repos/o/r/pulls?head=${head}`,
        headers: {},
      })
      const text = done.ok ? await done.value.text() : done
      return text.ok ? (JSON.parse(text.value) as unknown[]).length : -1
    }
    expect([await found('h'), await found('o:h'), await found('other:h')]).toEqual([2, 1, 0])
  })
})
