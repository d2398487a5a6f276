/** A promotion step by step, with git and over HTTP: a real repository, and each of the three APIs beside it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Result } from '../../packages/kube/src/env/result.ts'
import { parseRemote } from '../../packages/lockstep/src/gitproviders/api/address.ts'
import { providerCredentials } from '../../packages/lockstep/src/gitproviders/api/credentials.ts'
import { openSubprocessRepository } from '../../packages/lockstep/src/gitproviders/git/subprocessrepository.ts'
import { connectGitProvider } from '../../packages/lockstep/src/gitproviders/registry.ts'
import { BareStore } from '../../packages/simulators/src/githost/barestore.ts'
import { type HostKind, openGitHost } from '../../packages/simulators/src/githost/githost.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'

const O = { timeoutMs: 20_000 }
const MESSAGE = 'Promote podinfo\n\nLockstep-Promotion: k1\n'
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'ns', name: 'git' },
  data: { token: btoa('hush') },
}

function must<T>(r: Result<T, unknown>): T {
  if (!r.ok) throw new Error(JSON.stringify(r.error))
  return r.value
}

describe('from a commit to a merge', () => {
  const root = mkdtempSync(join(tmpdir(), 'realhost-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it.each<[HostKind, 'merge' | 'squash' | 'rebase']>([
    ['github', 'squash'],
    ['gitlab', 'merge'],
    ['gitea', 'rebase'],
  ])('%s, by %s', async (provider, method) => {
    const env = loopbackEnv()
    const store = await BareStore.create(env, join(root, `${provider}.git`))
    const double = openGitHost(env, { provider, token: 'hush', repositories: { 'o/r': store } })
    const listening = must(await env.net.listen({ host: '127.0.0.1', port: 0 }, double.handle))
    const url = `${listening.url}/o/r`
    const host = must(connectGitProvider(env, { provider, url, baseBranch: 'main' }, SECRET))
    const { git, secrets } = must(providerCredentials(provider, SECRET))
    const options = {
      env,
      by: { namespace: 'platform' },
      url: must(parseRemote(url)),
      credentials: git,
      secrets,
      dir: join(root, provider),
    }
    const repository = must(await openSubprocessRepository(options))
    const first = await double
      .repository('o/r')
      .push('main', { 'app.yaml': 'version: 1\nname: a\n' }, 'First')

    const commit = {
      base: first,
      message: MESSAGE,
      person: 'Lockstep <lockstep@invalid>',
      date: '2026-03-01T12:00:00Z',
      files: new Map([['app.yaml', new TextEncoder().encode('version: 2\nname: a\n')]]),
    }
    const head = 'lockstep/podinfo/prod/1-k1'
    const made = must(await repository.commit(commit, O))
    expect(must(await repository.push(head, made.commit, 'absent', O))).toBe('pushed')
    const body = '<!-- lockstep-promotion: k1 -->'
    const pull = must(await host.open({ head, title: 'Promote podinfo', body }, O))
    expect(pull.headCommit).toBe(made.commit)
    // The base moves on, in another line of the same file.
    await double.repository('o/r').push('main', { 'app.yaml': 'version: 1\nname: a\n\nmore: 1\n' }, 'Beside')
    must(await host.merge(pull.number, { expectHead: made.commit, method, message: MESSAGE }, O))

    const base = must(await repository.branches(['main'], O)).get('main')!
    const [file] = must(await repository.files(base, (path) => path === 'app.yaml', O))
    expect(new TextDecoder().decode(file?.bytes)).toBe('version: 2\nname: a\n\nmore: 1\n')
    const news = must(await repository.history(base, first, 100, O))
    expect(news.filter((c) => c.message === MESSAGE)).toHaveLength(1)
    expect(must(await repository.remove(head, made.commit, O))).toBe('removed')
    const found = must(await host.pullsOf(head, O))
    expect(found).toMatchObject([{ number: pull.number, state: 'merged', head, mergeCommit: base }])
    expect(double.repository('o/r').journal.changesOf('k1', 'main')).toHaveLength(1)
    await Promise.all([host.close(), repository.close(), listening.close()])
  })
})
