import { describe, expect, it } from 'vitest'
import {
  type Fate,
  NEW,
  OLD,
  Rehearsal,
  type RehearsalMember,
} from '../../../../../test/arbitrary/rehearsal.ts'
import type { RolloutPolicy, StagePolicy } from './policy.ts'

const CANARY = { tier: 'canary' }
const canary = (over: Partial<StagePolicy> = {}): StagePolicy => ({
  name: 'canary',
  clusterSelector: { matchLabels: CANARY },
  ...over,
})
const REST: StagePolicy = { name: 'rest', clusterSelector: {} }

/** c1 and c2 are canaries, r1 to r8 the rest. */
const ten = (): Record<string, RehearsalMember> => ({
  ...Object.fromEntries(['c1', 'c2'].map((n) => [n, { labels: CANARY }])),
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`r${i + 1}`, {}])),
})

const rehearse = (first: Partial<StagePolicy> = {}, over: Partial<RolloutPolicy> = {}): Rehearsal =>
  new Rehearsal({ stages: [canary(first), REST], ...over }, ten())

const fate = (r: Rehearsal, name: string, to: Fate): void => {
  r.members.get(name)!.fate = to
}

describe('a stage opens when the one before it is complete', () => {
  it('all of it done, and nothing else asked for', () => {
    const r = rehearse()
    expect(r.decide().start.map((s) => s.cluster)).toEqual(['c1', 'c2'])
    expect(r.last).toMatchObject({ phase: 'Progressing', stage: 'canary' })
    expect(r.last!.blockers).toContainEqual({
      reason: 'StagePending',
      on: expect.arrayContaining([{ kind: 'Module', name: 'web' }]),
      facts: { stage: 'rest', after: 'canary', waiting: 8 },
      message: 'stage rest opens after stage canary: 8 clusters queued',
      count: 8,
    })
    expect(r.settle()).toHaveLength(8)
    expect(r.last).toMatchObject({ phase: 'Complete', stage: undefined })
  })

  it('soak and approval, in any order', () => {
    for (const isEarly of [true, false]) {
      const r = rehearse({ soakSeconds: 3600, approval: 'Required' })
      r.settle()
      expect(r.reasons()).toEqual(['Soaking', 'AwaitingApproval', 'StagePending'])
      expect(r.last!.blockers.map((b) => b.message)).toEqual([
        'stage canary soaking: 0s of 1h',
        'stage canary waits for approval: lockstep rollout approve web --stage canary',
        'stage rest opens after stage canary: 8 clusters queued',
      ])
      if (isEarly) r.approve('canary')
      expect(r.decide(3599).start).toEqual([])
      expect(r.decide(1).start).toHaveLength(isEarly ? 8 : 0)
      if (isEarly) continue
      r.approve('canary')
      expect(r.decide(0).start).toHaveLength(8)
      expect(r.last!.stages[0]).toMatchObject({ approvedBy: 'ann', soakSeconds: 3600 })
    }
  })

  it('a soak begins anew when a member is not well any more; one that joins does not stop it', () => {
    const r = rehearse({ soakSeconds: 3600 })
    r.settle()
    r.decide(3000)
    r.add('c3', { labels: CANARY, fate: 'Running' }, undefined)
    expect(r.decide(300).start.map((s) => [s.cluster, s.kind])).toEqual([['c3', 'Install']])
    expect(r.last!.stages[0]).toMatchObject({ soakSeconds: 3300 })
    fate(r, 'c1', 'Running')
    r.decide(1)
    expect(r.last!.stages[0]!.soakSeconds).toBeUndefined()
    fate(r, 'c1', 'Done')
    fate(r, 'c3', 'Done')
    r.decide(1)
    expect(r.decide(3599).start).toEqual([])
    expect(r.decide(1).start).toHaveLength(8)
  })

  it('a soak that is taken back in its first second is over, and nothing is left to be waited for', () => {
    const r = rehearse({ soakSeconds: 3600, approval: 'Required' })
    // So much is the hub's time in doubt: by that below nothing it begins (ADR 0044).
    r.over = { lateMs: 800 }
    r.settle()
    expect(r.last).toMatchObject({ wakeInMs: 30_000, changesInMs: 3_600_800 })
    r.policy = { ...r.policy, stages: [canary({ approval: 'Required' }), REST] }
    r.decide()
    expect(r.reasons()).toEqual(['AwaitingApproval', 'StagePending'])
    expect(r.last!.wakeInMs).toBeUndefined()
    r.approve('canary')
    expect(r.decide().start).toHaveLength(8)
  })

  it('a soak that is asked for only when all are done is no shorter than others', () => {
    const r = rehearse({ approval: 'Required' })
    r.over = { lateMs: 800 }
    r.settle()
    expect(r.reasons()).toEqual(['AwaitingApproval', 'StagePending'])
    expect(r.last!.wakeInMs).toBeUndefined()
    r.policy = { ...r.policy, stages: [canary({ soakSeconds: 20 }), REST] }
    r.decide()
    expect(r.reasons()).toEqual(['Soaking', 'StagePending'])
    expect(r.last!.wakeInMs).toBe(20_800)
  })

  it('while nobody is in it nothing soaks: who is let go of by a Hold proves it from then on', () => {
    const r = new Rehearsal({ stages: [canary({ soakSeconds: 60 }), REST], maxUnavailable: 1 }, ten())
    const pin = { action: 'Pin', by: 'h1', revision: NEW } as const
    for (const name of ['c1', 'c2']) {
      r.at.set(name, NEW)
      r.members.get(name)!.hold = pin
    }
    fate(r, 'r1', 'Running')
    for (let i = 0; i < 5; i++) r.decide(10)
    expect(r.last!.stages[0]).toMatchObject({ total: 0, completedAt: expect.any(String) })
    const begun = r.started.length
    for (const name of ['c1', 'c2']) r.members.get(name)!.hold = undefined
    expect(r.decide(1).stages[0]).toMatchObject({ total: 2, done: 2, soakSeconds: 0 })
    expect(r.reasons()).toContain('Soaking')
    r.decide(59)
    expect(r.started.length).toBe(begun)
    expect(r.decide(1).stages[0]).toMatchObject({ soakSeconds: 60, completedAt: expect.any(String) })
  })

  it('a canary that fails in its soak and stays so fails at its deadline', () => {
    const r = rehearse({ soakSeconds: 7200 })
    r.settle()
    r.decide(3000)
    fate(r, 'c1', 'Running')
    r.decide(1)
    expect(r.last!.ledger).toMatchObject([{ cluster: 'c1', stage: 'canary' }])
    r.decide(1)
    r.decide(1799)
    expect(r.last!.phase).not.toBe('Halted')
    r.decide(2)
    expect(r.last).toMatchObject({ phase: 'Halted', haltedAt: NEW })
    expect(r.last!.failed).toEqual([
      {
        cluster: 'c1',
        message: 'ProgressDeadlineExceeded: deploying for 1801s, progressDeadlineSeconds 1800',
      },
    ])
  })

  it('one that is well and not well by turns fails, too: what it has run is not forgotten', () => {
    const r = rehearse({ soakSeconds: 7200 })
    r.settle()
    for (let i = 1; i <= 6; i++) {
      fate(r, 'c1', 'Running')
      r.decide(1)
      r.decide(1)
      expect(r.decide(299)).toMatchObject({ phase: 'Progressing', failed: [] })
      fate(r, 'c1', 'Done')
      expect(r.decide(1).ledger).toEqual([])
      expect([...r.last!.ran]).toEqual([['c1', 299 * i]])
    }
    fate(r, 'c1', 'Running')
    r.decide(1)
    r.decide(1)
    r.decide(6)
    expect(r.last).toMatchObject({ phase: 'Halted', haltedAt: NEW, ran: new Map() })
    expect(r.last!.failed[0]!.message).toBe(
      'ProgressDeadlineExceeded: deploying for 1800s, progressDeadlineSeconds 1800',
    )
  })

  it('silent canaries prove nothing', () => {
    const r = rehearse({}, { maxUnreachable: '50%' })
    for (const n of ['c1', 'c2']) fate(r, n, 'Silent')
    expect(r.settle()).toEqual(['c1', 'c2'])
    expect(r.reasons()).toContain('StageInconclusive')
    fate(r, 'c1', 'Done')
    expect(r.settle()).toHaveLength(8)
  })

  it('blocked clusters hold no slot, and hold up the next stage', () => {
    const r = rehearse()
    r.members.get('c1')!.blocked = true
    expect(r.settle()).toEqual(['c2'])
    expect(r.last).toMatchObject({ phase: 'Waiting', stage: 'canary', ledger: [] })
    r.members.get('c1')!.blocked = false
    expect(r.settle()).toHaveLength(9)
  })

  it('paused ones hold up nobody', () => {
    const r = rehearse()
    r.members.get('c1')!.hold = { action: 'Pause', by: 'mine' }
    expect(r.settle()).toHaveLength(9)
    expect(r.last).toMatchObject({ phase: 'Complete', counters: { paused: 1, ready: 9 } })
    const facts = { action: 'Pause', target: 'web' }
    const held = { reason: 'Held', on: [{ kind: 'Hold', name: 'mine' }], facts }
    expect(r.last!.blockers).toEqual([
      { ...held, message: 'paused by Hold mine', count: 1, clusters: ['c1'] },
    ])
  })
})

