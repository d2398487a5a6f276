/** What a decision tells people, and when it is to be made again. */
import { describe, expect, it } from 'vitest'
import {
  DONE,
  entry,
  gate,
  notHealthy,
  OLD,
  RUNNING,
  run,
  unit,
} from '../../../../../test/arbitrary/scheduleinputs.ts'
import { subjectOf } from '../../api/blocker.ts'

describe('what people read', () => {
  it('past its deadline: for how long it ran, and what it has not got done', () => {
    const slow = unit('a', { ...RUNNING, lacks: 'Deployment certs/webhook 0/1' })
    const clocks = new Map([['a', { runMs: 1_800_000, readyMs: 0, isRunning: true, isReady: false }]])
    expect(run([slow], { ledger: [entry('a')], clocks }).failed).toEqual([
      {
        cluster: 'a',
        message:
          'ProgressDeadlineExceeded: deploying for 1800s, progressDeadlineSeconds 1800: Deployment certs/webhook 0/1',
      },
    ])
  })

  it('of a Hold: paused or suspended', () => {
    const heldBy = 'freeze'
    const said = (more: object): string[] =>
      run([unit('a', OLD)], { heldBy, ...more }).blockers.map((b) => b.message)
    expect(said({})).toEqual(['paused by Hold freeze'])
    expect(said({ isSuspended: true })).toEqual(['suspended by Hold freeze'])
  })

  it('of gates: what keeps most clusters waiting first, then by subject', () => {
    const waiting = (name: string, ...modules: readonly string[]) =>
      unit(name, {
        ...OLD,
        gate: modules.map((m) => notHealthy(m, name)),
      })
    const { blockers } = run([waiting('a', 'z', 'm'), waiting('c', 'b', 'z')])
    expect(blockers.map((b) => [subjectOf(b.on), b.count])).toEqual([
      ['Module/z', 2],
      ['Module/b', 1],
      ['Module/m', 1],
    ])
  })
})

describe('time', () => {
  it('that clusters ran for is kept by name, also where it is the same', () => {
    const ran = new Map([
      ['b', 5],
      ['a', 5],
      ['c', 7],
    ])
    const units = ['c', 'b', 'a'].map((name) => unit(name, DONE))
    expect([...run(units, { ran }).ran]).toEqual([
      ['a', 5],
      ['b', 5],
      ['c', 7],
    ])
  })

  it('the next look is at the earlier of what time changes: a deadline, and an entry that is given up', () => {
    const still = { runMs: 0, readyMs: 0, isRunning: true, isReady: false }
    const clocks = new Map([
      ['a', { ...still, runMs: 1_790_000 }],
      ['b', { ...still, isRunning: false, unassignedMs: 10_000 }],
    ])
    const lost = unit('b', { ...OLD, gate })
    const ledger = [entry('a'), entry('b')]
    const policy = { strategy: 'Replace' as const, maxFailed: 1 }
    expect(run([unit('a', RUNNING), lost], { ledger, clocks }, policy).changesInMs).toBe(10_000)
    clocks.set('a', { ...still, runMs: 0 })
    expect(run([unit('a', RUNNING), lost], { ledger, clocks }, policy).changesInMs).toBe(30_000)
  })
})
