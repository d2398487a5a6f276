/** Invariants of the scheduler that speak of more than one decision, or of decisions beside each other. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scheduleInputs, TARGET } from '../../../../../test/arbitrary/arbitraryrollout.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { assertProperty, expectSeen } from '../../../../../test/property.ts'
import { cronCalendar } from '../../../../kube/src/env/calendar.ts'
import type { RolloutPolicy, StagePolicy } from './policy.ts'
import { schedule } from './schedule.ts'
import type {
  InFlightEntry,
  ScheduleInput,
  ScheduleOutput,
  StageState,
  UnitAt,
  UnitClocks,
  UnitView,
} from './types.ts'

const unitsOf = ({ units }: ScheduleInput): Map<string, UnitView> => new Map(units.map((u) => [u.cluster, u]))
const started = (out: ScheduleOutput): string[] => out.start.map((s) => s.cluster).sort()

/** With the fleet, and nothing speaks against its moving to the target but a lack of room. */
const isPlain = (u: UnitView): boolean =>
  u.clusterState === 'Connected' && u.selected && !u.leaving && u.hold === undefined

/** At the old revision, well, and told of nothing else: a candidate, whose key is its place in the order. */
const isWaiting = (input: ScheduleInput, u: UnitView): boolean => {
  const to = u.at(TARGET.revision)
  return (
    isPlain(u) &&
    u.healthy &&
    u.recordRevision === 'v1:1' &&
    u.admittedRevision === 'v1:1' &&
    !u.at('v1:1').rebinds &&
    !to.sameContent &&
    !to.ahead &&
    u.suspected !== true &&
    to.gate.length === 0 &&
    !input.ledger.some((e) => e.cluster === u.cluster)
  )
}

it('one decision', () => {
  decidesAlike(scheduleInputs, schedule, {
    'what is done, blocked, at rest in its pin or only verified again holds no slot (I22)': (input, out) => {
      const known = unitsOf(input)
      const fresh = new Set(started(out))
      for (const e of out.ledger.filter((x) => x.failed === undefined && !fresh.has(x.cluster))) {
        const u = known.get(e.cluster)!
        const at = u.at(e.revision)
        if (u.clusterState !== 'Connected' || e.kind === 'Remove' || u.hold?.action === 'Pause') continue
        const isThere = u.recordRevision === e.revision && u.admittedRevision === e.revision
        const readyMs = out.clocks.get(e.cluster)?.readyMs ?? 0
        const { minReadySeconds: asked } = input.policy
        const isProven = asked === 0 || readyMs >= asked * 1000
        const isDone = isThere && at.verified && u.healthy && !at.rebinds && isProven
        expect([e.cluster, isDone]).toEqual([e.cluster, false])
        const isAssigned = u.recordRevision === e.revision
        expect([e.cluster, !isAssigned && at.gate.length > 0]).toEqual([e.cluster, false])
      }
    },
    'nothing moves to another revision than the target but by a pin, as one that joins, or where it is (I26)':
      (input, out) => {
        for (const s of out.start.filter((x) => x.revision !== undefined && x.revision !== TARGET.revision)) {
          const u = unitsOf(input).get(s.cluster)!
          const isPinned = u.hold?.action === 'Pin' && u.hold.revision === s.revision
          const isJoining = u.admittedRevision === undefined && s.revision === input.lastComplete
          const isUnderWay = input.ledger.some((e) => e.cluster === s.cluster && e.revision === s.revision)
          const isRepeated =
            s.kind === 'VerifyOnly' && u.hold !== undefined && u.admittedRevision === s.revision
          const isThere = s.revision === u.admittedRevision
          expect([s, isPinned || isJoining || isUnderWay || isRepeated || isThere]).toEqual([s, true])
        }
      },
  })
})

const isNamed = ({ policy }: ScheduleInput, ...units: readonly UnitView[]): boolean =>
  policy.strategy === 'Staged' &&
  (policy.stages ?? []).some((s) => units.some((u) => s.clusters?.includes(u.cluster)))

