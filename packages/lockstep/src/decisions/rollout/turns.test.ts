/** Whose turn it is: of all that may start, who starts first. */
import { describe, expect, it } from 'vitest'
import {
  at,
  DONE,
  entry,
  many,
  OLD,
  RUNNING,
  run,
  unit,
} from '../../../../../test/arbitrary/scheduleinputs.ts'
import type { UnitView } from './types.ts'

const LEAVING = { ...OLD, selected: false }
const started = (...args: Parameters<typeof run>): string[] => run(...args).start.map((s) => s.cluster)

describe('on the way forward', () => {
  it('what leaves, then a pin, then what is updated, then what is installed', () => {
    const units = [
      unit('a'),
      unit('b', OLD),
      unit('c', { ...OLD, hold: { action: 'Pin', by: 'h', revision: 'v1:0' } }),
      unit('d', LEAVING),
      ...['x', 'y'].map((n) => unit(n, DONE)),
    ]
    const inOrder = ['d', 'c', 'b', 'a']
    for (let max = 1; max <= 4; max++)
      expect(started(units, {}, { maxUnavailable: max })).toEqual(inOrder.slice(0, max))
  })

  it('what a rollout that was overtaken has left between two releases comes first', () => {
    const between = { ...at('v1:1b'), healthy: true }
    const units = [unit('x', DONE), unit('a', OLD), unit('b', between), unit('c', OLD)]
    expect(started(units, { lastComplete: 'v1:1' }, { maxUnavailable: 1 })).toEqual(['b'])
    // Where nothing was ever complete, nothing lies between.
    expect(started(units, {}, { maxUnavailable: 1 })).toEqual(['a'])
  })

  it('but not before its stage', () => {
    const canary = { labels: { tier: 'canary' } }
    const units = [unit('a', { ...OLD, ...canary }), unit('b', { ...at('v1:1b'), healthy: true })]
    const stages = [{ name: 'canary', clusterSelector: { matchLabels: { tier: 'canary' } } }]
    expect(started(units, { lastComplete: 'v1:1' }, { strategy: 'Staged', stages })).toEqual(['a'])
  })

  it('an earlier stage before a later one that is open, too', () => {
    const canary = { labels: { tier: 'canary' } }
    const stages = [{ name: 'canary', clusterSelector: { matchLabels: { tier: 'canary' } } }]
    const passed = [{ name: 'canary', openedAt: '2026-01-01T00:00:00Z', completedAt: '2026-01-01T00:00:00Z' }]
    // The canary that joins late sorts behind: by name it is the last.
    const units = [unit('a'), unit('x', { ...DONE, ...canary }), unit('z', canary)]
    const policy = { strategy: 'Staged', stages, joining: 'Target', maxUnavailable: 1 } as const
    expect(started(units, { stages: passed }, policy)).toEqual(['z'])
  })

  it('what has not answered just now comes after what has', () => {
    const units = [unit('x', DONE), unit('a', { ...OLD, suspected: true }), unit('b', OLD)]
    expect(started(units, {}, { maxUnavailable: 1 })).toEqual(['b'])
    expect(started(units, {}, { maxUnavailable: 2 })).toEqual(['b', 'a'])
  })

  it('what was retried after a failure moves on the slot that it has', () => {
    const failed = entry('b', { failed: 'it was slow' })
    const units = [unit('a', OLD), unit('b', RUNNING), unit('x', DONE)]
    const out = run(units, { ledger: [failed], retry: true }, { maxUnavailable: 1 })
    expect(out.start).toEqual([])
    expect(out.ledger).toEqual([entry('b')])
  })
})

