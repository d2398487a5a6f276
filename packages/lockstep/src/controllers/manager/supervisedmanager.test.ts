import { describe, expect, it } from 'vitest'
import type { Env } from '../../../../kube/src/env/env.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { supervise } from '../../../../kube/src/env/supervise.ts'
import { HubCacheError } from '../runtime/hubtrust.ts'
import type { Manager } from './manager.ts'
import { Incidents, type SupervisedEnd, SupervisedManager } from './supervisedmanager.ts'

function running(incidents = new Incidents()) {
  const env = createSimEnv('restarts')
  const envs: Env[] = []
  let open = 0
  let ended: SupervisedEnd | undefined
  const managed = new SupervisedManager(env, incidents, (scope) => {
    envs.push(scope)
    open++
    const manager = { stop: () => {} } as unknown as Manager
    return {
      manager,
      close: async () => {
        open--
      },
    }
  })
  supervise(env, async () => {
    ended = await managed.ended
  })
  const fail = (error: unknown) => supervise(envs.at(-1)!, () => Promise.reject(error))
  return {
    env,
    managed,
    fail,
    starts: () => envs.length,
    open: () => open,
    ended: () => ended,
    pass: (ms: number) => {
      // Virtual time stands still without a timer.
      env.clock.at(env.clock.steady() + ms, () => {})
      return env.clock.run(() => false, ms)
    },
  }
}

const BUG = new TypeError('x is not iterable')

describe('controllers that fail by a bug', () => {
  it('start again in the process, with another connection', async () => {
    const r = running()
    r.fail(BUG)
    await r.pass(500)
    expect([r.managed.current, r.starts(), r.open()]).toEqual([undefined, 1, 0])
    await r.pass(1000)
    expect([r.managed.current !== undefined, r.starts(), r.open(), r.ended()]).toEqual([
      true,
      2,
      1,
      undefined,
    ])
    expect(r.env.meters.read()).toContainEqual(
      expect.objectContaining({ name: 'lockstep_exceptions_total', labels: { scope: 'process' }, value: 1 }),
    )
    expect(r.env.lines.map((l) => l.message)).toEqual(['the controllers failed by a bug'])
  })

  it('end the process at the third exception in 10 minutes, not in more', async () => {
    const r = running()
    for (const minutes of [6, 6, 6]) {
      r.fail(BUG)
      await r.pass(minutes * 60_000)
    }
    expect([r.starts(), r.ended()]).toEqual([4, undefined])
    r.fail(BUG)
    await r.pass(60_000)
    r.fail(BUG)
    await r.pass(60_000)
    expect(r.ended()).toEqual({ step: 'Exit', error: BUG })
    expect([r.managed.current, r.open()]).toEqual([undefined, 0])
  })

  it('let another process lead at the fifth exception of a cache of the hub in a minute', async () => {
    const r = running()
    for (let i = 0; i < 5; i++) {
      expect(r.ended()).toBe(undefined)
      r.fail(new HubCacheError(BUG))
      await r.pass(10_000)
    }
    expect(r.ended()).toEqual({ step: 'Standby', error: BUG })
  })

  it('count one exception once, however many loops fail by it', async () => {
    const r = running()
    for (let i = 0; i < 5; i++) r.fail(BUG)
    await r.pass(2000)
    expect([r.starts(), r.ended()]).toEqual([2, undefined])
  })

  it('stay stopped after a stop', async () => {
    const r = running()
    r.fail(BUG)
    await r.managed.stop()
    await r.pass(60_000)
    expect([r.starts(), r.open(), r.ended()]).toEqual([1, 0, undefined])
  })
})
