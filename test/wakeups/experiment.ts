/**
 * Whether a change queues every request whose decision it changes, in the same tick. A platform in the middle of its releases
 * stands still while one object of the hub changes in the caches, and changes back; nothing is reconciled in between.
 */
import { vi } from 'vitest'
import type { Random } from '../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../packages/kube/src/env/sim/seededrandom.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { WorkQueue } from '../../packages/kube/src/workqueue/workqueue.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import type { Manager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { ReadIndex, type RequestDecision } from '../../packages/lockstep/src/controllers/runtime/readindex.ts'
import type { Request } from '../../packages/lockstep/src/controllers/runtime/requestkeys.ts'
import { outcomeNow } from '../../packages/lockstep/src/controllers/runtime/safetynet.ts'
import { must, type SimFleet, simFleet } from '../fleet/simfleet.ts'
import {
  chance,
  configMapOf,
  manifestsOf,
  moduleOf,
  type RandomPlatform,
  randomPlatform,
  shuffled,
} from '../simulation/scenario.ts'
import { type HubChange, randomChange } from './changes.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

export interface ExperimentResult {
  readonly platforms: number
  readonly changes: number
  /** Decisions that a change has changed. */
  readonly changed: number
  /** Reasons of blocked decisions that were reached. */
  readonly reasons: ReadonlySet<string>
  /** Decisions that were others, and whose requests were not queued. */
  readonly missed: readonly string[]
  /** Requests that one kind of reads alone has queued: without it they would be missed. */
  readonly needed: ReadonlyMap<string, number>
}

/** `changes` on each of `platforms` random platforms. */
export async function experiment(
  seed: string,
  { platforms, changes }: { readonly platforms: number; readonly changes: number },
): Promise<ExperimentResult> {
  const missed: string[] = []
  const reasons = new Set<string>()
  const needed = new Map<string, number>()
  let made = 0
  let changed = 0
  for (let i = 0; i < platforms; i++) {
    const name = `${seed}/${i}`
    const random = seededRandom(name)
    const platform = randomPlatform(random.fork('platform'), { clusters: 3, modules: 5 })
    const fleet = await simFleet(name, platform.clusters)
    const recorded = recordDecisions()
    const manager = await released(fleet, platform, random.fork('releases'))
    recorded.restore()
    const decisions = [...recorded.decisions.values()]
    for (const d of decisions)
      if (d.isBlocked) for (const [reason] of d.outcome.matchAll(/(?<=\[")[A-Z]\w+/g)) reasons.add(reason)
    const choices = random.fork('changes')
    for (let n = 0; n < changes; n++) {
      const next = randomChange(manager, choices)
      if (!next) continue
      made++
      const found = effectOf(recorded.queue(), decisions, next)
      changed += found.changed
      missed.push(...found.missed.map((m) => `${name}: ${next.name}: ${m}`))
      for (const kind of found.needed) needed.set(kind, (needed.get(kind) ?? 0) + 1)
    }
    manager.stop()
  }
  return { platforms, changes: made, changed, reasons, missed, needed }
}

/** Releases in any order, at a random moment; some of their objects fail. */
async function released(fleet: SimFleet, platform: RandomPlatform, random: Random): Promise<Manager> {
  const manager = fleet.startController()
  const during = async <T>(work: Promise<T>): Promise<T> => {
    let isSettled = false
    void work.finally(() => {
      isSettled = true
    })
    await fleet.env.clock.run(() => isSettled)
    return work
  }
  const pass = (ms: number) => fleet.env.clock.run(() => false, ms)
  for (const { world } of fleet.clusters.values())
    if (chance(random, 0.4)) world.fail({ image: ':v2', outcome: 'ImagePull' })
  const versions = chance(random, 0.5) ? [1, 2] : [1, 2, 1]
  for (const [n, version] of versions.entries()) {
    const isLast = n === versions.length - 1
    for (const plan of shuffled(random, platform.modules)) {
      if (isLast && chance(random, 0.3)) continue
      const map = configMapOf(plan, version, manifestsOf(plan, version, random))
      must(await during(fleet.hub.apply(configMapKind, map, WRITE)))
      must(await during(fleet.hub.apply(moduleKind, moduleOf(plan, version), WRITE)))
    }
    await pass(isLast ? random.next() * 10_000 : 20_000 + random.next() * 20_000)
  }
  await fleet.env.clock.run(() => manager.idle, 5_000)
  return manager
}

const nameOf = ({ controller, cluster, id }: Request): string => `${controller} ${cluster} ${id}`

/** The last decision about each request, blocked or not, and the queue of the process. */
function recordDecisions() {
  const decisions = new Map<string, RequestDecision>()
  const beginReads = ReadIndex.prototype.begin
  const begin = vi.spyOn(ReadIndex.prototype, 'begin').mockImplementation(function (
    this: ReadIndex,
    request,
  ) {
    const reads = beginReads.call(this, request)
    let latest: RequestDecision | undefined
    return {
      ...reads,
      decided(made) {
        latest = { ...made, request }
        reads.decided(made)
      },
      end() {
        if (latest) decisions.set(nameOf(request), latest)
        else decisions.delete(nameOf(request))
        reads.end()
      },
    }
  })
  const take = vi.spyOn(WorkQueue.prototype, 'take')
  let queue: WorkQueue<Request> | undefined
  return {
    decisions,
    queue: () => queue!,
    restore: () => {
      queue = take.mock.contexts[0] as WorkQueue<Request>
      begin.mockRestore()
      take.mockRestore()
    },
  }
}

/** Makes the change and takes it back: each way it is a change. */
function effectOf(
  queue: WorkQueue<Request>,
  all: readonly RequestDecision[],
  { make, undo }: HubChange,
): ChangeEffect {
  const watched = watchQueue()
  const missed: string[] = []
  const needed: string[] = []
  let changed = 0
  // A request in work decides at its end.
  const decisions = all.filter((d) => !queue.has(d.request))
  const outcomes = (): Map<RequestDecision, string> => new Map(decisions.map((d) => [d, outcomeNow(d)]))
  try {
    let before = outcomes()
    for (const step of [make, undo]) {
      watched.clear()
      step()
      const after = outcomes()
      for (const d of decisions) {
        if (before.get(d) === after.get(d)) continue
        changed++
        const name = nameOf(d.request)
        const causes = watched.causesOf(name)
        if (causes.size === 0) missed.push(`${name}: ${before.get(d)} became ${after.get(d)}`)
        else if (causes.size === 1) needed.push(...causes)
      }
      before = after
    }
  } finally {
    watched.restore()
  }
  return { changed, missed, needed }
}

interface ChangeEffect {
  readonly changed: number
  readonly missed: readonly string[]
  readonly needed: readonly string[]
}

/** Holds the queue: nothing is added, and it is known which requests were, by rules or by which kinds of reads. */
function watchQueue() {
  const causes = new Map<string, Set<string>>()
  const addedByReads = new Map<string, number>()
  const note = (request: Request, cause: string): void => {
    const name = nameOf(request)
    causes.set(name, (causes.get(name) ?? new Set()).add(cause))
  }
  const readersOf = ReadIndex.prototype.readersOf
  const reads = vi.spyOn(ReadIndex.prototype, 'readersOf').mockImplementation(function (
    this: ReadIndex,
    read,
  ) {
    const readers = readersOf.call(this, read)
    for (const r of readers) {
      note(r, read.split(' ')[0]!)
      addedByReads.set(nameOf(r), (addedByReads.get(nameOf(r)) ?? 0) + 1)
    }
    return readers
  })
  const add = vi.spyOn(WorkQueue.prototype, 'add').mockImplementation((item) => {
    const request = item as Request
    const left = (addedByReads.get(nameOf(request)) ?? 0) - 1
    addedByReads.set(nameOf(request), left)
    if (left < 0) note(request, 'rule')
  })
  return {
    causesOf: (name: string): ReadonlySet<string> => causes.get(name) ?? new Set(),
    clear: () => {
      causes.clear()
      addedByReads.clear()
    },
    restore: () => {
      reads.mockRestore()
      add.mockRestore()
    },
  }
}