/** Which of two that wait comes first, where one stage has them both. */
function isBefore(order: StagePolicy['order'], a: UnitView, b: UnitView): boolean {
  const keys = (u: UnitView): (number | string)[] => {
    const label = u.labels.tier
    const rank = label === undefined ? [3, ''] : /^\d+$/.test(label) ? [1, Number(label)] : [2, label]
    const byHash = [u.order, u.cluster]
    return order === 'Name' ? [u.cluster] : order === 'Label' ? [...rank, ...byHash] : byHash
  }
  const [x, y] = [keys(a), keys(b)]
  const i = x.findIndex((k, n) => k !== y[n])
  return i >= 0 && x[i]! < y[i]!
}

const STANDING: UnitAt = {
  verified: false,
  ahead: false,
  running: false,
  sameContent: false,
  failure: undefined,
  gate: [],
}
const standing = (revision: string): UnitAt =>
  revision === TARGET.revision ? STANDING : { ...STANDING, verified: true, sameContent: true }

/** A rollout under way in which half of the units wait for their turn; random inputs are mostly at a standstill. */
const lively = scheduleInputs.map((input): ScheduleInput => {
  const isCandidate = (cluster: string): boolean => Number(cluster.slice(1)) % 2 === 0
  return {
    ...input,
    target: TARGET,
    deleting: false,
    haltedAt: undefined,
    heldBy: undefined,
    completedAt: undefined,
    // What DisruptionBudgets do to that is said beside them.
    rollbackCause: undefined,
    skewMs: undefined,
    budgets: [],
    policy: {
      ...input.policy,
      strategy: input.policy.strategy === 'External' ? 'Replace' : input.policy.strategy,
      updates: 'Automatic',
    },
    ledger: input.ledger.filter((e) => !isCandidate(e.cluster)),
    units: input.units.map((u) =>
      isCandidate(u.cluster)
        ? {
            ...u,
            clusterState: 'Connected',
            selected: true,
            present: true,
            leaving: false,
            hold: undefined,
            recordRevision: 'v1:1',
            admittedRevision: 'v1:1',
            healthy: true,
            at: standing,
            suspected: undefined,
          }
        : u,
    ),
  }
})

it('who comes first in the order starts first (I29)', () => {
  let compared = 0
  decidesAlike(lively, schedule, {
    'of two that take the same': (input, out) => {
      const isStaged = input.policy.strategy === 'Staged'
      if (isStaged && input.policy.stages?.some((s) => s.order !== 'Hash')) return
      const starts = new Set(started(out))
      const waiting = input.units.filter((u) => isWaiting(input, u))
      const pairs = waiting.flatMap((late) =>
        waiting.flatMap((early) =>
          // Names stand in one rule of stages: those two are not alike.
          early.order < late.order &&
          !(isStaged && (early.labels !== late.labels || isNamed(input, early, late)))
            ? [[early.cluster, late.cluster] as const]
            : [],
        ),
      )
      for (const [early, late] of pairs.filter((p) => starts.has(p[1]))) {
        compared++
        expect([early, late, starts.has(early)]).toEqual([early, late, true])
      }
    },
  })
  expectSeen(compared, 1 / 20)
})

it.each(['Name', 'Label', 'Hash'] as const)('and so it is in a stage with the order %s (I29)', (order) => {
  const one = lively.map((input): ScheduleInput => {
    const stages = [{ name: 'one', clusterSelector: {}, order, orderLabel: 'tier' }]
    return { ...input, stages: [], policy: { ...input.policy, strategy: 'Staged', stages } }
  })
  let compared = 0
  decidesAlike(one, schedule, {
    'of two that take the same': (input, out) => {
      const starts = new Set(started(out))
      const waiting = input.units.filter((u) => isWaiting(input, u))
      for (const late of waiting.filter((u) => starts.has(u.cluster)))
        for (const early of waiting.filter((u) => isBefore(order, u, late))) {
          compared++
          expect([early.cluster, late.cluster, starts.has(early.cluster)]).toEqual([
            early.cluster,
            late.cluster,
            true,
          ])
        }
    },
  })
  expectSeen(compared, 1 / 20)
})

