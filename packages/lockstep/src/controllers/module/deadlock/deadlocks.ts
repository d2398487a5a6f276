/**
 * Deadlocks of all Modules of one process. Each decision about a Module brings the waits of its units. They are searched when a
 * unit begins to wait for one that waits, at most every 10 seconds a namespace, and a ring that stays is reported.
 */
import type { Clock } from '@lockstep/kube/env'
import { jsonEqual, type Stored } from '@lockstep/kube/object'
import { type ClusterBlocker, type NewBlocker, storedBlocker, summarized } from '../../../api/blocker.ts'
import type { Module } from '../../../api/kinds/index.ts'
import {
  aboutCause,
  aboutWaits,
  causesOf,
  closesRing,
  type Deadlock,
  deadlockBlocker,
  deadlocksOf,
  type ModuleWaitGraph,
  type ModuleWaits,
  moduleWaitGraph,
} from '../../../decisions/deadlock/index.ts'
import { type ModuleRef, moduleId, refOfId } from '../../../decisions/graph/index.ts'
import { soonestRequeue } from '../../../deliver/step/index.ts'
import { moduleRequest } from '../../cache/index.ts'
import type { RequestQueue } from '../../runtime/index.ts'

const SEARCH_EVERY_MS = 10_000
/** Milliseconds for which a ring must stay. */
const UNCHANGED_MS = 30_000
/** Milliseconds after a start for which a stored report stays: until clusters are connected and all Modules are decided. */
const KEPT_MS = 30_000

export interface DeadlockVerdict {
  readonly blockers: readonly NewBlocker[]
  /** Milliseconds until it must be asked again. */
  readonly againInMs: number | undefined
}

interface KnownDeadlock {
  readonly deadlock: Deadlock
  /** Steady milliseconds at which it was found. */
  readonly since: number
}

interface DecidedModule {
  readonly waits: ModuleWaits
  /** Its own part of the graph. */
  readonly own: ModuleWaitGraph
  /** Its waits, without counts and times. */
  readonly about: string
}

/** The Modules of a namespace. */
interface Namespace {
  readonly modules: Map<string, DecidedModule>
  readonly known: Map<string, KnownDeadlock>
  /** Waits changed since the last search. */
  isDue: boolean
  searchedAt: number | undefined
}

export class Deadlocks {
  private readonly clock: Pick<Clock, 'steady'>
  private readonly requests: RequestQueue
  private readonly startedAt: number
  private readonly namespaces = new Map<string, Namespace>()
  /** Ids of Modules that were on a ring since the start. */
  private readonly found = new Set<string>()
  /** Steps of all searches. */
  steps = 0

  constructor({ clock }: { readonly clock: Pick<Clock, 'steady'> }, requests: RequestQueue) {
    this.clock = clock
    this.requests = requests
    this.startedAt = clock.steady()
  }

  /** Call it after each decision about a Module. */
  look(module: Stored<Module>, waits: ModuleWaits): DeadlockVerdict {
    const { ref } = waits
    const id = moduleId(ref)
    const of = this.namespaceOf(ref)
    const own = moduleWaitGraph([waits])
    const about = aboutWaits(waits)
    const isChanged = of.modules.get(id)?.about !== about
    of.modules.set(id, { waits, own, about })
    if (isChanged) {
      this.dropChanged(of, ref)
      if (closesRing(own, of.modules)) of.isDue = true
    }
    const dueInMs = of.isDue ? this.dueInMs(of) : undefined
    if (dueInMs === 0) this.search(of, ref, module)
    const blockers = this.blockersOf(of, ref)
    const keptForMs = this.startedAt + KEPT_MS - this.clock.steady()
    const kept = keptForMs > 0 && !this.found.has(id) ? reportOf(module) : undefined
    return {
      blockers: kept ? [storedBlocker(kept)] : blockers,
      againInMs: soonestRequeue([dueInMs || undefined, this.confirmedInMs(of, ref), kept && keptForMs]),
    }
  }

  /** The Module is gone, and with it all that waited for it or in it. */
  forget(ref: ModuleRef): void {
    const of = this.namespaces.get(ref.namespace)
    this.found.delete(moduleId(ref))
    if (!of?.modules.delete(moduleId(ref))) return
    this.dropChanged(of, ref)
    if (of.modules.size === 0) this.namespaces.delete(ref.namespace)
  }

