import { describe, expect, it } from 'vitest'
import type { RolloutPolicy, StagePolicy } from './policy.ts'
import {
  compareValues,
  type StageMember,
  type StageMembers,
  selectedTwice,
  stagesOf as staged,
} from './stagemembers.ts'

const member = (
  cluster: string,
  labels: Record<string, string> = {},
  over: Partial<StageMember> = {},
): StageMember => ({
  cluster,
  labels,
  order: cluster,
  ...over,
})
const stagesOf = (
  of: RolloutPolicy,
  members: readonly StageMember[],
  cuts: ReadonlyMap<string, string>,
  startedIn: Readonly<Record<string, string>> = {},
): StageMembers[] => staged(of, members, cuts, (c) => startedIn[c])
const policy = (stages: readonly StagePolicy[], over: Partial<RolloutPolicy> = {}): RolloutPolicy => ({
  strategy: 'Staged',
  minReadySeconds: 0,
  progressDeadlineSeconds: 1800,
  onFailure: 'Halt',
  stages,
  ...over,
})
const shown = (stages: readonly StageMembers[]): string[] =>
  stages.map((s) => `${s.name}: ${s.members.map((m) => m.cluster).join(' ')}`.trim())
const many = (n: number): StageMember[] =>
  Array.from({ length: n }, (_, i) => member(`c${i}`, {}, { order: String((i * 7919) % n).padStart(6, '0') }))
const NONE = new Map<string, string>()

describe('members of stages', () => {
  const canary = { name: 'canary', clusterSelector: { matchLabels: { tier: 'canary' } } }
  const named = { name: 'named', clusters: ['b', 'c'] }

  it('of a cluster in two stages the first counts; of one in none, rest', () => {
    const clusters = [member('a'), member('b', { tier: 'canary' }), member('c')]
    expect(shown(stagesOf(policy([canary, named]), clusters, NONE))).toEqual([
      'canary: b',
      'named: c',
      'rest: a',
    ])
  })
  it('a stage that nobody is in is there; rest is not', () => {
    expect(shown(stagesOf(policy([canary, named]), [member('b')], NONE))).toEqual(['canary:', 'named: b'])
  })
  it('what is in no stage has a name that no stage has', () => {
    const rest = { name: 'rest', clusters: ['a'] }
    expect(shown(stagesOf(policy([rest]), [member('a'), member('b')], NONE))).toEqual([
      'rest: a',
      'rest-of-all: b',
    ])
  })
  it('Staged, and no stages: one', () => {
    const { stages: _, ...bare } = policy([])
    expect(shown(stagesOf(bare, [member('b'), member('a')], NONE))).toEqual(['all: a b'])
  })
  it('strategies without stages have one', () => {
    const all = policy([canary], { strategy: 'Incremental' })
    expect(shown(stagesOf(all, [member('b'), member('a')], NONE))).toEqual(['all: a b'])
  })
  it('who was started stays where it was, whatever its labels say now', () => {
    const clusters = [member('a'), member('d', { tier: 'canary' })]
    const stages = policy([canary, { name: 'rest', clusterSelector: {} }])
    const found = stagesOf(stages, clusters, NONE, { a: 'canary', d: 'rest' })
    expect(shown(found)).toEqual(['canary: a', 'rest: d'])
  })
})

describe('a stage of a size', () => {
  const tenth = policy([{ name: 'tenth', size: '10%' }])
  it('has exactly so many, by hash', () => {
    const [first, rest] = stagesOf(tenth, many(1000), NONE)
    expect([first!.members.length, rest!.members.length]).toEqual([100, 900])
    expect(first!.members.every((m) => m.order <= first!.cut!)).toBe(true)
  })
  it('keeps its members when others join; who joins below the cut belongs to it', () => {
    const [first] = stagesOf(tenth, many(1000), NONE)
    const joined = [member('low', {}, { order: '000000x' }), member('high', {}, { order: 'zzz' })]
    const [again] = stagesOf(tenth, [...many(1000), ...joined], new Map([['tenth', first!.cut!]]))
    expect(new Set(again!.members.map((m) => m.cluster))).toEqual(
      new Set([...first!.members.map((m) => m.cluster), 'low']),
    )
  })
  it('of those that a selector takes, where it has one', () => {
    const half = policy([{ name: 'eu', size: '50%', clusterSelector: { matchLabels: { in: 'eu' } } }])
    const clusters = ['a', 'b', 'c', 'd'].map((n) => member(n, { in: 'eu' }))
    expect(shown(stagesOf(half, [member('0'), ...clusters], NONE))).toEqual(['eu: a b', 'rest: 0 c d'])
  })
})

