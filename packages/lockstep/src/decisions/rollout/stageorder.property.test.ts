/** Rollouts that are decided again and again, with all fields, while members come, change their labels, fail and fall silent. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Fate,
  NEW,
  OLD,
  Rehearsal,
  type RehearsalMember,
} from '../../../../../test/arbitrary/rehearsal.ts'
import { assertProperty } from '../../../../../test/property.ts'
import type { FactsOf } from '../../api/reasons/index.ts'
import type { RolloutPolicy, StagePolicy } from './policy.ts'
import type { ScheduleOutput } from './types.ts'

const CANARY = { clusterSelector: { matchLabels: { tier: 'canary' } } }
const ALL = { clusterSelector: {} }

const needed = fc.constantFrom(undefined, undefined, 'Required' as const)
const stage = (name: string, members: Partial<StagePolicy>): fc.Arbitrary<StagePolicy> =>
  fc
    .record({
      soakSeconds: fc.constantFrom(0, 0, 30),
      approval: needed,
      approvalBefore: needed,
      maxConcurrency: fc.constantFrom(undefined, 1, '50%'),
      maxUnavailable: fc.constantFrom(undefined, undefined, 1),
      maxFailed: fc.constantFrom(undefined, undefined, 0, 1),
      order: fc.constantFrom(undefined, 'Hash' as const, 'Name' as const, 'Label' as const),
      gateExpr: fc.constantFrom(undefined, undefined, 'stage.failed == 0', 'stage.done > 0'),
      windows: fc.constantFrom(undefined, undefined, undefined, [
        { action: 'Allow' as const, schedule: '* * * * *', durationSeconds: 30 },
      ]),
    })
    .map((s) => ({ ...s, name, ...members, orderLabel: 'region' }))

const staged = fc.oneof(
  fc.tuple(stage('canary', CANARY), stage('others', ALL)).map((stages) => ({ stages })),
  fc.tuple(stage('canary', CANARY)).map((stages) => ({ stages })),
  fc.tuple(stage('one', { size: 1 }), stage('two', { size: '50%' })).map((stages) => ({ stages })),
  fc.tuple(stage('by', { groupBy: 'region' })).map((stages) => ({ stages })),
  fc
    .tuple(
      stage('k', { ...CANARY, groupBy: 'region' }),
      stage('l', { size: '40%', groupBy: 'region' }),
      stage('m', ALL),
    )
    .map((stages) => ({ stages })),
  fc
    .record({ size: fc.constantFrom(1, 3, '30%', '100%'), minClusters: fc.constantFrom(1, 5) })
    .map((batches) => ({ batches })),
)

const policy: fc.Arbitrary<Partial<RolloutPolicy>> = fc
  .tuple(
    fc.record({
      strategy: fc.constantFrom('Staged', 'Staged', 'Staged', 'Incremental', 'Replace'),
      maxUnavailable: fc.constantFrom(1, 2, '50%', '100%'),
      maxFailed: fc.constantFrom(0, 1, '50%'),
      maxUnreachable: fc.constantFrom('25%', '100%'),
      maxNew: fc.constantFrom(undefined, undefined, 1),
      maxSurge: fc.constantFrom(undefined, 0, 1),
      onFailure: fc.constantFrom('Halt', 'Continue'),
      joining: fc.constantFrom('LastComplete', 'Target'),
      minReadySeconds: fc.constantFrom(0, 10),
      progressDeadlineSeconds: fc.constantFrom(60, 1800),
      updates: fc.constantFrom('Automatic', 'Automatic', 'Automatic', 'Once'),
    }),
    staged,
  )
  .map(([p, parts]) => (p.strategy === 'Staged' ? { ...p, ...parts } : p) as Partial<RolloutPolicy>)

const labels = fc.record(
  { region: fc.constantFrom('9', '10', 'eu', 'us'), tier: fc.constantFrom('canary', 'prod') },
  { requiredKeys: [] },
) as fc.Arbitrary<Readonly<Record<string, string>>>
const fate = fc.constantFrom<Fate>('Done', 'Done', 'Running', 'Failed', 'Silent')
const member: fc.Arbitrary<RehearsalMember> = fc.record({ labels, fate })

type Happening = (r: Rehearsal) => void
const one = (r: Rehearsal, n: number): RehearsalMember => [...r.members.values()][n % r.members.size]!
const change = fc.tuple(
  fc.nat(),
  fc.oneof(
    fate.map((f) => ({ fate: f })),
    labels.map((l) => ({ labels: l })),
    fc.constantFrom('Paused', 'Connected', 'Connected', 'Absent').map((clusterState) => ({ clusterState })),
    fc.boolean().map((blocked) => ({ blocked })),
  ),
)
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: change.map(
      ([n, to]) =>
        (r: Rehearsal) =>
          Object.assign(one(r, n), to),
    ),
  },
  { weight: 1, arbitrary: member.map((m) => (r: Rehearsal) => r.add(`j${r.members.size}`, m, undefined)) },
  {
    weight: 3,
    arbitrary: fc.constant((r: Rehearsal) => {
      for (const m of r.members.values()) if (m.fate === 'Running') m.fate = 'Done'
    }),
  },
)

const story = fc.record({
  policy,
  members: fc.array(member, { minLength: 2, maxLength: 10 }),
  isConsented: fc.boolean(),
  steps: fc.array(fc.tuple(fc.constantFrom(0, 1, 5, 20), happening), { maxLength: 25 }),
})

/** Every consent that is asked for is given. */
function consent(r: Rehearsal, { blockers }: ScheduleOutput): void {
  for (const b of blockers.filter((x) => x.reason === 'AwaitingApproval')) {
    const { stage, point } = b.facts as FactsOf<'AwaitingApproval'>
    r.approve(stage!, { point: point!, name: `${stage} ${point}` })
  }
}