describe('approvals', () => {
  it('for another revision do not count, and that is said', () => {
    const r = rehearse({ approval: 'Required' })
    r.approve('canary', { revisionHash: OLD })
    r.settle()
    expect(r.last!.blockers[0]).toMatchObject({
      reason: 'ApprovalForOtherRevision',
      on: [{ kind: 'Approval', name: 'a1' }],
      facts: { stage: 'canary', approved: '1', revision: '2' },
      message: expect.stringContaining('Approval a1 approves 1, not 2'),
    })
  })
  it('taken back before the stage has passed are not there; later that means nothing', () => {
    const r = rehearse({ approval: 'Required', soakSeconds: 60 })
    r.settle()
    r.approve('canary')
    r.decide(1)
    r.approvals.pop()
    expect(r.decide(60).start).toEqual([])
    r.approve('canary')
    for (const m of r.members.values()) if (m.labels !== CANARY) m.fate = 'Running'
    r.policy = { ...r.policy, maxUnavailable: 4 }
    expect(r.decide(0).start).toHaveLength(4)
    r.approvals.pop()
    fate(r, 'r1', 'Done')
    expect(r.decide(1)).toMatchObject({ withdraw: [], stages: [{ approvedBy: 'ann' }, { done: 1 }] })
    expect([...new Set(r.last!.start.map((s) => s.cluster))]).toHaveLength(1)
  })
  it('before a stage: it begins with them, and goes on without', () => {
    const r = rehearse({ approvalBefore: 'Required' }, { maxUnavailable: 1 })
    expect(r.settle()).toEqual([])
    expect(r.last!.blockers[0]).toMatchObject({
      reason: 'AwaitingApproval',
      facts: { stage: 'canary', point: 'Before' },
      message: 'stage canary waits for approval: lockstep rollout approve web --stage canary --before',
    })
    r.approve('canary', { point: 'Before' })
    expect(r.decide().start).toHaveLength(1)
    r.approvals.pop()
    expect(r.settle()).toHaveLength(9)
  })
  it('are asked for in a stage that nobody is in', () => {
    const r = new Rehearsal({ stages: [canary({ approval: 'Required', soakSeconds: 60 }), REST] }, { r1: {} })
    expect(r.settle()).toEqual([])
    expect(r.reasons()).toEqual(['AwaitingApproval', 'StagePending'])
    r.approve('canary')
    expect(r.settle()).toEqual(['r1'])
  })
})

