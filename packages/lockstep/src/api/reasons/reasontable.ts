/** The one table of reasons: every row is the whole truth about a reason. */
import { printable } from '@lockstep/kube/object'
import { z } from 'zod'
import { clusterReasons } from './cluster.ts'
import { deletionReasons, ownershipReasons } from './deletion.ts'
import { deliveryReasons } from './delivery.ts'
import { environmentReasons } from './environment.ts'
import { gateReasons } from './gate.ts'
import { gitHostReasons } from './githost.ts'
import { hookReasons } from './hook.ts'
import { promotionReasons } from './promotion.ts'
import { promotionEditReasons } from './promotionedit.ts'
import { pullRequestReasons } from './pullrequest.ts'
import { asMessage, type ClusterList, type Message, type ReasonActor, type ReasonRow } from './reason.ts'
import { renderReasons } from './render.ts'
import { resourceSetReasons } from './resourceset.ts'
import { rolloutReasons } from './rollout.ts'
import { sourceReasons } from './source.ts'
import { specReasons } from './spec.ts'
import { stageReasons } from './stage.ts'
import { waitReasons } from './wait.ts'
import { type RefsOfPattern, type WaitRef, waitRef } from './waitref.ts'
import { writeReasons } from './write.ts'

export const reasonTable = {
  ...clusterReasons,
  ...deletionReasons,
  ...deliveryReasons,
  ...environmentReasons,
  ...gateReasons,
  ...gitHostReasons,
  ...hookReasons,
  ...ownershipReasons,
  ...promotionReasons,
  ...promotionEditReasons,
  ...pullRequestReasons,
  ...renderReasons,
  ...resourceSetReasons,
  ...rolloutReasons,
  ...sourceReasons,
  ...specReasons,
  ...stageReasons,
  ...waitReasons,
  ...writeReasons,
}

type Table = typeof reasonTable

/** They say that a source is being read, or that it has more than the published revision. */
const NO_FAILURES: ReadonlySet<string> = new Set<BlockerReason>(['Fetching', 'ResolvedOlder', 'SourceBehind'])

/** Whether a Module with such a blocker could not read or render its source. */
export const isSourceFailure = (reason: string): boolean =>
  (Object.hasOwn(sourceReasons, reason) || Object.hasOwn(renderReasons, reason)) && !NO_FAILURES.has(reason)

/** Every reason for which something waits or failed. */
export type BlockerReason = keyof Table

/** Facts of a reason: values only. */
export type FactsOf<R extends BlockerReason> = z.output<z.ZodObject<Table[R]['facts']>>
/** References of a reason. */
export type RefsOf<R extends BlockerReason> = RefsOfPattern<Table[R]['on']>

export type ReasonFact = {
  [R in BlockerReason]: { readonly reason: R; readonly on: RefsOf<R>; readonly facts: FactsOf<R> }
}[BlockerReason]

/** A fact of any reason, as it is stored. */
export interface StoredFact {
  readonly reason: string
  readonly on?: readonly WaitRef[] | undefined
  readonly facts?: Readonly<Record<string, unknown>> | undefined
  readonly clusters?: readonly string[] | undefined
  readonly count?: number | undefined
}

const rowOf = (name: string): ReasonRow | undefined =>
  Object.hasOwn(reasonTable, name) ? (reasonTable[name as BlockerReason] as unknown as ReasonRow) : undefined

const inputOf = (f: StoredFact) => ({
  ...f.facts,
  on: f.on ?? [],
  clusters: clustersOf(f),
})

function clustersOf({ clusters, count }: StoredFact): ClusterList | undefined {
  return clusters === undefined ? undefined : { count: count ?? clusters.length, names: clusters }
}

/** The message of a fact: the only renderer. */
export function messageOf(f: ReasonFact & Pick<StoredFact, 'clusters' | 'count'>): Message {
  return asMessage(printable(rowOf(f.reason)!.message(inputOf(f))))
}

/** The message of a stored blocker to the author of a ClusterResourceSet; undefined where its facts are not known. */
export function setMessageOf(f: StoredFact): Message | undefined {
  if (!isKnownFact(f)) return undefined
  const { setMessage, message } = rowOf(f.reason)!
  const input = inputOf(f)
  return asMessage(printable(setMessage?.(input) ?? message(input)))
}

/** Other references of this reason do not begin another wait. */
export const hasSampleRefs = (reason: string): boolean => rowOf(reason)?.on.isSample === true

const refs = z.array(waitRef)

/** Whether a stored blocker has the facts that its reason needs. One of a newer controller, or without facts, has not. */
export function isKnownFact(f: StoredFact): boolean {
  const row = rowOf(f.reason)
  if (row === undefined || f.on === undefined || f.facts === undefined) return false
  const on = refs.safeParse(f.on)
  return on.success && on.data.length >= row.on.min && z.object(row.facts).safeParse(f.facts).success
}

/** Advice about a stored blocker; undefined where its facts are not known. */
export const adviceOf = (f: StoredFact): string | undefined =>
  isKnownFact(f) ? printable(rowOf(f.reason)!.advice(inputOf(f))) : undefined

/** An example of a reason as people read it, for the reference page and tests of the table. */
export function renderedExample(
  name: BlockerReason,
  { on, clusters, ...facts }: ReasonRow['examples'][number],
): { readonly message: string; readonly advice: string } {
  const input = { ...facts, on: on as readonly WaitRef[], clusters }
  const row = rowOf(name)!
  return { message: row.message(input), advice: row.advice(input) }
}

/** Actor of a reason; undefined: the reason is of a newer controller. */
export const actorOf = (name: string): ReasonActor | undefined => rowOf(name)?.actor