/** A stage is begun only when all before it are complete. */
function inTurn({ start, stages, ledger }: ScheduleOutput): void {
  for (const s of start.filter((x) => x.revision === NEW && x.kind !== 'VerifyOnly')) {
    const i = stages.findIndex((x) => x.name === ledger.find((e) => e.cluster === s.cluster)?.stage)
    const before = stages.slice(0, i).map((x) => [x.name, x.completedAt !== undefined])
    expect([s.cluster, i >= 0, before.filter(([, isOver]) => !isOver)]).toEqual([s.cluster, true, []])
  }
}

const shown = ({ stages, ledger, phase, blockers, start, withdraw, counters }: ScheduleOutput): unknown => ({
  stages,
  ledger,
  phase,
  blockers,
  start,
  withdraw,
  counters,
})

it('stages are passed in order, whatever happens, and all of it ends complete and at rest (I20, I33, I12, I13)', () => {
  const property = fc.property(story, ({ policy, members, isConsented, steps }) => {
    const r = new Rehearsal(policy, Object.fromEntries(members.map((m, i) => [`c${i}`, m])))
    r.over = { lastComplete: OLD }
    for (const [seconds, happen] of steps) {
      const out = r.decide(seconds)
      inTurn(out)
      if (isConsented) consent(r, out)
      // What was started is not started once more.
      const again = r.decide(0)
      inTurn(again)
      const repeated = again.start.filter(
        (s) =>
          s.kind !== 'VerifyOnly' &&
          out.start.some((x) => x.cluster === s.cluster && x.revision === s.revision),
      )
      expect(repeated).toEqual([])
      happen(r)
    }
    for (const m of r.members.values())
      Object.assign(m, { fate: 'Done', blocked: false, clusterState: 'Connected' })
    r.over = { lastComplete: OLD, retry: true }
    for (let i = 0; i < 3; i++) r.decide(0)
    r.over = { lastComplete: OLD }
    for (let i = 0; i < 80; i++) consent(r, r.decide(47))
    const last = r.decide(47)
    expect([last.phase, last.blockers]).toEqual(['Complete', []])
    for (let i = 0; i < 3; i++) expect(shown(r.decide(47))).toEqual(shown(last))
  })
  assertProperty(property, { part: 1 / 8 })
})
