import { beforeEach, describe, expect, it } from 'vitest'
import { createSimEnv, type SimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { ReadIndex } from './readindex.ts'
import { moduleKey, type Request, requestOf } from './requestkeys.ts'
import { startSafetyNet } from './safetynet.ts'

const app = requestOf('module', moduleKey.of({ kind: 'Module', namespace: 'ns', name: 'app' }))

describe('the safety net', () => {
  let env: SimEnv
  let reads: ReadIndex
  let added: Request[]
  let isQueued: boolean
  let stop: () => void

  beforeEach(() => {
    env = createSimEnv('safety net')
    reads = new ReadIndex()
    added = []
    isQueued = false
    const queue = { add: (r: Request) => void added.push(r), has: () => isQueued }
    stop = startSafetyNet({ env, queue, reads })
  })

  const decide = (again: () => string, isBlocked = true): void => {
    const reconcile = reads.begin(app)
    reconcile.decided({ outcome: 'waits', isBlocked, again })
    reconcile.end()
  }
  const minutes = (n: number) => env.clock.run(() => false, n * 60_000)
  const missed = () => env.meters.read().filter((m) => m.name === 'lockstep_invariant_violations_total')

  it('queues and counts a blocked request that decides otherwise within a minute', async () => {
    let outcome = 'waits'
    decide(() => outcome)
    await minutes(3)
    expect(added).toEqual([])
    outcome = 'starts'
    await minutes(1)
    expect(added).toEqual([app])
    expect(missed()).toMatchObject([{ labels: { controller: 'module' }, value: 1 }])
  })

  it('counts nothing that is queued already, and nothing that is not blocked', async () => {
    decide(() => 'starts', false)
    await minutes(2)
    isQueued = true
    decide(() => 'starts')
    await minutes(2)
    expect([added, missed()]).toEqual([[], []])
  })

  it('takes a decision that fails as another one, and stays alive', async () => {
    decide(() => {
      throw new Error('a bug')
    })
    await minutes(2)
    expect(added).toEqual([app, app])
  })

  it('ends with the process', async () => {
    stop()
    decide(() => 'starts')
    await minutes(2)
    expect(added).toEqual([])
  })
})
