/** Clusters whose labels change while a rollout goes on. */
import { describe, expect, it } from 'vitest'
import { OLD, Rehearsal, type RehearsalMember } from '../../../../../test/arbitrary/rehearsal.ts'
import type { StagePolicy } from './policy.ts'

const CANARY = { tier: 'canary' }
const canary = (over: Partial<StagePolicy>): StagePolicy => ({
  name: 'canary',
  clusterSelector: { matchLabels: CANARY },
  ...over,
})

/** c1 and c2 are canaries, r1 to r8 the rest. */
const ten = (): Record<string, RehearsalMember> => ({
  ...Object.fromEntries(['c1', 'c2'].map((n) => [n, { labels: CANARY }])),
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`r${i + 1}`, {}])),
})

const rehearse = (first: Partial<StagePolicy>): Rehearsal =>
  new Rehearsal({ stages: [canary(first), { name: 'rest', clusterSelector: {} }] }, ten())

describe('labels that change', () => {
  it('who was started stays where it was counted: a canary that is relabelled soaks on', () => {
    const r = rehearse({ soakSeconds: 3600 })
    r.settle()
    r.decide(100)
    for (const name of ['c1', 'c2']) Object.assign(r.members.get(name)!, { labels: {} })
    r.add('r1', { labels: CANARY }, OLD)
    // What has not been started moves with its labels.
    expect(r.decide(1).start.map((s) => s.cluster)).toEqual(['r1'])
    expect(r.last!.stages.map((s) => [s.name, s.total])).toEqual([
      ['canary', 3],
      ['rest', 7],
    ])
    r.decide(1)
    expect(r.last).toMatchObject({ stage: 'canary', start: [] })
    expect(r.decide(3600).start).toHaveLength(7)
  })

  it('who was started in no stage stays in none, whatever its labels become', () => {
    const r = new Rehearsal({ stages: [canary({ approval: 'Required' })] }, ten())
    r.settle()
    r.approve('canary')
    r.settle()
    expect(r.last!.stages.map((s) => [s.name, s.total])).toEqual([
      ['canary', 2],
      ['rest', 8],
    ])
    Object.assign(r.members.get('r1')!, { labels: CANARY })
    expect(r.decide(1).stages.map((s) => [s.name, s.total])).toEqual([
      ['canary', 2],
      ['rest', 8],
    ])
  })
})
