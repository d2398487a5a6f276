/** Takes the state of a fleet while a simulation runs: at instants of rest, and in the middle of things. */
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { SimFleet, Start } from '../fleet/simfleet.ts'
import { restsOf } from '../simulation/rest.ts'

export interface FleetSample {
  readonly start: Start
  /** No controller has anything to write: the last write is long ago. */
  readonly isAtRest: boolean
}

const TICK_MS = 1700
/** Samples of one run in the middle of things; each state at rest is sampled. */
const MOST = 10

export class Sampler {
  readonly samples: FleetSample[] = []
  private readonly fleet: SimFleet
  private readonly seen = new Set<string>()
  private readonly isAtRest: () => boolean

  constructor(fleet: SimFleet) {
    this.fleet = fleet
    this.isAtRest = restsOf(fleet)
    this.tick()
  }

  private tick(): void {
    const { clock } = this.fleet.env
    this.look()
    clock.at(clock.steady() + TICK_MS, () => this.tick())
  }

  private look(): void {
    const isAtRest = this.isAtRest()
    const state = `${isAtRest} ${this.state()}`
    if (this.seen.has(state)) return
    this.seen.add(state)
    const moving = this.samples.filter((s) => !s.isAtRest)
    // Half of them of the end of a run, where waits have lasted.
    if (!isAtRest && moving.length === MOST) this.samples.splice(this.samples.indexOf(moving[MOST / 2]!), 1)
    this.samples.push({ start: this.fleet.freeze(), isAtRest })
  }

  /** The state without times and counts. */
  private state(): string {
    const modules = this.fleet.objects('modules.lockstep.dev').map((m) => [m.metadata.name, statusOf(m)])
    const units = this.fleet
      .inventories()
      .map((i) => [i.metadata.name, statusOf(i), at(i, 'status', 'state')])
    return JSON.stringify([modules, units])
  }
}

function statusOf(o: KubeObject): unknown {
  const blockers = (at(o, 'status', 'blockers') ?? []) as readonly { readonly reason: string }[]
  const conditions = (at(o, 'status', 'conditions') ?? []) as readonly { readonly status: string }[]
  return [
    blockers.map((b) => b.reason),
    conditions.map((c) => c.status),
    o.metadata.deletionTimestamp !== undefined,
  ]
}
