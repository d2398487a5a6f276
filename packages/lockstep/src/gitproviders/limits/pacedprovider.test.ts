import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import type { GitProvider, GitProviderFailure, Pull, PullEdit } from '../gitprovider.ts'
import type { GitRepository } from '../gitrepository.ts'
import { pacedProvider, pacedRepository } from './pacedprovider.ts'
import { CredentialTraffics } from './requestpace.ts'

const O = { timeoutMs: 10_000 }
const LIMITED: GitProviderFailure = { kind: 'RateLimited', wrote: 'no', request: 'POST', message: 'wait' }

function paced() {
  const { clock } = createSimEnv('paced')
  const asked: string[] = []
  let failure: GitProviderFailure | undefined
  /** Writes under way at once, at most. */
  const under = { way: 0, most: 0 }
  const writing = async <T>(value: T) => {
    under.most = Math.max(under.most, ++under.way)
    for (let i = 0; i < 5; i++) await Promise.resolve()
    under.way--
    return ok(value)
  }
  const answer = <T>(what: string, value: T) => {
    asked.push(what)
    return Promise.resolve(failure ? err(failure) : ok(value))
  }
  const host = {
    name: 'github',
    edit: () => answer('edit', {} as Pull),
    open: () => writing({}),
    merge: () => writing(undefined),
    openPulls: () => answer('list', []),
    budget: () => undefined,
  } as unknown as GitProvider
  const repository = {
    branches: () => answer('refs', new Map()),
    push: () => writing('pushed'),
  } as unknown as GitRepository
  const traffic = new CredentialTraffics(clock).of('https://github.com', 'digest')
  const p = { clock, traffic, namespace: 'ns', credential: 'Secret ns/git, key token', used: () => {} }
  const fails = (f: GitProviderFailure | undefined) => {
    failure = f
  }
  return { host: pacedProvider(host, p), repository: pacedRepository(repository, p), asked, fails, under }
}

describe('what keeps a pace', () => {
  it.each<[string, PullEdit, number]>([
    ['a comment and a change are two requests', { state: 'closed', comment: 'Superseded' }, 30],
    ['a comment is one', { comment: 'it has ended' }, 60],
    ['a change is one', { title: 'a', body: 'b' }, 60],
  ])('%s', async (_, edit, many) => {
    const { host, asked } = paced()
    for (let i = 0; i < many; i++) expect((await host.edit(1, edit, O)).ok).toBe(true)
    expect(await host.edit(1, edit, O)).toMatchObject({ error: { kind: 'RateLimited' } })
    expect(asked.length).toBe(many)
  })

  it('writes one thing after another, whatever it is', async () => {
    const { host, repository, under } = paced()
    const pull = { title: 't', head: 'h', body: 'b' }
    const done = await Promise.all([
      host.open(pull, O),
      repository.push('a', 'c', 'absent', O),
      host.merge(1, { expectHead: 'h', method: 'merge' }, O),
      repository.push('b', 'c', 'absent', O),
    ])
    expect(done.map((d) => d.ok)).toEqual([true, true, true, true])
    expect(under.most).toBe(1)
  })

  it('says of credentials that are not taken which they are', async () => {
    const { host, repository, fails } = paced()
    fails({ ...LIMITED, kind: 'CredentialsRejected' })
    for (const answer of [host.openPulls(O), host.edit(1, { title: 'a' }, O), repository.branches([], O)])
      expect(await answer).toMatchObject({ error: { credential: 'Secret ns/git, key token' } })
  })

  it('asks nothing more once one of its requests was told to wait', async () => {
    const { host, repository, asked, fails } = paced()
    fails(LIMITED)
    expect(await host.openPulls(O)).toMatchObject({ error: { message: 'wait', retryAfterMs: 60_000 } })
    fails(undefined)
    for (const again of [host.openPulls(O), host.edit(1, { title: 'a' }, O), repository.branches([], O)])
      expect(await again).toMatchObject({ error: { kind: 'RateLimited', retryAfterMs: 60_000 } })
    expect(asked).toEqual(['list'])
  })
})