it('nobody waits where there is room (I28)', () => {
  const roomy = lively.map((input): ScheduleInput => {
    const { maxNew: _n, maxSurge: _s, windows: _w, updates: _u, ...policy } = input.policy
    const stages = policy.stages?.map(({ maxConcurrency: _c, maxUnavailable: _a, windows: _x, ...s }) => s)
    return {
      ...input,
      // What leaves, or moves to a pin, takes part of the room, and is in no total.
      units: input.units.filter((u) => u.selected && !u.leaving && u.hold === undefined),
      policy: {
        ...policy,
        strategy: policy.strategy === 'Staged' ? 'Staged' : 'Replace',
        ...(stages ? { stages } : {}),
        maxUnavailable: '100%',
        maxUnreachable: '100%',
        maxFailed: 1000,
        onFailure: 'Continue',
      },
    }
  })
  let waited = 0
  decidesAlike(roomy, schedule, {
    'every candidate in an open stage starts': (input, out) => {
      const starts = new Set(started(out))
      const pending = out.blockers.some((b) =>
        ['StagePending', 'AwaitingApproval', 'ApprovalForOtherRevision'].includes(b.reason),
      )
      // Which stage one is in, only those know who decide: all are open, or nothing is said here.
      if (pending) return
      for (const u of input.units.filter((x) => isWaiting(input, x))) {
        expect([u.cluster, starts.has(u.cluster)]).toEqual([u.cluster, true])
        waited++
      }
    },
  })
  expectSeen(waited, 1 / 10)
})

/** With one limit set: the module's, or that of each stage. */
function limited(policy: RolloutPolicy, of: string, n: number): RolloutPolicy {
  const [name, ofStage] = of.split(' ')
  if (ofStage === undefined) return { ...policy, [name!]: n }
  return { ...policy, stages: policy.stages?.map((s) => ({ ...s, [ofStage]: n })) }
}

it('a larger limit starts whoever a smaller one starts, and perhaps more (I31)', () => {
  const limits = fc.record({
    of: fc.constantFrom(
      ...(['maxUnavailable', 'maxNew', 'maxUnreachable', 'maxSurge', 'maxFailed'] as const),
      ...(['stage maxUnavailable', 'stage maxConcurrency', 'stage maxFailed'] as const),
    ),
    from: fc.nat(6),
    by: fc.integer({ min: 1, max: 4 }),
  })
  let more = 0
  // What an overtaken rollout has left, and what is down already and costs nothing, have one rank: between them two limits at once
  // are a packing problem, which is solved greedily by design. So nothing is left of an earlier one here.
  const alone = lively.map((input): ScheduleInput => ({ ...input, lastComplete: undefined }))
  decidesAlike(fc.tuple(alone, limits), ([input]) => schedule(input), {
    superset: ([input, { of, from, by }]) => {
      const at = (n: number): string[] =>
        started(schedule({ ...input, policy: limited(input.policy, of, n) }))
      const [few, many] = [at(from), at(from + by)]
      expect([of, few.filter((c) => !many.includes(c))]).toEqual([of, []])
      if (many.length > few.length) more++
    },
  })
  expectSeen(more, 1 / 100)
})

type What = 'Running' | 'Ready' | 'Waiting' | 'Silent'

