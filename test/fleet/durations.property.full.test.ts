/**
 * What lasts, by clocks that are wrong: ours runs 5 % too fast or too slow or stands still, the hub's is set an hour forth or
 * back, answers come late or not at all, leaders change. Nothing ends early in true time, and nothing much later (R13).
 */
import { expect, it } from 'vitest'
import { ServerClock } from '../../packages/kube/src/client/serverclock.ts'
import { cronCalendar } from '../../packages/kube/src/env/calendar.ts'
import { elapsedTimeMs, lateMsOf, type ObservedTime } from '../../packages/kube/src/env/elapsedtime.ts'
import type { Random } from '../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../packages/kube/src/env/sim/seededrandom.ts'
import { httpDate } from '../../packages/kube/src/object/index.ts'
import { schedule } from '../../packages/lockstep/src/decisions/rollout/schedule.ts'
import type {
  InFlightEntry,
  ScheduleInput,
  ScheduleOutput,
  UnitView,
} from '../../packages/lockstep/src/decisions/rollout/types.ts'

const SEEDS = 2000
const NOON = Date.parse('2026-11-22T12:00:00Z')
const HOUR = 3_600_000
/** Where an answer takes up to 300 ms each way: a second for its `Date`, and the way, at both ends. */
const MOST_LATE_MS = 6000
const SOAK = 300
const MIN_READY = 60
const TARGET = { revision: 'v1:2', bundle: 'v1:b2' }

/** True time, a machine's clock, the hub's, and what the machine knows of the hub's. */
class Clocks {
  time = 0
  private readonly rate: number
  private stoodStill = 0
  private set = 0
  private server!: ServerClock

  constructor(rate: number) {
    this.rate = rate
    this.restart()
  }

  /** Another process knows nothing. */
  restart(): void {
    this.server = new ServerClock({ now: () => 0, steady: () => this.steady, at: () => () => {} })
  }

  private get steady(): number {
    return (this.time - this.stoodStill) * this.rate
  }

  setServer(byMs: number): void {
    this.set += byMs
  }

  standStill(ms: number): void {
    this.time += ms
    this.stoodStill += ms
  }

  ask(thereMs: number, backMs: number): void {
    const askedAt = this.steady
    this.time += thereMs
    const said = httpDate(NOON + this.time + this.set)
    this.time += backMs
    this.server.heard(said, askedAt)
  }

  get seen(): ObservedTime {
    return { steadyMs: this.steady, server: this.server.time }
  }
}

const READY: UnitView = {
  cluster: 'c',
  labels: {},
  order: 'c',
  clusterState: 'Connected',
  selected: true,
  present: true,
  leaving: false,
  dependants: [],
  healthy: true,
  recordStage: 'first',
  recordRevision: TARGET.revision,
  admittedRevision: TARGET.revision,
  at: () => ({
    verified: true,
    ahead: false,
    sameContent: true,
    running: false,
    failure: undefined,
    gate: [],
  }),
}
const BEGUN: InFlightEntry = {
  cluster: 'c',
  revision: TARGET.revision,
  stage: 'first',
  kind: 'Update',
  runSeconds: 0,
  readySeconds: 0,
}

/** One process' looks at one unit that is well all the time. */
class Leader {
  private before: ObservedTime | undefined
  private memory: Pick<ScheduleInput, 'clocks' | 'soaks'> = { clocks: new Map(), soaks: new Map() }

