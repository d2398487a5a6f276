import { jsonEqual, printable } from '@lockstep/kube/object'
import {
  type BlockerReason,
  type FactsOf,
  hasSampleRefs,
  isKnownFact,
  MAX_REFS,
  messageOf,
  type ReasonFact,
  type RefsOf,
  SELF,
  type StoredFact,
  textOf,
  type WaitRef,
} from './reasons/index.ts'

/** Why something waits. Everything that waits has at least one. */
export interface Blocker {
  readonly reason: BlockerReason
  /** References that end the wait. */
  readonly on: readonly WaitRef[]
  /** Values that the message is rendered from. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly message: string
  /** RFC 3339; since when this reason holds for what is waited for. */
  readonly since: string
  readonly retryAfter?: string
  /** On how many clusters, where it is a summary. */
  readonly count?: number
  /** The first of them. */
  readonly clusters?: readonly string[]
}

export type NewBlocker = Omit<Blocker, 'since'>

/** A blocker as a status has it: a newer controller may have written it. */
type StoredBlocker = StoredFact & Pick<Blocker, 'message' | 'since'>

/** Clusters that a summary names. */
const MAX_NAMED = 10

/** A blocker from facts. The reason table renders its message. */
export function blocked<R extends BlockerReason>(reason: R, on: RefsOf<R>, facts: FactsOf<R>): NewBlocker {
  const shown = shownFacts(facts)
  return {
    reason,
    on: on.slice(0, MAX_REFS),
    facts: shown,
    message: textOf(messageOf({ reason, on, facts: shown } as unknown as ReasonFact)),
  }
}

/** A blocker from a status, without its age; a newer controller may have left out references or facts. */
export const storedBlocker = ({ reason, on = [], facts = {}, message }: StoredBlocker): NewBlocker => ({
  reason: reason as BlockerReason,
  on,
  facts,
  message,
})

/** Facts go into objects of the API, which people read: absent members are left out, and texts of servers are printable. */
const shownFacts = (facts: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(facts)
      .filter(([, v]) => v !== undefined)
      .map(([name, v]) => [name, shownFact(v)]),
  )

function shownFact(fact: unknown): unknown {
  if (typeof fact === 'string') return printable(fact)
  if (Array.isArray(fact)) return fact.map(shownFact)
  return typeof fact === 'object' && fact !== null ? shownFacts(fact) : fact
}

/** One of a cluster's unit, and the cluster. */
export interface ClusterBlocker {
  readonly cluster: string
  readonly blocker: NewBlocker
}

/**
 * Groups blockers of many clusters: those that are equal once their own cluster is replaced by `SELF` become one, with the
 * number of clusters and the first names; most clusters first.
 */
export function summarized(all: readonly ClusterBlocker[]): NewBlocker[] {
  const groups = new Map<string, { readonly blocker: NewBlocker; readonly clusters: string[] }>()
  for (const { cluster, blocker } of all) {
    const on = blocker.on.map((ref) => (ref.cluster === cluster ? { ...ref, cluster: SELF } : ref))
    const key = JSON.stringify([blocker.reason, on, blocker.facts])
    const group = groups.get(key)
    if (group) group.clusters.push(cluster)
    else groups.set(key, { blocker: { ...blocker, on }, clusters: [cluster] })
  }
  const before = (a: NewBlocker, b: NewBlocker): number => (subjectOf(a.on) < subjectOf(b.on) ? -1 : 1)
  return [...groups.values()]
    .sort((a, b) => b.clusters.length - a.clusters.length || before(a.blocker, b.blocker))
    .map(summary)
}

/** `cluster-2` before `cluster-10`. */
const byName = new Intl.Collator('en', { numeric: true })

function summary({
  blocker,
  clusters,
}: {
  readonly blocker: NewBlocker
  readonly clusters: readonly string[]
}): NewBlocker {
  const count = clusters.length
  const names = clusters.toSorted(byName.compare).slice(0, MAX_NAMED)
  const named = { ...blocker, count, clusters: names }
  return { ...named, message: renderedText(named) }
}