const steps = fc.array(
  fc.record({
    what: fc.constantFrom<What>(
      ...(['Running', 'Running', 'Running', 'Waiting', 'Silent'] as const),
      ...(['Ready', 'Ready', 'Ready', 'Ready', 'Ready', 'Ready'] as const),
    ),
    /** How long it is so before anybody looks again. */
    ms: fc.constantFrom(1, 999, 1000, 10_000, 29_999, 30_000, 45_000),
    /** Another process leads from here on: what was not stored is lost. */
    isNew: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 3, maxLength: 25 },
)

const MIN_READY = 30
const DEADLINE = 60
const SOAK = 40

function viewOf(what: What): UnitView {
  const at: UnitAt = {
    verified: what === 'Ready',
    ahead: false,
    sameContent: true,
    running: what === 'Running',
    failure: undefined,
    gate: [],
  }
  return {
    cluster: 'c',
    labels: {},
    order: 'c',
    selected: true,
    present: true,
    leaving: false,
    dependants: [],
    recordRevision: TARGET.revision,
    recordStage: 'first',
    admittedRevision: TARGET.revision,
    clusterState: what === 'Silent' ? 'Unreachable' : 'Connected',
    healthy: what === 'Ready',
    at: () => at,
  }
}

const BEGUN: InFlightEntry = {
  cluster: 'c',
  revision: TARGET.revision,
  stage: 'first',
  kind: 'Update',
  runSeconds: 0,
  readySeconds: 0,
}

it('waits are never shorter, and running time never longer, than in true time (I25)', () => {
  const seen = { done: 0, failed: 0, passed: 0 }
  assertProperty(
    fc.property(steps, (all) => {
      let ledger: readonly InFlightEntry[] = [BEGUN]
      let stages: readonly StageState[] = []
      let clocks: UnitClocks = new Map()
      let soaks: ReadonlyMap<string, number> = new Map()
      let ran: ReadonlyMap<string, number> = new Map()
      let elapsedMs = 0
      // What is true: for how long it has been ready, done in its stage, and running.
      const truth = { ready: 0, run: 0 }
      let before: What | undefined
      for (const { what, ms, isNew } of all) {
        if (before === 'Running') truth.run += elapsedMs
        // Of who is silent nobody knows that it is not well: that time counts for nothing.
        if (what === 'Running' || what === 'Waiting') truth.ready = 0
        else if (before === 'Ready' && what === 'Ready') truth.ready += elapsedMs
        if (isNew) {
          clocks = new Map()
          soaks = new Map()
        }
        const out = schedule({
          module: 'Module/web',
          deleting: false,
          target: TARGET,
          haltedAt: undefined,
          retry: false,
          policy: {
            strategy: 'Staged',
            minReadySeconds: MIN_READY,
            progressDeadlineSeconds: DEADLINE,
            onFailure: 'Halt',
            maxUnreachable: '100%',
            maxFailed: 5,
            stages: [{ name: 'first', clusterSelector: {}, soakSeconds: SOAK }],
          },
          units: [viewOf(what)],
          ledger,
          ran,
          stages,
          clocks,
          soaks,
          completedAt: undefined,
          approvals: [],
          heldBy: undefined,
          gates: new Map(),
          elapsedMs: isNew ? 0 : elapsedMs,
          nowMs: 0,
          calendar: cronCalendar,
          skewMs: undefined,
        })
        const wasHeld = ledger.length > 0
        const isFailed = out.ledger.some((e) => e.failed !== undefined)
        if (wasHeld && out.ledger.length === 0) {
          seen.done++
          expect(truth.ready).toBeGreaterThanOrEqual(MIN_READY * 1000)
        }
        if (isFailed) {
          seen.failed++
          expect(truth.run).toBeGreaterThanOrEqual(DEADLINE * 1000)
        }
        const entry = out.ledger[0]
        if (entry) expect(entry.runSeconds * 1000).toBeLessThanOrEqual(truth.run)
        if (out.stages[0]?.completedAt !== undefined) {
          seen.passed++
          expect(truth.ready).toBeGreaterThanOrEqual((MIN_READY + SOAK) * 1000)
          return
        }
        if (isFailed) return
        ;({ ledger, clocks, soaks, ran } = out)
        stages = out.stages
        before = what
        elapsedMs = ms
      }
    }),
  )
  expectSeen(Math.min(seen.done, seen.failed, seen.passed), 1 / 100)
})
