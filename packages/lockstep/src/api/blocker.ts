import { jsonEqual } from '@lockstep/kube/object'
import {
  type BlockerReason,
  type FactReason,
  type FactsOf,
  hasSampleRefs,
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
  readonly on?: readonly WaitRef[]
  /** Values that the message is rendered from. */
  readonly facts?: Readonly<Record<string, unknown>>
  readonly message: string
  /** `Module/cert-manager`, `Deployment/cert-manager/webhook@edge-7`: where to look next. */
  readonly subject: string
  /** RFC 3339; since when this reason holds for what is waited for. */
  readonly since: string
  readonly retryAfter?: string
  /** On how many clusters, where it is a summary. */
  readonly count?: number
  /** The first of them. */
  readonly clusters?: readonly string[]
}

export type NewBlocker = Omit<Blocker, 'since'>

/** Clusters that a summary names. */
const MAX_NAMED = 10
/** References that `status.blockers[].on` holds. */
const MAX_REFS = 8

/** A blocker from facts. The reason table renders its message. */
export function blocked<R extends FactReason>(reason: R, on: RefsOf<R>, facts: FactsOf<R>): NewBlocker {
  const fact = { reason, on, facts } as unknown as ReasonFact
  return {
    reason,
    on: on.slice(0, MAX_REFS),
    facts: defined(facts),
    message: textOf(messageOf(fact)),
    subject: subjectOf(on),
  }
}

/** Facts go into objects of the API: absent members are left out. */
const defined = (facts: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(facts).filter(([, v]) => v !== undefined))

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
    const on = blocker.on?.map((ref) => (ref.cluster === cluster ? { ...ref, cluster: SELF } : ref))
    const subject = blocker.subject.replace(/@.*$/, '')
    const key = JSON.stringify(on ? [blocker.reason, on, blocker.facts] : [blocker.reason, subject])
    const group = groups.get(key)
    if (group) group.clusters.push(cluster)
    else groups.set(key, { blocker: { ...blocker, subject, ...(on ? { on } : {}) }, clusters: [cluster] })
  }
  return [...groups.values()]
    .sort((a, b) => b.clusters.length - a.clusters.length || (a.blocker.subject < b.blocker.subject ? -1 : 1))
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
  if (blocker.on === undefined) return { ...blocker, count }
  const names = clusters.toSorted(byName.compare).slice(0, MAX_NAMED)
  const named = { ...blocker, count, clusters: names }
  return { ...named, message: textOf(messageOf(named as unknown as ReasonFact)) }
}

/** About a dependency of a unit, not about an object that it delivers. */
export const isOfDependency = ({ on, facts }: Pick<StoredFact, 'on' | 'facts'>): boolean =>
  facts?.edge !== undefined || on?.[0]?.kind === 'Unit'

/** `Module/certs@cluster-2`: of the first reference. */
function subjectOf(on: readonly WaitRef[]): string {
  const [ref] = on
  if (ref === undefined) return ''
  const kind = ref.object?.kind ?? OBJECT_KINDS[ref.kind] ?? ref.kind
  const place = ref.cluster === undefined || ref.cluster === SELF ? '' : `@${ref.cluster}`
  return `${kind}/${ref.name}${place}`
}

const OBJECT_KINDS: Partial<Record<WaitRef['kind'], string>> = {
  Unit: 'Module',
  Budget: 'DisruptionBudget',
  Cluster: 'cluster',
}

/** A blocker that was there before keeps its `since`; its message may have become another. */
export function keepSince(
  next: readonly NewBlocker[],
  old: readonly Blocker[] | undefined,
  now: string,
): Blocker[] {
  return next.map((b) => {
    const before = old?.find((o) => isSameWait(b, o)) ?? old?.find((o) => isSameReason(b, o))
    return { ...b, since: before?.since ?? now }
  })
}

/** By reason, references, and edge, stage or limit. */
function isSameWait(a: NewBlocker, b: NewBlocker): boolean {
  if (a.reason !== b.reason) return false
  if (a.on === undefined || b.on === undefined) return a.subject === b.subject
  return jsonEqual(a.on as never, b.on as never) && jsonEqual(identity(a), identity(b))
}

/** References of some reasons are samples, such as the clusters that use a limit: others do not begin another wait. */
const isSameReason = (a: NewBlocker, b: NewBlocker): boolean =>
  a.reason === b.reason && hasSampleRefs(a.reason) && jsonEqual(identity(a), identity(b))

const identity = ({ facts }: NewBlocker) =>
  [facts?.edge ?? null, facts?.stage ?? null, facts?.limit ?? null] as never

/** Reasons and references of blockers, without counts and durations. */
export const waitsText = (blockers: readonly NewBlocker[]): string =>
  JSON.stringify(blockers.map(({ reason, on, facts }) => [reason, on, facts?.edge, facts?.state]))