  private namespaceOf({ namespace }: ModuleRef): Namespace {
    const found: Namespace = this.namespaces.get(namespace) ?? {
      modules: new Map(),
      known: new Map(),
      isDue: false,
      searchedAt: undefined,
    }
    this.namespaces.set(namespace, found)
    return found
  }

  /** A ring ends with the first of its waits that is another one. */
  private dropChanged(of: Namespace, ref: ModuleRef): void {
    for (const [key, { deadlock }] of of.known) {
      if (!isMember(deadlock, ref) || isUnchanged(deadlock, of, ref)) continue
      of.known.delete(key)
      of.isDue = true
      this.wakeOthers(deadlock, ref)
    }
  }

  private dueInMs({ searchedAt }: Namespace): number {
    return searchedAt === undefined ? 0 : Math.max(0, searchedAt + SEARCH_EVERY_MS - this.clock.steady())
  }

  private search(of: Namespace, ref: ModuleRef, module: Stored<Module>): void {
    const now = this.clock.steady()
    of.isDue = false
    of.searchedAt = now
    const { deadlocks, steps } = deadlocksOf([...of.modules.values()].map((m) => m.waits))
    this.steps += steps
    const before = new Map(of.known)
    of.known.clear()
    for (const deadlock of deadlocks) {
      const { key } = deadlock
      const old = before.get(key)
      before.delete(key)
      const since = old?.since ?? (isReported(module, deadlock, ref) ? now - UNCHANGED_MS : now)
      of.known.set(key, { deadlock, since })
      for (const l of deadlock.links) this.found.add(moduleId(l.ref))
      if (!old) this.wakeOthers(deadlock, ref)
    }
    for (const { deadlock } of before.values()) this.wakeOthers(deadlock, ref)
  }

  private wakeOthers({ links }: Deadlock, ref: ModuleRef): void {
    const own = moduleId(ref)
    for (const id of new Set(links.map((l) => moduleId(l.ref))))
      if (id !== own) this.requests.add(moduleRequest(refOfId(id)))
  }

  private blockersOf(of: Namespace, ref: ModuleRef): NewBlocker[] {
    const now = this.clock.steady()
    const found: ClusterBlocker[] = []
    for (const { deadlock, since } of of.known.values()) {
      if (now - since < UNCHANGED_MS) continue
      for (const l of deadlock.links)
        if (moduleId(l.ref) === moduleId(ref))
          found.push({ cluster: l.cluster, blocker: deadlockBlocker(deadlock, ref, l.cluster) })
    }
    return summarized(found)
  }

  private confirmedInMs(of: Namespace, ref: ModuleRef): number | undefined {
    const now = this.clock.steady()
    const open = [...of.known.values()].flatMap(({ deadlock, since }) =>
      isMember(deadlock, ref) && now - since < UNCHANGED_MS ? [since + UNCHANGED_MS - now] : [],
    )
    return soonestRequeue(open)
  }
}

const isMember = ({ links }: Deadlock, ref: ModuleRef): boolean =>
  links.some((l) => moduleId(l.ref) === moduleId(ref))

/** The waits of the units of one Module on a ring. */
function isUnchanged({ links }: Deadlock, of: Namespace, ref: ModuleRef): boolean {
  const id = moduleId(ref)
  const units = of.modules.get(id)?.waits.waits.units ?? []
  return links
    .filter((l) => moduleId(l.ref) === id)
    .every((l) => {
      const wait = units.find((u) => u.cluster === l.cluster)
      return wait && [...causesOf(ref, wait).values()].some((c) => aboutCause(c) === l.about)
    })
}

/** The stored report of a Module. */
const reportOf = ({ status }: Stored<Module>) => status?.blockers?.find((b) => b.reason === 'Deadlock')

/** A ring that was reported before a start has been there for long enough. */
function isReported(module: Stored<Module>, deadlock: Deadlock, ref: ModuleRef): boolean {
  const facts = reportOf(module)?.facts
  return (
    facts !== undefined &&
    deadlock.links.some(
      (l) =>
        moduleId(l.ref) === moduleId(ref) &&
        jsonEqual(facts as never, deadlockBlocker(deadlock, ref, l.cluster).facts as never),
    )
  )
}