describe('on the way back', () => {
  const NEW = { ...at('v1:3'), healthy: true }
  const back = (units: readonly UnitView[], policy: Parameters<typeof run>[2] = {}) =>
    run(units, { rollbackCause: 'Rollback', rolledBackFrom: 'v1:3' }, { maxUnavailable: 1, ...policy })
  /** All of them, each being where it was as soon as it was started. */
  const sequence = (units: readonly UnitView[], policy: Parameters<typeof run>[2] = {}): string[] => {
    const out: string[] = []
    let now = [...units]
    for (;;) {
      const next = back(now, policy).start.find((s) => s.kind === 'RollBack')?.cluster
      if (next === undefined) return out
      out.push(next)
      now = now.map((u) =>
        u.cluster === next ? unit(next, { ...DONE, labels: u.labels, order: u.order }) : u,
      )
    }
  }

  it('before anything leaves', () => {
    expect(back([unit('a', LEAVING), unit('b', NEW)]).start).toEqual([
      { cluster: 'b', kind: 'RollBack', revision: 'v1:2' },
    ])
  })

  it('those that are hit first, then the one that was started last', () => {
    const units = [
      unit('a', { ...NEW, order: '5' }),
      unit('b', { ...NEW, order: '9' }),
      unit('c', { ...at('v1:3'), order: '3' }),
      unit('d', { ...NEW, order: '1', failure: 'its hook failed' }),
      unit('e', { ...NEW, order: '7' }),
    ]
    expect(sequence(units)).toEqual(['c', 'd', 'b', 'e', 'a'])
  })

  it.each([
    ['by name', { order: 'Name' as const }, ['c4', 'c3', 'c2', 'c1']],
    ['by a label', { order: 'Label' as const, orderLabel: 'ring' }, ['c4', 'c1', 'c2', 'c3']],
  ])('the reverse of a stage %s', (_, order, expected) => {
    const ring: Readonly<Record<string, string>> = { c1: '10', c2: '9', c3: '-1' }
    const units = ['c3', 'c1', 'c4', 'c2'].map((c, i) =>
      unit(c, { ...NEW, order: String(i), labels: ring[c] === undefined ? {} : { ring: ring[c] } }),
    )
    const stages = [{ name: 'all', clusterSelector: {}, ...order }]
    expect(sequence(units, { strategy: 'Staged', stages })).toEqual(expected)
  })

  it('later groups of a stage before earlier ones, later stages before all', () => {
    const eu = { labels: { region: 'eu' } }
    const us = { labels: { region: 'us' } }
    const units = [
      unit('u1', { ...NEW, ...us, recordStage: 'by/us' }),
      unit('e1', { ...NEW, ...eu, recordStage: 'by/eu' }),
      unit('r1', { ...NEW, recordStage: 'rest' }),
      unit('u2', { ...NEW, ...us, recordStage: 'by/us' }),
    ]
    const stages = [
      { name: 'by', groupBy: 'region', clusters: ['u1', 'u2', 'e1'] },
      { name: 'rest', clusterSelector: {} },
    ]
    expect(sequence(units, { strategy: 'Staged', stages })).toEqual(['r1', 'u2', 'u1', 'e1'])
  })
})

describe('updates: Once', () => {
  const policy = { updates: 'Once', maxUnavailable: 3 } as const

  it('what is installed stays what it is, and nobody waits for it', () => {
    const out = run([unit('a', OLD), unit('b', DONE)], {}, policy)
    expect(out).toMatchObject({
      start: [],
      phase: 'Complete',
      blockers: [],
      counters: { total: 2, ready: 2, updated: 1 },
    })
  })

  it('a first install goes on, in a later stage, too', () => {
    const stages = [{ name: 'canary', clusterSelector: { matchLabels: { tier: 'canary' } } }]
    const units = [unit('a', { ...OLD, labels: { tier: 'canary' } }), unit('b'), unit('c', OLD)]
    const out = run(units, {}, { ...policy, strategy: 'Staged', stages })
    expect(out.start).toEqual([{ cluster: 'b', kind: 'Install', revision: 'v1:2' }])
  })

  it('what is under way for the first time is not installed yet: it goes on to the newest', () => {
    const half = { ...at('v1:1'), running: true }
    const ledger = [entry('a', { revision: 'v1:1', kind: 'Install' })]
    expect(run([unit('a', half)], { ledger }, policy).start).toMatchObject([
      { cluster: 'a', revision: 'v1:2' },
    ])
  })

  it('what is unhealthy where it stays takes room, and is said', () => {
    const units = [unit('a', at('v1:1')), ...many(3)]
    const out = run(units, {}, { ...policy, maxUnavailable: 2, strategy: 'Replace' })
    expect(out.start).toHaveLength(1)
    expect(out.counters).toMatchObject({ ready: 0, updating: 1 })
  })

  it('a rollout that leads back moves those that it was led away from, and no others', () => {
    const units = [unit('a', OLD), unit('b', { ...at('v1:3'), healthy: true })]
    expect(started(units, { rollbackCause: 'Undo', rolledBackFrom: 'v1:3' }, policy)).toEqual(['b'])
  })
})

describe('who joins once more has failed than is tolerated', () => {
  const failed = unit('a', { ...at('v1:2'), failure: 'broken' })
  const ledger = [entry('a', { failed: 'broken' })]
  const units = [failed, unit('b', DONE), unit('new')]
  const over = { ledger, lastComplete: 'v1:1' }

  it('gets what was complete last', () => {
    expect(run(units, over, { onFailure: 'Continue' }).start).toEqual([
      { cluster: 'new', kind: 'Install', revision: 'v1:1' },
    ])
  })

  it('the target where that is wanted, or nothing was ever complete, or so many failures are tolerated', () => {
    const target = [{ cluster: 'new', kind: 'Install', revision: 'v1:2' }]
    expect(run(units, over, { onFailure: 'Continue', joining: 'Target' }).start).toEqual(target)
    expect(run(units, { ledger }, { onFailure: 'Continue' }).start).toEqual(target)
    expect(run(units, over, { onFailure: 'Continue', maxFailed: 1 }).start).toEqual(target)
  })
})
