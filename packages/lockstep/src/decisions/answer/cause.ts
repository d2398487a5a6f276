/** From the blockers of a unit along their references to the root causes. Pure: a reader gives the state of units. */
import { untilOf } from '../../api/blocker.ts'
import {
  actorOf,
  adviceOf,
  isKnownFact,
  nameOf,
  placeOf,
  type ReasonActor,
  type WaitRef,
} from '../../api/reasons/index.ts'

/** A blocker as it is stored, or as a gate gives it. */
export interface AnswerBlocker {
  readonly reason: string
  readonly message: string
  readonly since?: string | undefined
  readonly on?: readonly WaitRef[] | undefined
  readonly facts?: Readonly<Record<string, unknown>> | undefined
  readonly count?: number | undefined
  readonly clusters?: readonly string[] | undefined
}

/** The unit that a cause is about. */
export interface CauseAddress {
  readonly module: string
  /** Empty: the Module as a whole. */
  readonly cluster: string
}

export interface Cause extends CauseAddress {
  /** Subject of the wait: `certs on cluster-2`, `Deployment certs/webhook`, `Pod webhook-7d9c`. */
  readonly label: string
  readonly reason: string
  readonly text: string
  readonly since?: string | undefined
  /** When the wait ends by itself, where that is known. */
  readonly until?: string | undefined
  /** The health rule that gives the state of an object: `apps/Deployment`. */
  readonly rule?: string | undefined
  /** Advice; undefined: the facts of the reason are not known here. */
  readonly advice?: string | undefined
  /** No further cause is known. */
  readonly isRoot?: boolean | undefined
  /** The tree has its causes further up. */
  readonly isAbove?: boolean | undefined
  readonly children: readonly Cause[]
}

export type UnitAnswerState = 'Ready' | 'Waiting' | 'Failed' | 'NotSelected'

/** A unit, as far as its causes are concerned. */
export interface UnitAnswer {
  readonly state: UnitAnswerState
  readonly blockers: readonly AnswerBlocker[]
}

export interface AnswerReader {
  /** A unit, or (`kind: Module`) a Module as a whole. Undefined: no such Module. */
  unit(ref: WaitRef): UnitAnswer | undefined
  /** Blockers of a Module as a whole. */
  module(ref: WaitRef): readonly AnswerBlocker[]
  /** An object of a unit as its cluster shows it; undefined: it was not read. */
  object(ref: WaitRef, blocker: AnswerBlocker, at: CauseAddress): Cause | undefined
}

const MAX_DEPTH = 8
const MAX_CHILDREN = 3

/** Whose wait ends with the unit or Module that it refers to; the others end with a change of their own subject. */
const FOLLOWED: ReadonlySet<ReasonActor> = new Set(['none', 'cause', 'approver'])

export class CauseWalk {
  private readonly reader: AnswerReader
  private readonly open = new Set<string>()
  /** Units whose causes are in the tree already. */
  private readonly followed = new Set<string>()

  constructor(reader: AnswerReader) {
    this.reader = reader
  }

  /** Why one unit is not ready. */
  unit(ref: WaitRef): Cause[] {
    const id = unitId(ref)
    if (this.open.has(id) || this.open.size >= MAX_DEPTH) return []
    const found = this.reader.unit(ref)
    if (!found || found.state === 'Ready') return []
    this.open.add(id)
    const causes = this.of(found.blockers, { module: ref.name, cluster: ref.cluster ?? '' })
    this.open.delete(id)
    return causes
  }

  /** A wait for another object of the unit, for another stage or the rollout before, comes with what that one waits for. */
  of(blockers: readonly AnswerBlocker[], at: CauseAddress): Cause[] {
    const behind = blockers.find((b) => b.reason === 'RolloutInProgress')
    if (behind && blockers.length > 1) {
      const children = this.of(
        blockers.filter((b) => b !== behind),
        at,
      )
      return [{ ...this.cause(behind, at), isRoot: false, children }]
    }
    const causes = blockers.filter((b) => b.reason !== 'WaitingForObject' && !isAfterOneOf(blockers, b))
    return (causes.length > 0 ? causes : blockers).slice(0, MAX_CHILDREN).map((b) => this.cause(b, at))
  }

