import { describe, expect, it } from 'vitest'
import { simFleet } from '../../../../../test/fleet/simfleet.ts'
import type { Env } from '../../../../kube/src/env/env.ts'
import type { Processes } from '../../../../kube/src/env/processes.ts'
import { err, ok } from '../../../../kube/src/env/result.ts'
import type { GitSource } from '../../api/kinds/module/sourcespec.ts'
import type { Requester } from './sourcepoller.ts'
import { Upstreams } from './upstreams.ts'

const FIRST = '1'.repeat(40)
const SECOND = '2'.repeat(40)
const git: GitSource = { url: 'https://example.com/a', ref: { branch: 'main' }, path: '.' }
const MINUTE = 60_000

/** A git whose server has one branch; it answers after 100 ms of virtual time. */
async function setup() {
  const fleet = await simFleet('upstreams', [])
  const server = { commit: FIRST, isUp: true, asked: 0 }
  const processes: Processes = {
    find: async () => undefined,
    async run(program, args) {
      if (!args.includes('ls-remote')) return err({ kind: 'ToolMissing', program })
      server.asked++
      await new Promise<void>((resolve) => {
        fleet.env.clock.at(fleet.env.clock.steady() + 100, resolve)
      })
      if (!server.isUp)
        return ok({ code: 128, stdout: new Uint8Array(), stderr: 'fatal: Connection refused' })
      const line = `${server.commit}\trefs/heads/main\n`
      return ok({ code: 0, stdout: new TextEncoder().encode(line), stderr: '' })
    },
  }
  const env: Env = { ...fleet.env, processes }
  const woken: string[] = []
  const upstreams = new Upstreams(env, fleet.hub, { cacheDir: '/cache' }, (who) => woken.push(who))
  const look = (who = 'a', over: Partial<Requester> = {}) => {
    const found = upstreams.commit(git, {
      who,
      namespace: 'platform',
      intervalMs: 5 * MINUTE,
      timeoutMs: MINUTE,
      trigger: '',
      ...over,
    })
    return found.state === 'Known' ? found.value.commit : found.state
  }
  // Virtual time passes only as long as something is still to happen.
  const tick = (): void => void fleet.env.clock.at(fleet.env.clock.steady() + 1000, tick)
  tick()
  const pass = (ms: number) => fleet.env.clock.run(() => false, ms)
  return { server, look, pass, woken }
}

describe('what lies outside', () => {
  it('is asked once for all who want it, and wakes them', async () => {
    const { server, look, pass, woken } = await setup()
    expect([look('a'), look('b'), look('c')]).toEqual(['Working', 'Working', 'Working'])
    await pass(200)
    expect(woken).toEqual(['a', 'b', 'c'])
    expect([look('a'), look('b'), look('c')]).toEqual([FIRST, FIRST, FIRST])
    expect(server.asked).toBe(1)
  })

  it('is asked once an interval for 1,000 of them, whenever they look', async () => {
    const { server, look, pass } = await setup()
    for (let minute = 0; minute < 60; minute++) {
      for (let i = 0; i < 1000; i++) look(`m${i}`)
      await pass(MINUTE)
    }
    expect(look('m7')).toBe(FIRST)
    expect(server.asked).toBeGreaterThanOrEqual(10)
    expect(server.asked).toBeLessThanOrEqual(12)
  })

  it('is asked again at the interval; until then, and while it is asked, what was known counts', async () => {
    const { server, look, pass } = await setup()
    look()
    await pass(200)
    server.commit = SECOND
    await pass(4 * MINUTE)
    expect(look()).toBe(FIRST)
    expect(server.asked).toBe(1)
    await pass(MINUTE)
    expect(look()).toBe(FIRST)
    await pass(200)
    expect(look()).toBe(SECOND)
    expect(server.asked).toBe(2)
  })

  it('is asked at once by whoever triggers, who waits for the answer', async () => {
    const { server, look, pass } = await setup()
    look()
    await pass(10_000)
    server.commit = SECOND
    expect(look('a', { trigger: 'now' })).toBe('Working')
    await pass(200)
    expect(look('a', { trigger: 'now' })).toBe(SECOND)
    expect(server.asked).toBe(2)
  })

  it('is not asked more than once in 5 s, however often somebody triggers', async () => {
    const { server, look, pass } = await setup()
    look()
    for (let i = 0; i < 50; i++) {
      await pass(100)
      look('a', { trigger: String(i) })
    }
    expect(server.asked).toBeLessThanOrEqual(2)
  })

  it('that fails is asked again ever more rarely, at most at the interval', async () => {
    const { server, look, pass } = await setup()
    server.isUp = false
    for (let second = 0; second < 600; second++) {
      look()
      await pass(1000)
    }
    // 1, 2, 4 … 64 s: seven of them in two minutes, then one a minute.
    expect(server.asked).toBeGreaterThan(8)
    expect(server.asked).toBeLessThan(20)
    expect(look()).toBe('Failed')
    server.isUp = true
    await pass(2 * MINUTE)
    look()
    await pass(200)
    expect(look()).toBe(FIRST)
  })
})