describe('gateExpr', () => {
  it.each([
    ["stage.failed == 0 && units.all(u, u.state == 'Done')", undefined],
    ['stage.done == 1', 'stage canary: gateExpr is false: stage.done == 1'],
    ["units[7].name == 'x'", expect.stringContaining("stage canary: gateExpr units[7].name == 'x' failed: ")],
    ['stage.nowhere == 1', expect.stringContaining('undefined field')],
  ])('%s', (gateExpr, says) => {
    const r = rehearse({ gateExpr })
    expect(r.settle()).toHaveLength(says === undefined ? 10 : 2)
    const found = r.last!.blockers.find((b) => b.reason === 'StageGate')
    expect(found?.message).toEqual(says)
  })
})

describe('failures', () => {
  it('beyond maxFailed of a stage halt the rollout', () => {
    const r = rehearse({ maxFailed: 0 }, { maxFailed: 5 })
    fate(r, 'c1', 'Failed')
    expect(r.settle()).toEqual(['c1', 'c2'])
    expect(r.last).toMatchObject({ phase: 'Halted' })
  })
  it('with Continue hold up no stage; in the end that is said', () => {
    const r = rehearse({}, { onFailure: 'Continue' })
    for (const n of ['c1', 'r1', 'r2']) fate(r, n, 'Failed')
    expect(r.settle()).toHaveLength(10)
    expect(r.last).toMatchObject({ phase: 'CompletedWithFailures', counters: { ready: 7, failed: 3 } })
    for (const n of ['c1', 'r1', 'r2']) fate(r, n, 'Done')
    r.decide()
    expect(r.last).toMatchObject({ phase: 'Complete' })
  })

  it('with Continue, of all: it has ended, and is nothing to go back to', () => {
    const r = rehearse({}, { onFailure: 'Continue', maxFailed: '100%' })
    for (const m of r.members.values()) m.fate = 'Failed'
    expect(r.settle()).toHaveLength(10)
    expect(r.last).toMatchObject({ phase: 'CompletedWithFailures', counters: { ready: 0, failed: 10 } })
  })

  it('at an earlier revision keep nobody from starting: their own stage may be a later one', () => {
    const r = rehearse({}, { maxUnavailable: 1 })
    fate(r, 'r1', 'Broken')
    expect(r.decide().start.map((s) => s.cluster)).toEqual(['c1'])
    r.settle()
    expect(r.last).toMatchObject({ phase: 'Complete' })
  })
})

