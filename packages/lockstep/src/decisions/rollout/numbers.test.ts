/** How many, over a whole rollout: decided again and again, on units that do what they are told. */
import { describe, expect, it } from 'vitest'
import {
  OLD as BEFORE,
  NEW,
  Rehearsal,
  type RehearsalMember,
} from '../../../../../test/arbitrary/rehearsal.ts'
import {
  at,
  DONE,
  entry,
  gate,
  many,
  OLD,
  RUNNING,
  run,
  unit,
} from '../../../../../test/arbitrary/scheduleinputs.ts'
import type { RolloutPolicy } from './policy.ts'

const named = (n: number, member: RehearsalMember = {}): Record<string, RehearsalMember> =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`c${String(i).padStart(3, '0')}`, member]))
const plain = (policy: Partial<RolloutPolicy>, members: Record<string, RehearsalMember>): Rehearsal =>
  new Rehearsal({ strategy: 'Replace', ...policy }, members)
const inFlight = (r: Rehearsal): string[] =>
  r.last!.ledger.filter((e) => e.failed === undefined).map((e) => e.cluster)
const becomes = (r: Rehearsal, name: string, fate: RehearsalMember['fate']): void => {
  Object.assign(r.members.get(name)!, { fate })
}

describe('slots', () => {
  it('never more than maxUnavailable; each is used again with the very next decision', () => {
    const r = plain({ maxUnavailable: 3 }, named(10, { fate: 'Running' }))
    r.decide()
    const seen = new Set(inFlight(r))
    while (seen.size < 10) {
      expect(inFlight(r)).toHaveLength(3)
      becomes(r, inFlight(r)[0]!, 'Done')
      expect(r.decide().start).toHaveLength(1)
      for (const c of inFlight(r)) seen.add(c)
    }
    for (const c of inFlight(r)) becomes(r, c, 'Done')
    expect(r.decide()).toMatchObject({ phase: 'Complete', ledger: [] })
  })

  it('of 120 clusters that a gate keeps waiting none holds one; they start within the budget once it opens', () => {
    const r = plain({ maxUnavailable: 10 }, named(120))
    const blocked = [...r.members.keys()].slice(0, 12)
    for (const c of blocked) r.members.get(c)!.blocked = true
    expect(r.settle()).toHaveLength(108)
    expect(r.last).toMatchObject({ ledger: [], counters: { ready: 108, blocked: 12 } })
    for (const c of blocked) Object.assign(r.members.get(c)!, { blocked: false, fate: 'Running' })
    expect(r.decide().start).toHaveLength(10)
    expect(r.decide().start).toEqual([])
  })

  it('one that falls silent frees its slot, and is counted by maxUnreachable', () => {
    const r = plain({ maxUnavailable: 2, maxUnreachable: 1 }, named(6, { fate: 'Running' }))
    r.decide()
    const [first, second] = inFlight(r)
    becomes(r, first!, 'Silent')
    expect(r.decide().start).toHaveLength(1)
    expect(r.last!.budgets.maxUnavailable).toEqual({ used: 2, max: 2 })
    becomes(r, second!, 'Silent')
    expect(r.decide()).toMatchObject({ phase: 'Waiting', start: [] })
    expect(r.reasons()).toContain('TooManyUnreachable')
    // Back, it is in flight as before: the room that it had is in use.
    becomes(r, first!, 'Running')
    expect(r.decide().start).toEqual([])
  })

  it('percentages: of failures down to none, of those beside pinned ones of what is left', () => {
    expect(
      run([unit('x', { ...RUNNING, failure: 'broken' }), ...many(9, OLD)], {}, { maxFailed: '5%' }).phase,
    ).toBe('Halted')
    const hold = { action: 'Pin' as const, by: 'h', revision: BEFORE }
    const r = plain({ maxUnavailable: '10%' }, named(120, { fate: 'Running' }))
    for (const c of [...r.members.keys()].slice(0, 7)) r.members.get(c)!.hold = hold
    expect(r.decide().start).toHaveLength(11)
    expect(r.last!.budgets.maxUnavailable).toEqual({ used: 11, max: 11 })
    expect(r.last!.counters).toMatchObject({ total: 120, pinned: 7 })
    // What is released goes where the others go, in their number.
    for (const m of r.members.values()) m.hold = undefined
    expect(r.decide().start).toHaveLength(1)
    expect(r.last!.budgets.maxUnavailable).toEqual({ used: 12, max: 12 })
  })

  it('ten thousand whose content stays are only verified again: no slot, stage or window, but their gates', () => {
    const shut = { action: 'Deny' as const, schedule: '* * * * *', durationSeconds: 120 }
    const stages = [{ name: 'canary', clusters: ['c000'], approvalBefore: 'Required' as const }]
    const units = many(10_000, { ...OLD, sameContent: true })
    units[1] = unit('c001', {
      ...OLD,
      sameContent: true,
      gate,
    })
    const out = run(units, {}, { strategy: 'Staged', stages, windows: [shut], maxUnavailable: 1 })
    expect(out.start).toHaveLength(9999)
    expect(new Set(out.start.map((s) => s.kind))).toEqual(new Set(['VerifyOnly']))
    expect(out).toMatchObject({
      ledger: [],
      budgets: { maxUnavailable: { used: 0 } },
      counters: { blocked: 1 },
    })
  })
})

