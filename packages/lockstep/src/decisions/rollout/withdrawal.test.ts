/** Assignments that are taken back: what becomes of their slots. */
import { describe, expect, it } from 'vitest'
import {
  at,
  DONE,
  entry,
  gate,
  OLD,
  RUNNING,
  run,
  type ScheduledUnit,
  unit,
} from '../../../../../test/arbitrary/scheduleinputs.ts'

const STILL = { runMs: 0, readyMs: 0, isRunning: false, isReady: false }

describe('what was overtaken before it was admitted', () => {
  const ASSIGNED = { present: true, recordRevision: 'v1:2', admittedRevision: 'v1:1', healthy: true }
  const BACK = { ...ASSIGNED, recordRevision: 'v1:1' }
  const ledger = [entry('a')]
  const others = [unit('d', DONE), unit('e', OLD)]
  const taken = { ledger, takenBack: new Set(['a v1:2']) }

  it.each<[string, Partial<ScheduledUnit>]>([
    ['its gate closes', { gate }],
    ['a Hold pauses it', { hold: { action: 'Pause', by: 'h' } }],
    ['its cluster falls silent', { clusterState: 'Unreachable' }],
    ['its cluster leaves, and others rely on it', { selected: false, dependants: gate }],
  ])('%s: its record is taken back, and until that is so its entry stays', (_, over) => {
    const out = run([unit('a', { ...ASSIGNED, ...over }), unit('d', DONE)], { ledger })
    expect(out).toMatchObject({ start: [], withdraw: ['a'], ledger: [{ cluster: 'a', revision: 'v1:2' }] })
    const then = run([unit('a', { ...BACK, ...over }), unit('d', DONE)], taken)
    expect(then).toMatchObject({ withdraw: [], ledger: [] })
  })

  it('a newer revision whose turn has not come: the same', () => {
    const stages = [
      { name: 'first', clusters: ['d'], approval: 'Required' as const },
      { name: 'rest', clusterSelector: {} },
    ]
    const target = { revision: 'v1:3', bundle: 'v1:b3' }
    const staged = { strategy: 'Staged' as const, stages }
    const out = run([unit('a', ASSIGNED), unit('d', OLD)], { ledger, target }, staged)
    expect(out.withdraw).toEqual(['a'])
    expect(out.ledger.map((e) => `${e.cluster} ${e.revision}`)).toContain('a v1:2')
    expect(run([unit('a', BACK), unit('d', OLD)], { ...taken, target }, staged).ledger).toMatchObject([
      { cluster: 'd' },
    ])
  })

  it('its slot is nobody else’s until then, and the next one’s at once after that', () => {
    const now = run([unit('a', { ...ASSIGNED, gate }), ...others], { ledger })
    expect(now).toMatchObject({ start: [], withdraw: ['a'] })
    expect(now.blockers.map((b) => b.reason)).toEqual(['RolloutLimit', 'DependencyNotReady'])
    const then = run([unit('a', { ...BACK, gate }), ...others], taken)
    expect(then).toMatchObject({
      start: [{ cluster: 'e' }],
      ledger: [{ cluster: 'e' }],
      counters: { blocked: 1 },
    })
  })

  it('one that has arrived, and may not go on to what is newer: its slot is the next one’s, once it is well', () => {
    const target = { revision: 'v1:3', bundle: 'v1:b3' }
    const out = (facts: Partial<ScheduledUnit>, minReadySeconds = 0) =>
      run([unit('a', { ...facts, gate }), unit('e', OLD)], { ledger, target }, { minReadySeconds })
    const stays = { start: [], withdraw: [], ledger: [{ cluster: 'a', revision: 'v1:2' }] }
    expect(out(RUNNING)).toMatchObject(stays)
    expect(out(DONE, 30)).toMatchObject(stays)
    expect(out(DONE)).toMatchObject({ withdraw: [], start: [{ cluster: 'e' }], ledger: [{ cluster: 'e' }] })
  })

  it('where nobody knows what became of its record, the slot is free 40 s after that was missed', () => {
    const missed = [unit('a', { ...BACK, gate }), ...others]
    let out = run(missed, { ledger, elapsedMs: 0 })
    for (const elapsedMs of [30_000, 9999]) {
      expect(out).toMatchObject({ start: [], withdraw: [], ledger: [{ cluster: 'a' }] })
      out = run(missed, { ledger: out.ledger, clocks: out.clocks, elapsedMs })
    }
    expect(out).toMatchObject({ ledger: [{ cluster: 'a' }], changesInMs: 1 })
    out = run(missed, { ledger: out.ledger, clocks: out.clocks, elapsedMs: 1 })
    expect(out).toMatchObject({ start: [{ cluster: 'e' }], ledger: [{ cluster: 'e' }] })
  })

  it('whatever keeps it from being assigned: a Hold, a halt; what may go on gets its record at once', () => {
    const missed = [unit('a', { ...BACK }), ...others]
    const wait = { ledger, clocks: new Map([['a', { ...STILL, unassignedMs: 39_000 }]]), elapsedMs: 500 }
    for (const stop of [{ heldBy: 'mine' }, { haltedAt: 'v1:2' }]) {
      const still = run(missed, { ...wait, ...stop })
      expect([still.ledger.length, still.changesInMs]).toEqual([1, 500])
      expect(run(missed, { ...wait, ...stop, elapsedMs: 1000 }).ledger).toEqual([])
    }
    expect(run(missed, { ...wait, elapsedMs: 500 }).start).toMatchObject([{ cluster: 'a' }])
  })

  it('admitted in that very moment, it is in flight, and gets its record again', () => {
    const u = unit('a', { ...at('v1:2'), recordRevision: 'v1:1', running: true, gate })
    const out = run([u, ...others], { ledger })
    expect(out).toMatchObject({ withdraw: [], start: [{ cluster: 'a', revision: 'v1:2' }] })
    expect(out.ledger).toMatchObject([{ cluster: 'a', revision: 'v1:2' }])
  })

  it('what leaves goes on in the slot of its delivery', () => {
    const leaving = unit('a', { ...ASSIGNED, selected: false })
    const out = run([leaving, ...others], { ledger })
    expect(out).toMatchObject({ withdraw: [], start: [{ cluster: 'a', kind: 'Remove' }] })
    expect(out.ledger).toMatchObject([{ cluster: 'a', kind: 'Remove' }])
    const under = run([unit('a', { ...RUNNING, selected: false, dependants: gate }), ...others], { ledger })
    expect(under).toMatchObject({ start: [], withdraw: [], ledger: [{ cluster: 'a', kind: 'Update' }] })
    const well = run([unit('a', { ...DONE, selected: false, dependants: gate }), ...others], { ledger })
    expect(well).toMatchObject({ start: [{ cluster: 'e' }], ledger: [{ cluster: 'e' }] })
  })
})
