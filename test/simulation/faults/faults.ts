/** A few of the fault classes strike the controllers of a fleet for bounded times. */
import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { Handler, ServerRequest, ServerResponse } from '../../../packages/kube/src/env/net.ts'
import { NEWS_MS } from '../../../packages/simulators/src/oracle/recentchanges.ts'
import type { SimFleet } from '../../fleet/simfleet.ts'
import { chance, pick } from '../scenario.ts'
import { ANSWER_FAULTS, asksForCachedState } from './answerfaults.ts'
import type { AnswerFaultClass, FaultClass, WatchFaultClass } from './faultclass.ts'
import { WATCH_FAULTS } from './watchfaults.ts'
import { MARK } from './wrongcontent.ts'

export const FAULT_CLASSES: readonly FaultClass[] = [...ANSWER_FAULTS, ...WATCH_FAULTS]

/** Share of the seeds in which a class strikes. */
const PROBABILITY = 0.25
/** Limit in milliseconds within which windows begin. */
const BEGIN_MS = 60_000
const MOST_WINDOWS = 3
const CONTROLLER = 'lockstep-controller'

interface Window {
  readonly from: number
  readonly to: number
  /** Absent: all servers. */
  readonly server?: string
  /** Share of the requests that it can hit. */
  readonly share: number
}

/** Which classes strike in a run is drawn from `random`, and so is all that they do. */
export class Faults {
  private readonly strikes: readonly Strike[]
  private fleet: SimFleet | undefined
  private readonly found = new Set<string>()

  constructor(random: Random) {
    this.strikes = FAULT_CLASSES.map((fault) => new Strike(fault, random.fork(fault.name)))
  }

  private get active(): readonly Strike[] {
    return this.strikes.filter((s) => s.isActive)
  }

  /** Milliseconds within which controllers know what others have changed, whatever strikes. */
  get newsMs(): number {
    return this.active.reduce((sum, { fault }) => sum + (fault.lateMs ?? 0), NEWS_MS)
  }

  /** Content was refused, so a rollout may have halted. */
  get hasRefusedContent(): boolean {
    return this.active.some((s) => s.fault.refusesContent === true && s.occurred > 0)
  }

  /** From now on all requests of controllers of the fleet pass through here. */
  join(fleet: SimFleet): void {
    this.fleet = fleet
    for (const name of serversOf(fleet)) {
      const { handle } = name === 'hub' ? fleet.hubApi : fleet.clusters.get(name)!.api
      fleet.env.net.serve(
        `https://${name}.test`,
        faultyHandler(fleet, name, handle, this.active, (problem) => void this.found.add(problem)),
      )
    }
  }

  /** New windows, from now on. */
  strike(): void {
    const { fleet } = this
    if (fleet) for (const s of this.active) s.plan(fleet.env.clock.steady(), serversOf(fleet))
  }

  /** Steady time at which the last window ends. */
  get endsAt(): number {
    return Math.max(0, ...this.active.map((s) => s.endsAt))
  }

  /** Effects of each class that the controllers could notice. */
  get occurred(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.strikes.map((s) => [`fault ${s.fault.name}`, s.occurred]))
  }

  /** Uses of wrong answers, and exceptions. */
  get problems(): string[] {
    const { fleet } = this
    return fleet ? [...this.found, ...usedAnswers(fleet), ...exceptions(fleet)] : []
  }
}

const serversOf = (fleet: SimFleet): string[] => ['hub', ...fleet.clusters.keys()]

/** One class in one run. */
class Strike {
  readonly fault: FaultClass
  readonly isActive: boolean
  readonly random: Random
  occurred = 0
  private readonly windows: Window[] = []

  constructor(fault: FaultClass, random: Random) {
    this.fault = fault
    this.random = random
    this.isActive = chance(random, PROBABILITY)
  }

  plan(now: number, servers: readonly string[]): void {
    const { fault, random } = this
    for (let i = 1 + Math.floor(random.next() * MOST_WINDOWS); i > 0; i--) {
      const from = now + random.next() * BEGIN_MS
      const to = from + fault.leastMs * (fault.mostMs / fault.leastMs) ** random.next()
      const server = pick(random, [undefined, ...servers])
      const share = pick(random, [0.1, 0.3, 1])
      this.windows.push({ from, to, share, ...(server === undefined ? {} : { server }) })
    }
  }

  get endsAt(): number {
    return Math.max(0, ...this.windows.map((w) => w.to))
  }

  windowAt(now: number, server: string): Window | undefined {
    return this.windows.find((w) => w.from <= now && now < w.to && (w.server ?? server) === server)
  }
}

function faultyHandler(
  { env, commits }: SimFleet,
  server: string,
  handle: Handler,
  strikes: readonly Strike[],
  report: (problem: string) => void,
): Handler {
  const { clock } = env
  const answered = async (request: ServerRequest): Promise<ServerResponse> => {
    for (const strike of strikes) {
      if (!isAnswerFault(strike.fault)) continue
      const { fault, random } = strike
      const window = strike.windowAt(clock.steady(), server)
      if (!window || !fault.hits(request) || random.next() >= window.share) continue
      const honest = () => handle(request)
      const occurred = () => void strike.occurred++
      return fault.answer({ request, honest, random, env, commits: () => commits.length, occurred })
    }
    return handle(request)
  }
  const streamed = (pieces: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<string> => {
    let all = pieces
    for (const strike of strikes) {
      const { fault, random } = strike
      if (isAnswerFault(fault)) continue
      const endsAt = () => strike.windowAt(clock.steady(), server)?.to
      all = fault.stream({
        pieces: all,
        random,
        clock,
        signal,
        endsAt,
        occurred: () => void strike.occurred++,
      })
    }
    return all
  }
  return async (request) => {
    if (request.headers['user-agent'] !== CONTROLLER) return handle(request)
    if (asksForCachedState(request)) report(`a list asks for a cached state: ${request.url}`)
    const answer = await answered(request)
    const { body } = answer
    return typeof body === 'string' || body instanceof Uint8Array
      ? answer
      : { ...answer, body: streamed(body, request.signal) }
  }
}

const isAnswerFault = (fault: AnswerFaultClass | WatchFaultClass): fault is AnswerFaultClass =>
  'answer' in fault

const usedAnswers = ({ commits }: SimFleet): string[] =>
  commits
    .filter((c) => JSON.stringify(c.next ?? null).includes(MARK))
    .map((c) => `a wrong answer was used: ${c.actor} wrote ${c.resource} ${c.key} on ${c.cluster}`)

const exceptions = ({ env }: SimFleet): string[] =>
  env.meters
    .read()
    .filter(({ name }) => name === 'lockstep_exceptions_total')
    .map(({ labels, value }) => `exceptions of scope ${labels.scope}: ${value}`)
