/** How a row of the reason table is written: the whole truth about a reason. */
import { z } from 'zod'
import type { RefPattern, RefsOfPattern, WaitKind, WaitRef } from './waitref.ts'

/**
 * The person who ends the wait: `none` it ends by itself, `cause` the one who ends its root cause, `approver` of a release,
 * `author` of the Module or its manifests, `owner` of another object or field, `platform` team.
 */
export type ReasonActor = 'none' | 'cause' | 'approver' | 'author' | 'owner' | 'platform'

declare const messageBrand: unique symbol

/** A rendered message: for printers, `textOf` gives its text. No code reads one. */
export interface Message {
  readonly [messageBrand]: true
}

/** The text of a message, for printers, events and conditions. */
export const textOf = (message: Message): string => message as unknown as string
export const asMessage = (text: string): Message => text as unknown as Message

/** Clusters of a summary: how many, and the first names. */
export interface ClusterList {
  readonly count: number
  readonly names: readonly string[]
}

/** Input of a message: facts, references, and the clusters of a summary. */
export type MessageInput<F> = Readonly<F> & {
  readonly on: readonly WaitRef[]
  readonly clusters: ClusterList | undefined
}

type Shape = Readonly<Record<string, z.ZodType>>
/** No facts: zod has `Record<string, never>`, with which nothing can be intersected. */
type ValuesOf<S extends Shape> = keyof S extends never ? object : z.output<z.ZodObject<S>>

/** One example of a reason: its facts, references, and, of a summary, clusters. */
type Example<S extends Shape, P> = ValuesOf<S> & {
  readonly on: RefsOfPattern<P>
  readonly clusters?: ClusterList
}

export interface ReasonRow<S extends Shape = Shape, P = RefPattern<WaitKind, 0 | 1>> {
  readonly actor: ReasonActor
  /** References that end the wait; the index of watches follows from it. */
  readonly on: P
  /** Values, never sentences; no value of a Secret. */
  readonly facts: S
  readonly message: (f: MessageInput<ValuesOf<S>>) => string
  /** Message to the author of a ClusterResourceSet, where `message` names fields or commands of a Module. */
  readonly setMessage?: (f: MessageInput<ValuesOf<S>>) => string | undefined
  /** One sentence for the reference page. */
  readonly meaning: string
  /** An imperative without a period. */
  readonly advice: (f: MessageInput<ValuesOf<S>>) => string
  readonly examples: readonly [Example<S, P>, ...Example<S, P>[]]
}

/** Checks the types of a row. */
export const reason = <const S extends Shape, const P extends RefPattern<WaitKind, 0 | 1>>(
  row: ReasonRow<S, P>,
): ReasonRow<S, P> => row

/** A fact that is a text: a name, a field, an error of a server. */
export const text = z.string()
export const number = z.number()
export const flag = z.boolean()
export const texts = z.array(z.string()).readonly()
export const oneOf = <const V extends readonly [string, ...string[]]>(...values: V) => z.enum(values)

/** Reasons of Events that no blocker has: something happened, and no action is needed. */
export type EventReason =
  | 'Published'
  | 'Complete'
  | 'TagMoved'
  | 'CommitNotOnRef'
  | 'CredentialRenewed'
  | 'Orphaned'
  | 'HandedOver'
  | 'InventoryRebuilt'
  | 'DriftReverted'
  | 'HookOutput'
  | 'ApprovalDeletedLate'
  | 'StageEmpty'
  | 'BindingShadowsEnv'
  | 'RenderWarned'
  | 'SelectorChanged'
  | 'Applied'
  | 'Pruned'
  | 'TakenOver'
  | 'HandedBack'
  | 'PauseRemoved'
  | 'Promote'
