import { afterAll, describe } from 'vitest'
import { loopbackEnv } from '../../../../test/kube/loopbackenv.ts'
import { TIER } from '../../../../test/tier.ts'
import type { Env } from '../../../kube/src/env/env.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { sleep } from '../../../kube/src/env/sleep.ts'
import { type HostKind, openGitHost, type TestGitHost } from '../../../simulators/src/githost/githost.ts'
import { MemoryStore } from '../../../simulators/src/githost/memorystore.ts'
import { type GitProviderStage, gitProviderCases, TOKEN } from './gitprovider.cases.ts'
import type { GitProvider } from './gitprovider.ts'
import { connectGitProvider } from './registry.ts'

const NAMES: Readonly<Record<HostKind, string>> = { github: 'o/r', gitlab: 'g/s/r', gitea: 'o/r' }

function stage(
  env: Env,
  kind: HostKind,
  url: string,
  double: TestGitHost,
  run: GitProviderStage['run'],
): GitProviderStage {
  const opened: GitProvider[] = []
  const connect: GitProviderStage['connect'] = ({
    token = TOKEN,
    repository = NAMES[kind],
    base = 'main',
  }) => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'ns', name: 'host' },
      data: { token: btoa(token) },
    }
    const host = connectGitProvider(
      env,
      { provider: kind, url: `${url}/${repository}`, baseBranch: base },
      secret,
    )
    if (!host.ok) throw new Error(host.error)
    opened.push(host.value)
    return host.value
  }
  const close = async () => void (await Promise.all(opened.map((h) => h.close())))
  const elapsed = (ms: number) => sleep(env.clock, ms)
  return { host: connect({}), double, repo: double.repository(NAMES[kind]), connect, run, elapsed, close }
}

describe.each<HostKind>(['github', 'gitlab', 'gitea'])('%s', (provider) => {
  const double = (env: Env) =>
    openGitHost(env, { provider, token: TOKEN, repositories: { [NAMES[provider]]: new MemoryStore() } })

  describe('in a simulation', () => {
    gitProviderCases(provider, async () => {
      const env = createSimEnv(provider)
      const host = double(env)
      env.net.name('localhost', ['192.0.2.1'])
      env.net.serve('http://localhost:3000', host.handle)
      return stage(env, provider, 'http://localhost:3000', host, async (work) => {
        let isDone = false
        const done = () => {
          isDone = true
        }
        work.then(done, done)
        await env.clock.run(() => isDone)
        return work
      })
    })
  })

  // The simulated network has the same requests; sockets cost time.
  describe.skipIf(TIER === 'short')('over HTTP', () => {
    const env = loopbackEnv()
    const closers: (() => Promise<void>)[] = []
    afterAll(async () => {
      for (const close of closers) await close()
    })
    gitProviderCases(provider, async () => {
      const host = double(env)
      const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, host.handle)
      if (!listening.ok) throw new Error(listening.error.detail)
      closers.push(listening.value.close)
      return stage(env, provider, listening.value.url, host, (work) => work)
    })
  })
})