  /** A blocker of a newer controller, or without facts, ends the chain with its stored message. */
  private cause(b: AnswerBlocker, at: CauseAddress): Cause {
    const on = isKnownFact(b) ? (b.on ?? []) : []
    const [ref] = on
    const live = ref?.kind === 'Object' ? this.reader.object(ref, b, at) : undefined
    if (live) return live
    const below = this.below(b.reason, on, at)
    return {
      label: ref === undefined ? at.module : labelOf(ref, at),
      reason: b.reason,
      text: b.message,
      since: b.since,
      until: untilOf(on),
      advice: adviceOf(b),
      module: at.module,
      cluster: at.cluster,
      isRoot: below.children.length === 0 && !below.isAbove,
      isAbove: below.isAbove,
      children: below.children,
    }
  }

  private below(
    reason: string,
    on: readonly WaitRef[],
    at: CauseAddress,
  ): Pick<Cause, 'children' | 'isAbove'> {
    const actor = actorOf(reason)
    if (actor === undefined || !FOLLOWED.has(actor)) return { children: [] }
    const refs = on.filter((ref) => !isOwn(ref, at))
    const isNew = (ref: WaitRef): boolean =>
      ref.kind !== 'Unit' || !(this.followed.has(unitId(ref)) || this.open.has(unitId(ref)))
    const children = refs.flatMap((ref): Cause[] => {
      if (ref.kind === 'Module')
        return this.of(this.reader.module(ref), { module: ref.name, cluster: at.cluster })
      if (ref.kind !== 'Unit' || !isNew(ref)) return []
      this.followed.add(unitId(ref))
      return ref.name === at.module ? this.sibling(ref) : this.unit(ref)
    })
    const isAbove = children.length === 0 && refs.some((ref) => !isNew(ref) && this.isWaiting(ref))
    return { children: children.slice(0, MAX_CHILDREN), ...(isAbove ? { isAbove } : {}) }
  }

  private isWaiting(ref: WaitRef): boolean {
    const state = this.reader.unit(ref)?.state
    return state !== undefined && state !== 'Ready'
  }

  /** Another cluster of the same Module: a rollout waits for it. */
  private sibling(ref: WaitRef): Cause[] {
    const found = this.reader.unit(ref)
    if (!found || found.state === 'Ready') return []
    const children = this.unit(ref)
    const { state, blockers } = found
    const at = { module: ref.name, cluster: ref.cluster ?? '' }
    const isRoot = children.length === 0
    const text = blockers[0]?.message ?? ''
    return [
      { label: labelOf(ref, { module: '', cluster: '' }), reason: state, text, ...at, isRoot, children },
    ]
  }
}

/** A stage opens after the stage that another blocker is about. */
const isAfterOneOf = (all: readonly AnswerBlocker[], { facts }: AnswerBlocker): boolean =>
  facts?.after !== undefined && all.some((b) => b.facts?.stage === facts.after)

const unitId = (ref: WaitRef): string => `${ref.name}@${ref.cluster ?? ''}`

const isOwn = (ref: WaitRef, at: CauseAddress): boolean =>
  ref.name === at.module && (ref.kind === 'Module' || (ref.kind === 'Unit' && ref.cluster === at.cluster))

/** The cluster is named where it is another one than the unit's. */
const labelOf = (ref: WaitRef, at: CauseAddress): string =>
  ref.cluster === at.cluster ? nameOf(ref) : `${nameOf(ref)}${placeOf(ref, undefined)}`

/**
 * The ends of all chains, each once: Holds first, because no other remedy has an effect before they end, then the oldest; those
 * of unknown age last. Units that wait for each other have all ends above.
 */
export function rootsOf(causes: readonly Cause[]): Cause[] {
  const [found, above] = [new Map<string, Cause>(), new Map<string, Cause>()]
  const visit = (cause: Cause): void => {
    for (const child of cause.children) visit(child)
    const key = `${cause.module} ${cause.label} ${cause.cluster} ${cause.reason}`
    const ends = cause.isAbove ? above : found
    if (cause.children.length === 0 && !ends.has(key)) ends.set(key, cause)
  }
  for (const cause of causes) visit(cause)
  const rank = (c: Cause): string => (c.reason === 'Held' ? '' : (c.since ?? '~'))
  return [...(found.size > 0 ? found : above).values()].sort((a, b) =>
    rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0,
  )
}