  look(now: ObservedTime, stored: Pick<ScheduleInput, 'ledger' | 'stages'>): ScheduleOutput {
    const out = schedule({
      module: 'Module/web',
      deleting: false,
      target: TARGET,
      haltedAt: undefined,
      retry: false,
      policy: {
        strategy: 'Staged',
        minReadySeconds: MIN_READY,
        progressDeadlineSeconds: 0,
        onFailure: 'Halt',
        stages: [{ name: 'first', clusterSelector: {}, soakSeconds: SOAK }],
      },
      units: [READY],
      completedAt: undefined,
      approvals: [],
      heldBy: undefined,
      gates: new Map(),
      ...stored,
      ...this.memory,
      elapsedMs: elapsedTimeMs(this.before, now),
      lateMs: lateMsOf(now),
      nowMs: 0,
      calendar: cronCalendar,
      skewMs: undefined,
    })
    this.memory = { clocks: out.clocks, soaks: out.soaks }
    this.before = now
    return out
  }
}

interface Faults {
  readonly set: number
  readonly still: number
  readonly change: number
  readonly silent: number
}

interface Ended {
  /** Since it was seen to be well: until it was done, and from then until its stage had passed; true milliseconds. */
  readonly readyMs: number
  readonly soakMs: number
}

function play(random: Random, rate: number, faults: Faults): Ended {
  const clocks = new Clocks(rate)
  let leader = new Leader()
  let stored: Pick<ScheduleInput, 'ledger' | 'stages'> = { ledger: [BEGUN], stages: [] }
  let doneAt: number | undefined
  clocks.ask(random.next() * 300, random.next() * 300)
  const began = clocks.time
  for (let i = 0; i < 100_000; i++) {
    const out = leader.look(clocks.seen, stored)
    stored = { ledger: out.ledger, stages: out.stages }
    if (doneAt === undefined && out.ledger.length === 0) doneAt = clocks.time
    if (out.stages[0]?.completedAt !== undefined)
      return { readyMs: doneAt! - began, soakMs: clocks.time - doneAt! }
    const asked = Math.min(out.wakeInMs ?? 30_000, 30_000)
    // Something else may have it look earlier.
    clocks.time += (random.next() < 0.5 ? asked : random.next() * asked) / rate
    if (random.next() < faults.set) clocks.setServer((random.next() < 0.5 ? 1 : -1) * HOUR)
    if (random.next() < faults.still) clocks.standStill(random.next() * 600_000)
    if (random.next() < faults.change) {
      clocks.restart()
      leader = new Leader()
    }
    if (random.next() >= faults.silent) clocks.ask(random.next() * 300, random.next() * 300)
  }
  throw new Error('it never ends')
}

it('nothing that lasts ends early, whatever becomes of clocks and leaders', () => {
  let earliest = Number.POSITIVE_INFINITY
  for (let seed = 0; seed < SEEDS; seed++) {
    const random = seededRandom(`durations/${seed}`)
    const rate = 0.95 + 0.1 * random.next()
    const { readyMs, soakMs } = play(random, rate, { set: 0.05, still: 0.05, change: 0.05, silent: 0.3 })
    expect([seed, readyMs >= MIN_READY * 1000, soakMs >= SOAK * 1000]).toEqual([seed, true, true])
    earliest = Math.min(earliest, soakMs)
  }
  // It is near enough to mean something.
  expect(earliest).toBeLessThan(SOAK * 1000 + 5000)
})

it.each([
  ['that is right', 1],
  ['5 % too fast', 1.05],
  ['5 % too slow', 0.95],
])('by a clock %s it lasts a few seconds more than it has to, and what the clock loses', (_, rate) => {
  for (let seed = 0; seed < SEEDS / 10; seed++) {
    const random = seededRandom(`late/${seed}`)
    const { readyMs, soakMs } = play(random, rate, { set: 0, still: 0, change: 0, silent: 0 })
    const slow = Math.max(1, 1 / rate)
    expect(readyMs).toBeGreaterThanOrEqual(MIN_READY * 1000)
    expect(readyMs).toBeLessThan(MIN_READY * 1000 * slow + MOST_LATE_MS)
    expect(soakMs).toBeGreaterThanOrEqual(SOAK * 1000)
    expect(soakMs).toBeLessThan(SOAK * 1000 * slow + MOST_LATE_MS)
  }
})
