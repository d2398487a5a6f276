/** The cases of a repository by git: each starts several processes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loopbackEnv } from '../../../../test/kube/loopbackenv.ts'
import { BareStore } from '../../../simulators/src/githost/barestore.ts'
import { openGitHost } from '../../../simulators/src/githost/githost.ts'
import { parseRemote } from './api/address.ts'
import type { ProviderCredentials } from './api/credentials.ts'
import { openSubprocessRepository } from './git/subprocessrepository.ts'
import { gitRepositoryCases, TOKEN } from './gitrepository.cases.ts'
import { credentialsOf, stage } from './repositorystage.cases.ts'

describe('a repository by git, over HTTP', () => {
  const env = loopbackEnv()
  const root = mkdtempSync(join(tmpdir(), 'promote-'))
  // After the cases, all that they have opened is closed.
  afterAll(() => {
    const left = readdirSync(join(root, 'caches'))
    rmSync(root, { recursive: true, force: true })
    expect(left).toEqual([])
  })
  let caches = 0

  /** Serves a repository as `o/r`; `open`: by git, with a folder of its own. */
  async function serve(store: BareStore) {
    const double = openGitHost(env, { provider: 'github', token: TOKEN, repositories: { 'o/r': store } })
    const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, double.handle)
    if (!listening.ok) throw new Error(listening.error.detail)
    const open = async (name: string, { git, secrets }: ProviderCredentials) => {
      const url = parseRemote(`${listening.value.url}/${name}`)
      if (!url.ok) throw new Error(url.error)
      const dir = join(root, 'caches', String(++caches))
      const made = await openSubprocessRepository({
        env,
        by: { namespace: 'platform' },
        url: url.value,
        credentials: git,
        secrets,
        dir,
      })
      if (!made.ok) throw new Error(made.error)
      return made.value
    }
    return { double, open, close: listening.value.close }
  }

  gitRepositoryCases(async () => {
    const { double, open, close } = await serve(await BareStore.create(env, join(root, 'host.git')))
    return stage(double, (work) => work, open, close)
  }, /\/git-receive-pack$/)

  it('sees where two commits parted, also where that is long ago', async () => {
    const store = await BareStore.create(env, join(root, 'long.git'))
    const lines = Array.from({ length: 600 }, (_, i) => [
      `commit refs/heads/${i < 599 ? 'main' : 'other'}`,
      `mark :${i + 1}`,
      'committer a <a@b> 1767225600 +0000',
      'data 1',
      i < 599 ? 'x' : 'y',
      ...(i === 0 ? [] : [`from :${i < 599 ? i : 2}`]),
    ])
    const input = `${lines.flat().join('\n')}\n`
    execFileSync('git', ['-C', store.dir, 'fast-import', '--quiet'], { input })
    const of = (rev: string) => execFileSync('git', ['-C', store.dir, 'rev-parse', rev]).toString().trim()
    const [tip, other, parted] = [of('main'), of('other'), of('main~597')]
    const { open, close } = await serve(store)
    const repository = await open('o/r', credentialsOf(TOKEN))
    const history = async (...[a, b, limit]: [string, string | undefined, number]) => {
      const found = await repository.history(a, b, limit, { timeoutMs: 20_000 })
      if (!found.ok) throw new Error(JSON.stringify(found.error))
      return found.value.map((c) => c.id)
    }
    expect(await history(other, tip, 1000)).toEqual([other])
    expect(await history(parted, tip, 1)).toEqual([])
    expect(await history(tip, parted, 1000)).toHaveLength(597)
    expect(await history(tip, undefined, 3)).toHaveLength(3)
    await repository.close()
    await close()
  })
})