describe('budgets of a stage', () => {
  it('maxConcurrency, within what the module allows', () => {
    const rest = { ...REST, maxConcurrency: '25%' }
    const r = new Rehearsal({ stages: [rest], maxUnavailable: 5 }, ten())
    for (const m of r.members.values()) m.fate = 'Running'
    expect(r.decide().start).toHaveLength(2)
    expect(r.last!.blockers[0]).toMatchObject({
      facts: { limit: 'maxConcurrency', stage: 'rest', used: 2, max: 2 },
      message: expect.stringContaining('maxConcurrency of stage rest 2/2'),
    })
    r.policy = { ...r.policy, stages: [REST] }
    expect(r.decide().start).toHaveLength(3)
    expect(r.last!.budgets.maxUnavailable).toEqual({ used: 5, max: 5 })
  })
  it('maxNew counts first deliveries', () => {
    const r = new Rehearsal({ stages: [REST], maxNew: 1 }, ten())
    for (const n of ['n1', 'n2', 'n3']) r.add(n, { fate: 'Running' }, undefined)
    const kinds = r.decide().start.map((s) => s.kind)
    expect([kinds.filter((k) => k === 'Update').length, kinds.filter((k) => k === 'Install').length]).toEqual(
      [10, 1],
    )
  })
})

