import { describe, expect, it } from 'vitest'
import { blocked } from '../../api/blocker.ts'
import { type EnvironmentRule, environmentRevisionOf, lostTargets, settle } from './environmentrevision.ts'
import { failing } from './promotion.cases.ts'
import { targetObjectRef } from './promotionref.ts'
import { type TargetState, targetStateOf } from './targetstate.ts'

const app = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' }
const rule: EnvironmentRule = { name: 'prod', minReady: 'All', soakSeconds: 0 }

const target = (cluster: string, at: Partial<TargetState> = {}): TargetState => ({
  namespace: 'prod',
  cluster,
  state: 'Ready',
  revision: '6.0.1',
  release: undefined,
  ref: targetObjectRef(app, { namespace: 'prod', cluster }),
  blocker: undefined,
  ...at,
})
const unready = (cluster: string): TargetState => target(cluster, { state: 'Unready', blocker: failing })
const unreadable = (cluster: string, lastRevision?: string): TargetState =>
  targetStateOf(
    { appRef: app, revisionExpr: undefined },
    { namespace: 'prod', cluster },
    { type: 'Unreadable', why: { because: 'NoAnswer' }, namespace: 'platform', lastRevision },
    0,
  )

const reasons = (r: EnvironmentRule, targets: TargetState[]) => {
  const level = environmentRevisionOf(r, app, targets)
  return level.type === 'At' ? level.revision : level.blockers.map((b) => b.reason)
}

describe('an environment is at a revision', () => {
  it('where all its targets are ready at it', () => {
    expect(reasons(rule, [target('eu'), target('us')])).toBe('6.0.1')
    expect(reasons(rule, [target('eu'), unready('us')])).toEqual(['TargetNotReady'])
    expect(reasons(rule, [target('eu'), unreadable('us')])).toEqual(['TargetUnreachable'])
    expect(reasons(rule, [])).toEqual(['TargetNotReady'])
  })

  it('two revisions are none, and both groups are named', () => {
    const level = environmentRevisionOf(rule, app, [
      target('eu'),
      target('us', { revision: '6.0.0' }),
      target('asia'),
    ])
    expect(level).toMatchObject({
      blockers: [
        {
          reason: 'RevisionsDiffer',
          message:
            'targets of environment prod differ: prod/podinfo on eu and prod/podinfo on asia at 6.0.1; prod/podinfo on us at 6.0.0',
        },
      ],
    })
  })

  it('minReady forgives what nobody can read, and nothing else', () => {
    const two: EnvironmentRule = { ...rule, minReady: 2 }
    expect(reasons(two, [target('a'), target('b'), unreadable('c')])).toBe('6.0.1')
    expect(reasons(two, [target('a'), unreadable('b'), unreadable('c')])).toContain('TargetUnreachable')
    expect(reasons(two, [target('a'), target('b'), unready('c')])).toEqual(['TargetNotReady'])
    expect(reasons(two, [target('a'), target('b'), target('c', { revision: '6.0.0' })])).toEqual([
      'RevisionsDiffer',
    ])
  })

  it('those out of reach count once the others are fewer than minReady, ready or not', () => {
    const lost = (minReady: EnvironmentRule['minReady'], ...targets: TargetState[]) =>
      lostTargets({ minReady }, targets).length
    expect(lost('All', target('a'), unreadable('b'))).toBe(1)
    expect(lost(2, target('a'), unready('b'), unreadable('c'))).toBe(0)
    expect(lost(2, target('a'), unreadable('b'), unreadable('c'))).toBe(2)
    expect(lost(5, target('a'), unreadable('b'))).toBe(1)
    expect(lost(5, target('a'), unready('b'))).toBe(0)
  })

  it('what was read last of a target that is out of reach is not used, and that is said', () => {
    const level = environmentRevisionOf(rule, app, [target('eu'), unreadable('us', '6.0.0')])
    expect(level).toMatchObject({
      blockers: [
        {
          on: [
            { kind: 'Object', cluster: 'us' },
            { kind: 'Cluster', name: 'us', namespace: 'platform' },
          ],
          message:
            'HelmRelease prod/podinfo on us is unreachable: cluster us: no answer; last revision 6.0.0 does not count',
        },
      ],
    })
  })
})

describe('a revision settles', () => {
  const AT = Date.parse('2026-11-23T12:00:00Z')
  const at = (revision: string) => ({ type: 'At', revision, release: undefined }) as const
  const notReady = blocked('TargetNotReady', [], { because: 'NoTarget', environment: 'prod' })
  const not = { type: 'Not', blockers: [notReady] } as const
  const free = () => undefined

  it('at once where it needs no soak', () => {
    expect(settle({ rule, level: at('v2'), before: {}, unproven: free, nowMs: AT })).toEqual({
      settled: { revision: 'v2', at: '2026-11-23T12:00:00Z' },
      candidate: undefined,
      blockers: [],
      wakeAtMs: undefined,
    })
  })

  it('after being ready without a break for its soak', () => {
    const soaking: EnvironmentRule = { ...rule, soakSeconds: 300 }
    const first = settle({ rule: soaking, level: at('v2'), before: {}, unproven: free, nowMs: AT })
    expect(first).toMatchObject({ settled: undefined, candidate: { revision: 'v2' }, wakeAtMs: AT + 300_000 })
    const broken = settle({ rule: soaking, level: not, before: first, unproven: free, nowMs: AT + 200_000 })
    expect(broken.candidate).toBeUndefined()
    const again = settle({
      rule: soaking,
      level: at('v2'),
      before: broken,
      unproven: free,
      nowMs: AT + 310_000,
    })
    expect(again.settled).toBeUndefined()
    const done = settle({
      rule: soaking,
      level: at('v2'),
      before: again,
      unproven: free,
      nowMs: AT + 610_000,
    })
    expect(done.settled).toMatchObject({ revision: 'v2' })
  })

  it('and stays settled while its targets fail, move on or cannot be read', () => {
    const settled = { revision: 'v2', at: '2026-11-23T11:00:00Z' }
    expect(settle({ rule, level: not, before: { settled }, unproven: free, nowMs: AT }).settled).toBe(settled)
    const held = () => blocked('Held', [{ kind: 'Hold', name: 'h' }], { action: 'Suspend' })
    const moved = settle({ rule, level: at('v3'), before: { settled }, unproven: held, nowMs: AT })
    expect(moved).toMatchObject({ settled, blockers: [{ reason: 'Held' }] })
  })
})