describe('failures', () => {
  const six = (policy: Partial<RolloutPolicy> = {}) => {
    const r = plain({ maxUnavailable: 6, ...policy }, named(20, { fate: 'Running' }))
    r.decide()
    return r
  }

  it('one of six in flight: the others finish, nobody starts, until a retry counts from nothing', () => {
    const r = six()
    const [bad, ...others] = inFlight(r)
    becomes(r, bad!, 'Failed')
    expect(r.decide()).toMatchObject({ phase: 'Halted', haltedAt: NEW, start: [] })
    for (const c of others) becomes(r, c, 'Done')
    expect(r.decide()).toMatchObject({ phase: 'Halted', start: [], counters: { ready: 5, failed: 1 } })
    becomes(r, bad!, 'Running')
    r.over = { retry: true }
    expect(r.decide().retried).toBe(true)
    r.over = {}
    expect(r.last!.start).toHaveLength(5)
    expect(r.decide()).toMatchObject({ phase: 'Progressing', failed: [], haltedAt: undefined })
  })

  it('with Continue they are named, and the rest gets there, through all stages', () => {
    const stages = [
      { name: 'canary', clusters: ['c000', 'c001', 'c002', 'c003'] },
      { name: 'rest', clusterSelector: {} },
    ]
    const r = new Rehearsal({ stages, onFailure: 'Continue' }, named(20))
    const bad = ['c001', 'c005', 'c007', 'c011', 'c013']
    for (const c of bad) becomes(r, c, 'Failed')
    r.settle()
    expect(r.last).toMatchObject({ phase: 'CompletedWithFailures', counters: { ready: 15, failed: 5 } })
    expect(r.last!.failed.map((f) => f.cluster)).toEqual(bad)
    expect(r.last!.stages.map((s) => [s.done, s.failed])).toEqual([
      [3, 1],
      [12, 4],
    ])
    for (const c of bad) becomes(r, c, 'Done')
    expect(r.decide()).toMatchObject({ phase: 'Complete', failed: [] })
  })

  it('a canary that fails in its soak, with onFailure: Rollback: halted for whoever leads it back', () => {
    const stages = [{ name: 'canary', clusters: ['c000'], soakSeconds: 7200 }]
    const r = new Rehearsal({ stages, onFailure: 'Rollback' }, named(3))
    r.settle()
    r.decide(3000)
    becomes(r, 'c000', 'Running')
    r.decide(1)
    r.decide(1)
    expect(r.decide(1800)).toMatchObject({ phase: 'Halted', haltedAt: NEW })
  })
})

