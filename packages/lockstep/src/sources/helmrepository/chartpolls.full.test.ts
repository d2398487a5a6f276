import { describe, expect, it } from 'vitest'
import { answer, TestChartRepository } from '../../../../../test/charts/chartservers.ts'
import { ok } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import type { HelmSource } from '../../api/kinds/module/sourcespec.ts'
import type { Requester } from '../intake/sourcepoller.ts'
import type { SecretReaders } from '../intake/sourcesecret.ts'
import { upstreamFetcher } from '../intake/upstreamfetcher.ts'
import { Upstreams } from '../intake/upstreams.ts'
import type { ResolvedChart } from './resolvedchart.ts'

const MINUTE = 60_000
const noSecrets: SecretReaders = () => ({
  list: async () => ok({ items: [], resourceVersion: '1' }) as never,
})

function setup() {
  const env = createSimEnv('charts')
  const repository = new TestChartRepository()
  repository.add('web', '1.0.0')
  env.net.serve('https://charts.example.com', repository.handler)
  const helm: HelmSource = { repository: 'https://charts.example.com/charts', chart: 'web', version: '^1' }
  const woken = new Set<string>()
  const upstreams = new Upstreams(env, noSecrets, { cacheDir: '/cache' }, (who) => void woken.add(who))
  const asking = { namespace: 'platform', intervalMs: 5 * MINUTE, timeoutMs: MINUTE, trigger: '' }
  const outside = (who: string, over: Partial<Requester> = {}) =>
    upstreamFetcher(upstreams, { ...asking, who, ...over }, () => {})
  /** Version, or reason and message. */
  const look = (who = 'a', over: Partial<HelmSource> = {}, trigger = ''): string => {
    const found = outside(who, { trigger }).chart({ ...helm, ...over })
    return found.ok ? found.value.version : `${found.error.reason}: ${found.error.message}`
  }
  // Virtual time passes only as long as something is still to happen.
  const tick = (): void => void env.clock.at(env.clock.steady() + 1000, tick)
  tick()
  const pass = (ms: number) => env.clock.run(() => false, ms)
  return { env, repository, helm, look, outside, pass, woken }
}

describe('the version of a chart', () => {
  it('is asked for once for all who want it, and wakes them', async () => {
    const { repository, look, pass, woken } = setup()
    const fetching = 'Fetching: fetching helm https://charts.example.com/charts: chart web'
    expect([look('a'), look('b')]).toEqual([fetching, fetching])
    await pass(200)
    expect([...woken]).toEqual(['a', 'b'])
    expect([look('a'), look('b')]).toEqual(['1.0.0', '1.0.0'])
    expect(repository.seen).toHaveLength(1)
  })

  it('is looked at again at the interval where it is a range, once for 1,000 modules', async () => {
    const { repository, look, pass } = setup()
    for (let minute = 0; minute < 60; minute++) {
      for (let i = 0; i < 1000; i++) look(`m${i}`)
      await pass(MINUTE)
    }
    repository.add('web', '1.1.0')
    await pass(5 * MINUTE)
    look('m7')
    await pass(200)
    expect(look('m7')).toBe('1.1.0')
    expect(repository.seen.length).toBeGreaterThanOrEqual(11)
    expect(repository.seen.length).toBeLessThanOrEqual(14)
  })

  it('is never looked at again where it is exact, but for who triggers; with a digest, not even then', async () => {
    const { repository, look, pass } = setup()
    const first = repository.add('web', '2.0.0')
    const exact = { version: '2.0.0' }
    const pinned = { ...exact, digest: first }
    look('a', exact)
    look('p', pinned)
    await pass(200)
    expect([look('a', exact), look('p', pinned)]).toEqual(['2.0.0', '2.0.0'])
    const asked = repository.seen.length
    await pass(24 * 60 * MINUTE)
    expect([look('a', exact), look('p', pinned)]).toEqual(['2.0.0', '2.0.0'])
    expect(repository.seen.length).toBe(asked)
    look('a', exact, 'now')
    look('p', pinned, 'now')
    await pass(200)
    expect(look('a', exact, 'now')).toBe('2.0.0')
    expect(repository.seen.length).toBe(asked + 1)
  })

  it('its files are fetched once for all who want them, and are there again without the server', async () => {
    const { env, repository, helm, outside, look, pass } = setup()
    look()
    await pass(200)
    const picked = outside('a').chart(helm)
    const { value } = picked as { value: ResolvedChart }
    for (const who of ['a', 'b', 'c']) outside(who).chartTree(helm, value)
    await pass(200)
    const tree = outside('c').chartTree(helm, value)
    expect(tree.ok && tree.value.files.map((f) => f.path)).toEqual(['Chart.yaml'])
    expect(repository.urls.filter((u) => u.endsWith('.tgz'))).toHaveLength(1)
    env.net.unserve('https://charts.example.com')
    const later = new Upstreams(env, noSecrets, { cacheDir: '/cache' }, () => {})
    const asking = { who: 'a', namespace: 'other', intervalMs: MINUTE, timeoutMs: MINUTE, trigger: '' }
    later.chartTree(helm, value, asking)
    await pass(200)
    expect(later.chartTree(helm, value, asking).state).toBe('Known')
  })
})

describe('a host that asks to wait', () => {
  it('is not asked again before, by any of 1,000 modules; each says until when', async () => {
    const { env, repository, look, pass } = setup()
    repository.intercept = () => answer(429, { 'retry-after': '300' })
    const until = () => {
      for (let i = 0; i < 1000; i++) look(`m${i}`, { version: `^1.${i % 10}` })
    }
    until()
    await pass(1000)
    const asked = repository.seen.length
    // Those that were under way with the first one.
    expect(asked).toBeLessThanOrEqual(4)
    for (let i = 0; i < 29; i++) {
      until()
      await pass(10_000)
    }
    expect(repository.seen.length).toBe(asked)
    const when = new Date(env.clock.now()).toISOString().slice(0, 14)
    expect(look('m1', { version: '^1.1' })).toMatch(
      new RegExp(`^SourceRateLimited: charts.example.com asks to wait \\w+ \\(until ${when}`),
    )
    repository.intercept = undefined
    await pass(30_000)
    look('m0', { version: '^1.0' })
    await pass(1000)
    expect(look('m0', { version: '^1.0' })).toBe('1.0.0')
  })

  it('and does not say how long is asked ever more rarely, at most at the interval', async () => {
    const { repository, look, pass } = setup()
    repository.intercept = () => answer(503)
    for (let second = 0; second < 1200; second++) {
      look()
      await pass(1000)
    }
    // 1, 2, 4 … 256 s, then 300 s.
    expect(repository.seen.length).toBeGreaterThanOrEqual(9)
    expect(repository.seen.length).toBeLessThanOrEqual(13)
    expect(look()).toMatch(/^SourceRateLimited: charts.example.com asks to wait /)
  })

  it('is another host than its neighbour', async () => {
    const { env, repository, look, pass } = setup()
    env.net.serve('https://other.example.com', repository.handler)
    env.net.serve('https://charts.example.com', async () => answer(429, { 'retry-after': '300' }))
    look('a')
    look('b', { repository: 'https://other.example.com/charts' })
    await pass(1000)
    expect(look('a')).toMatch(/^SourceRateLimited/)
    expect(look('b', { repository: 'https://other.example.com/charts' })).toBe('1.0.0')
  })
})