/** The message of facts that were read from a status; the stored one where a newer controller wrote them. */
export const renderedText = (b: StoredFact & { readonly message: string }): string =>
  isKnownFact(b) ? textOf(messageOf(b as unknown as ReasonFact)) : printable(b.message)

/** About a dependency of a unit, not about an object that it delivers. */
export const isOfDependency = ({ on, facts }: Pick<StoredFact, 'on' | 'facts'>): boolean =>
  facts?.edge !== undefined || on?.[0]?.kind === 'Unit'

/** About the connection to a cluster, or its identity. */
export const isOfCluster = ({ on }: Pick<StoredFact, 'on'>, cluster: string): boolean =>
  on?.[0]?.kind === 'Cluster' && on[0].name === cluster

/** `Module/certs@cluster-2`: the first reference of a blocker, for printers; empty where it has none. */
export function subjectOf(on: readonly WaitRef[] = []): string {
  const [ref] = on
  if (ref === undefined) return ''
  const kind = ref.object?.kind ?? OBJECT_KINDS[ref.kind] ?? ref.kind
  const place = ref.cluster === undefined || ref.cluster === SELF ? '' : `@${ref.cluster}`
  return `${kind}/${ref.name}${place}`
}

/** RFC 3339 or a duration; when a wait ends by itself, where it does. */
export const untilOf = (on: readonly WaitRef[] = []): string | undefined =>
  on.find((ref) => ref.kind === 'Time')?.name

const OBJECT_KINDS: Partial<Record<WaitRef['kind'], string>> = {
  Unit: 'Module',
  Budget: 'DisruptionBudget',
  Cluster: 'cluster',
}

/** A blocker that was there before keeps its `since`; its message may have become another. */
export function keepSince(
  next: readonly NewBlocker[],
  old: readonly StoredBlocker[] | undefined,
  now: string,
): Blocker[] {
  return next.map((b) => {
    const before = old?.find((o) => isSameWait(b, o)) ?? old?.find((o) => isSameReason(b, o))
    return { ...b, since: before?.since ?? now }
  })
}

/** By reason, references, and edge, stage or limit. */
function isSameWait(a: NewBlocker, b: StoredBlocker): boolean {
  if (a.reason !== b.reason) return false
  return jsonEqual(a.on as never, (b.on ?? null) as never) && jsonEqual(identity(a), identity(b))
}

const isSameReason = (a: NewBlocker, b: StoredBlocker): boolean =>
  a.reason === b.reason && hasSampleRefs(a.reason) && jsonEqual(identity(a), identity(b))

const identity = ({ facts }: Pick<StoredFact, 'facts'>) =>
  [facts?.edge ?? null, facts?.stage ?? null, facts?.limit ?? null] as never

/**
 * Identity of a blocker: references and facts without counts and times. A number in a sentence is a count or a time; one in a
 * word is part of a name.
 */
export const aboutOf = ({ on = [], facts = {} }: Pick<StoredFact, 'on' | 'facts'>): string =>
  JSON.stringify([on.filter((ref) => ref.kind !== 'Time'), aboutFact(facts)])

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T/

function aboutFact(fact: unknown): unknown {
  if (typeof fact === 'number') return null
  if (typeof fact === 'string') {
    if (TIMESTAMP.test(fact)) return null
    return /\s/.test(fact) ? fact.replace(/\d+/g, '#') : fact
  }
  if (Array.isArray(fact)) return fact.map(aboutFact)
  if (typeof fact !== 'object' || fact === null) return fact
  return Object.fromEntries(Object.entries(fact).map(([name, v]) => [name, aboutFact(v)]))
}

/** Reasons and references of blockers, without counts and durations. */
export const waitsText = (blockers: readonly NewBlocker[]): string =>
  JSON.stringify(blockers.map(({ reason, on, facts }) => [reason, on, facts?.edge, facts?.state]))