it('a later stage names the units that it waits for, failed ones first', () => {
  const stages = [{ name: 'canary', clusters: ['c000', 'c001'] }]
  const r = new Rehearsal({ stages, maxFailed: 2 }, named(3, { fate: 'Running' }))
  becomes(r, 'c001', 'Failed')
  r.decide()
  r.decide(60)
  const pending = r.last!.blockers.find((b) => b.reason === 'StagePending')
  expect(pending?.on?.map((ref) => ref.cluster)).toEqual([undefined, 'c001', 'c000'])
})

describe('who comes and goes', () => {
  const CANARY = [{ name: 'canary', clusters: ['c000', 'late'], soakSeconds: 60 }]

  it('who joins before its stage opens, and nothing was ever complete, waits', () => {
    const r = new Rehearsal({ stages: CANARY }, named(2))
    r.settle()
    r.add('x', {}, undefined)
    expect(r.decide().start).toEqual([])
    expect(r.last!.blockers.find((b) => b.reason === 'StagePending')).toMatchObject({
      facts: { waiting: 2 },
    })
    r.over = { lastComplete: BEFORE }
    expect(r.decide().start).toEqual([{ cluster: 'x', kind: 'Install', revision: BEFORE }])
  })

  it('who joins a stage that was passed gets the target as soon as there is a slot', () => {
    const r = new Rehearsal({ stages: CANARY, maxUnavailable: 8 }, named(9, { fate: 'Running' }))
    becomes(r, 'c000', 'Done')
    r.settle()
    r.decide(60)
    expect(inFlight(r)).toHaveLength(8)
    r.add('late', { fate: 'Running' }, undefined)
    r.over = { lastComplete: BEFORE }
    expect(r.decide().start).toEqual([])
    becomes(r, inFlight(r)[0]!, 'Done')
    expect(r.decide().start).toEqual([{ cluster: 'late', kind: 'Install', revision: NEW }])
    expect(r.last!.budgets.maxUnavailable).toEqual({ used: 8, max: 8 })
  })

  it('who leaves in flight is in no total any more, and changes no verdict', () => {
    const units = [unit('a', { ...RUNNING, selected: false }), unit('b', DONE), ...many(8, OLD)]
    const before = run(
      [unit('a', RUNNING), ...units.slice(1)],
      { ledger: [entry('a')] },
      { maxUnavailable: '10%' },
    )
    const out = run(units, { ledger: [entry('a')] }, { maxUnavailable: '10%' })
    expect([before.counters.total, out.counters.total]).toEqual([10, 9])
    expect([before.phase, out.phase]).toEqual(['Progressing', 'Progressing'])
    expect(out.start).toEqual([{ cluster: 'a', kind: 'Remove', revision: undefined }])
  })

  it('a tenth of a thousand stays the same hundred: after a restart, and when five join', () => {
    const stages = [
      { name: 'tenth', size: '10%' },
      { name: 'rest', clusterSelector: {} },
    ]
    const order = (i: number): string => String((i * 7919) % 1009).padStart(4, '0')
    const units = Array.from({ length: 1000 }, (_, i) => unit(`c${i}`, { ...OLD, order: order(i) }))
    const policy = { strategy: 'Staged' as const, stages, maxUnavailable: '100%' }
    const first = run(units, {}, policy)
    expect(first.stages[0]).toMatchObject({ name: 'tenth', total: 100 })
    const members = first.start.map((s) => s.cluster).sort()
    expect(members).toHaveLength(100)
    // All that is stored, and nothing else: another process, five clusters later, of which two are below the cut.
    const joined = Array.from({ length: 5 }, (_, i) =>
      unit(`n${i}`, { ...OLD, order: i < 2 ? '0000' : '9999' }),
    )
    const then = run([...joined, ...units].reverse(), { stages: first.stages }, policy)
    expect(then.start.map((s) => s.cluster).sort()).toEqual([...members, 'n0', 'n1'])
    expect(then.stages[0]).toMatchObject({ total: 102, cut: first.stages[0]!.cut })
  })
})