describe('windows', () => {
  const windows = [
    { action: 'Allow' as const, schedule: '0 22 * * 1-5', durationSeconds: 7200, timeZone: 'Europe/Berlin' },
  ]
  it('stop starts; what is under way finishes', () => {
    const r = rehearse({}, { windows, maxUnavailable: 1 })
    r.nowMs = Date.parse('2026-11-23T20:00:00Z')
    expect(r.settle()).toEqual([])
    expect(r.last!.blockers[0]).toEqual({
      reason: 'WindowClosed',
      on: [{ kind: 'Time', name: '2026-11-23T22:00:00+01:00' }],
      facts: { opens: '2026-11-23T22:00:00+01:00', waiting: 2 },
      message: 'window closed, opens 2026-11-23T22:00:00+01:00; 2 clusters queued',
      count: 2,
    })
    expect(r.last!.wakeInMs).toBe(3_600_000)
    fate(r, 'c1', 'Running')
    expect(r.decide(3600).start.map((s) => s.cluster)).toEqual(['c1'])
    fate(r, 'c1', 'Done')
    r.decide(7200)
    expect(r.last).toMatchObject({ ledger: [], counters: { ready: 1 } })
  })
  it('of a stage stop that one; one that cannot be read says so, and stays closed', () => {
    const r = rehearse({}, { stages: [canary(), { ...REST, windows }] })
    expect(r.settle()).toHaveLength(2)
    expect(r.last!.blockers.map((b) => [b.reason, b.count])).toEqual([['WindowClosed', 8]])
    expect(r.last!.blockers[0]!.message).toMatch(/^stage rest: window closed, opens /)
    r.policy = {
      ...r.policy,
      stages: [canary(), { ...REST, windows: [{ ...windows[0]!, schedule: '61 * * * *' }] }],
    }
    expect(r.decide().start).toEqual([])
    expect(r.last!.blockers[0]!.message).toMatch(/^stage rest: window is invalid: .*minute/)
  })

  it('clocks that disagree keep them closed', () => {
    const r = rehearse({}, { windows })
    r.nowMs = Date.parse('2026-11-23T21:30:00Z')
    r.over = { skewMs: 45_000 }
    expect(r.settle()).toEqual([])
    expect(r.last!.blockers[0]).toMatchObject({
      reason: 'ClockSkew',
      count: 2,
      facts: { skew: 'Ahead', by: '45s', limit: '30s', waiting: 2 },
    })
    expect(r.last!.blockers[0]!.message).toContain('the clock of the controller is 45s ahead of the hub')
  })
})

describe('a newer revision', () => {
  it('begins with the canaries; what the old one has begun elsewhere is finished first, and moves on in its stage', () => {
    const r = rehearse({ soakSeconds: 60 }, { maxUnavailable: 3 })
    r.settle()
    for (const n of ['r1', 'r2', 'r3']) fate(r, n, 'Running')
    expect(r.decide(60).start.map((s) => s.cluster)).toEqual(['r1', 'r2', 'r3'])
    r.target = { revision: 'v1:3', bundle: 'v1:b3' }
    r.over = { stages: [], completedAt: undefined }
    // Their slots are taken: the canaries wait for one.
    expect(r.decide().start).toEqual([])
    expect(r.last!.withdraw).toEqual([])
    r.members.get('r1')!.fate = 'Done'
    expect(r.decide().start.map((s) => s.cluster)).toContain('c1')
  })
})

it('clusters that are still to come prove nothing, and do not hold up a stage that others have proven', () => {
  const r = rehearse()
  for (const n of ['c1', 'c2']) r.members.set(n, { labels: CANARY, clusterState: 'Provisioning' })
  expect(r.settle()).toEqual([])
  expect(r.reasons()).toEqual(['StageInconclusive', 'StagePending'])
  r.members.set('c1', { labels: CANARY })
  expect(r.settle()).toHaveLength(9)
  expect(r.last!.phase).toBe('Complete')
})
