/** The one table of reasons: every row is the whole truth about a reason. */
import { z } from 'zod'
import { environmentReasons } from './environment.ts'
import { gateReasons } from './gate.ts'
import { gitHostReasons } from './githost.ts'
import { promotionReasons } from './promotion.ts'
import { promotionEditReasons } from './promotionedit.ts'
import { pullRequestReasons } from './pullrequest.ts'
import { asMessage, type ClusterList, type Message, type ReasonRow } from './reason.ts'
import { resourceSetReasons } from './resourceset.ts'
import { type RefsOfPattern, type WaitRef, waitRef } from './waitref.ts'

export const reasonTable = {
  ...gateReasons,
  ...environmentReasons,
  ...promotionReasons,
  ...promotionEditReasons,
  ...pullRequestReasons,
  ...gitHostReasons,
  ...resourceSetReasons,
}

type Table = typeof reasonTable
export type FactReason = keyof Table

/** Facts of a reason: values only. */
export type FactsOf<R extends FactReason> = z.output<z.ZodObject<Table[R]['facts']>>
/** References of a reason. */
export type RefsOf<R extends FactReason> = RefsOfPattern<Table[R]['on']>

export type Fact = {
  [R in FactReason]: { readonly reason: R; readonly on: RefsOf<R>; readonly facts: FactsOf<R> }
}[FactReason]

/** A fact of any reason, as it is stored. */
export interface StoredFact {
  readonly reason: string
  readonly on?: readonly WaitRef[] | undefined
  readonly facts?: Readonly<Record<string, unknown>> | undefined
  readonly clusters?: readonly string[] | undefined
  readonly count?: number | undefined
}

const rowOf = (name: string): ReasonRow | undefined =>
  Object.hasOwn(reasonTable, name) ? (reasonTable[name as FactReason] as unknown as ReasonRow) : undefined

const inputOf = (f: StoredFact) => ({
  ...f.facts,
  on: f.on ?? [],
  clusters: clustersOf(f),
})

function clustersOf({ clusters, count }: StoredFact): ClusterList | undefined {
  return clusters === undefined ? undefined : { count: count ?? clusters.length, names: clusters }
}

/** The message of a fact: the only renderer. */
export function messageOf(f: Fact & Pick<StoredFact, 'clusters' | 'count'>): Message {
  return asMessage(rowOf(f.reason)!.message(inputOf(f)))
}

const refs = z.array(waitRef)

/** Whether a stored blocker has the facts that its reason needs. One of a newer controller, or without facts, has not. */
export function isKnownFact(f: StoredFact): boolean {
  const row = rowOf(f.reason)
  if (row === undefined || f.on === undefined || f.facts === undefined) return false
  const on = refs.safeParse(f.on)
  return on.success && on.data.length >= row.on.min && z.object(row.facts).safeParse(f.facts).success
}

/** What to do about a stored blocker; undefined where its facts are not known. */
export const adviceOf = (f: StoredFact): string | undefined =>
  isKnownFact(f) ? rowOf(f.reason)!.advice(inputOf(f)) : undefined