describe('batches', () => {
  const batches = policy([], { stages: undefined, batches: { size: '25%', minClusters: 200 } })
  it('are stages of equal size', () => {
    expect(stagesOf(batches, many(400), NONE).map((s) => [s.name, s.members.length])).toEqual([
      ['batch-1', 100],
      ['batch-2', 100],
      ['batch-3', 100],
      ['batch-4', 100],
    ])
  })
  it('are not for small fleets', () => {
    expect(stagesOf(batches, many(199), NONE).map((s) => s.name)).toEqual(['all'])
  })
  it('are at most 32', () => {
    const small = policy([], { stages: undefined, batches: { size: 1, minClusters: 0 } })
    const found = stagesOf(small, many(100), NONE)
    expect([found.length, found[0]!.members.length]).toEqual([25, 4])
  })
})

describe('groups by a label', () => {
  const regions = policy([{ name: 'by', groupBy: 'region' }])
  it('integers by number, then text, then those without', () => {
    const clusters = ['eu', '10', undefined, '9'].map((r, i) =>
      member(`c${i}`, r === undefined ? {} : { region: r }),
    )
    expect(shown(stagesOf(regions, clusters, NONE))).toEqual([
      'by/9: c3',
      'by/10: c1',
      'by/eu: c0',
      'by/: c2',
    ])
  })
  it('at most 64 stages in all: the last one has what is left', () => {
    const clusters = Array.from({ length: 100 }, (_, i) => member(`c${i}`, { region: String(i) }))
    const found = stagesOf(regions, clusters, NONE)
    expect(found.length).toBeLessThanOrEqual(64)
    expect(found.flatMap((s) => s.members)).toHaveLength(100)
  })
})

describe('the order within a stage', () => {
  const clusters = [
    member('b', { n: '10' }),
    member('a', { n: '9' }),
    member('c'),
    member('d', { n: 'x' }),
  ].map((m, i) => ({ ...m, order: String(9 - i) }))
  it.each([
    ['Hash', 'd c a b'],
    ['Name', 'a b c d'],
    ['Label', 'a b d c'],
  ] as const)('%s: %s', (order, expected) => {
    const found = stagesOf(
      policy([{ name: 's', clusterSelector: {}, order, orderLabel: 'n' }]),
      clusters,
      NONE,
    )
    expect(shown(found)).toEqual([`s: ${expected}`])
  })
  it('is total', () => {
    const values = ['10', '9', undefined, 'eu', '009', 'a']
    expect([...values].sort(compareValues)).toEqual(['009', '9', '10', 'a', 'eu', undefined])
    expect(compareValues('x', 'x')).toBe(0)
  })
})

describe('clusters that two stages select', () => {
  const members = [member('a', { tier: 'canary', eu: 'yes' }), member('b', { eu: 'yes' }), member('c')]
  const canary = { name: 'canary', clusterSelector: { matchLabels: { tier: 'canary' } } }
  const eu = { name: 'eu', clusterSelector: { matchLabels: { eu: 'yes' } } }

  it.each<[string, readonly StagePolicy[], string[]]>([
    ['two selectors', [canary, eu], ['a canary eu']],
    ['the rest takes what is left', [canary, { name: 'rest', clusterSelector: {} }], []],
    ['a cut takes what is left', [canary, { name: 'half', size: '50%' }], []],
    ['a name and a selector', [eu, { name: 'one', clusters: ['b', 'c'] }], ['b eu one']],
  ])('%s', (_, stages, said) => {
    const found = selectedTwice(policy(stages), members)
    expect(found.map((f) => [f.cluster, ...f.stages].join(' '))).toEqual(said)
  })
})