it('what ran longest is remembered where there is room for five hundred', () => {
  const units = many(600, DONE)
  const again = units.map((u, i) => entry(u.cluster, { again: true, runSeconds: i % 2 === 0 ? 7 : i + 10 }))
  const waiting = unit('x', at('v1:1'))
  const { ran } = run([...units, waiting], { ledger: again }, { strategy: 'Replace' })
  expect(ran.size).toBe(500)
  expect([...ran].filter(([, s]) => s > 7)).toHaveLength(300)
  expect([...ran.keys()]).toEqual([...ran.keys()].sort())
  expect(run(units, { ran, completedAt: 'v1:2' }).ran.size).toBe(0)
})

describe('batches', () => {
  const batched = (n: number, size: string | number, minClusters = 200): Rehearsal =>
    plain({ strategy: 'Staged', batches: { size, minClusters } }, named(n))
  const sizes = (r: Rehearsal): [string, number][] => r.last!.stages.map((s) => [s.name, s.total])

  it('stay as many as the rollout has begun with, decision for decision, also once it is complete', () => {
    const r = batched(400, '25%')
    const four = ['batch-1', 'batch-2', 'batch-3', 'batch-4'].map((name) => [name, 100])
    for (let done = 0; done < 400; done += 100) {
      const before = new Set([...r.at].filter(([, at]) => at === NEW).map(([name]) => name))
      expect(r.decide().start).toHaveLength(100)
      expect(sizes(r)).toEqual(four)
      // Each is under way alone: nobody of the next one starts before all of it is done.
      const fresh = r.started.slice(-100)
      expect([before.size, fresh.some((c) => before.has(c))]).toEqual([done, false])
      for (const c of fresh) becomes(r, c, 'Running')
      expect(r.decide().start).toEqual([])
      for (const c of fresh.slice(1)) becomes(r, c, 'Done')
      expect([r.decide().start, sizes(r)]).toEqual([[], four])
      becomes(r, fresh[0]!, 'Done')
    }
    expect(r.decide()).toMatchObject({ phase: 'Complete', start: [] })
    const { stages } = r.last!
    for (let i = 0; i < 3; i++) expect(r.decide().stages).toEqual(stages)
  })

  it('a fleet that grows or shrinks meanwhile keeps them; a small one is no batch', () => {
    const r = batched(200, '50%')
    r.decide()
    for (const c of r.started) becomes(r, c, 'Running')
    for (const c of ['c000', 'c001', 'c198', 'c199']) r.members.delete(c)
    expect(r.decide().stages.map((s) => s.name)).toEqual(['batch-1', 'batch-2'])
    const small = batched(199, '50%')
    small.decide()
    expect(sizes(small)).toEqual([['all', 199]])
  })
})

it('what is left of clusters that are gone takes no room of maxSurge', () => {
  const gone = ['Absent', 'Absent', 'Deleting'] as const
  const left = gone.map((clusterState, i) => unit(`g${i}`, { ...DONE, clusterState }))
  const leaver = unit('old', { ...DONE, selected: false, dependants: gate })
  const fleet = [...left, leaver, unit('there', DONE), unit('new')]
  expect(run(fleet, {}, { strategy: 'Replace', maxSurge: 1 }).start.map((s) => s.cluster)).toEqual(['new'])
  // Who leaves in silence has its content still.
  const silent = unit('older', { ...DONE, selected: false, clusterState: 'Unreachable' })
  const { start, blockers } = run([...fleet, silent], {}, { strategy: 'Replace', maxSurge: 1 })
  expect([start, blockers[0]!.message]).toEqual([
    [],
    'rollout limit reached (maxSurge 3/3): 1 cluster queued',
  ])
})
