/** What a dialect is: keys of annotations, and what each of their values means. */
import type { KubeObject } from '@lockstep/kube/object'
import type { HookPhase, HookPolicy, HookResult, HookTrigger, RequiredState } from '../ordergraph.ts'
import type { AnnotationTarget, OrderOptions, WeighedRule, WriteMode } from '../orderoptions.ts'

/** Ours is always read; a module may switch the others off. */
export type DialectName = 'Own' | 'Argo' | 'Helm' | 'Kapp' | 'CliUtils' | 'Flux'

/** Another object comes first. Without `ask`: Complete for a Job, a Pod or a hook, else Healthy. */
export interface Need {
  readonly target: AnnotationTarget
  readonly ask?: Extract<RequiredState, 'Applied' | 'Exists' | 'Healthy' | 'Complete' | 'Expr'>
  readonly expression?: string
}

/** What makes an object a hook, as one dialect says it. */
export interface HookText {
  readonly runs: readonly { readonly phase: HookPhase; readonly when: HookTrigger }[]
  /** Neither applied nor run. */
  readonly ignored: boolean
}

/** What one annotation says. */
export interface AnnotationEffect {
  readonly options?: Partial<Omit<OrderOptions, 'mode'>>
  readonly mode?: WriteMode
  readonly needs?: readonly Need[]
  readonly hook?: HookText
  readonly policy?: readonly HookPolicy[]
  readonly outputs?: readonly HookResult[]
  readonly timeoutSeconds?: number
  readonly retries?: number
  /** Of the bundle: what is of a later one begins when all of this one is well. */
  readonly step?: number
  /** Of `sync-wave`; undefined where it is no number. */
  readonly wave?: { readonly number: number | undefined }
  readonly weight?: number
  readonly groups?: readonly string[]
  readonly rules?: readonly WeighedRule[]
  /** No edge that manifests imply without need touches the object. */
  readonly unimplied?: boolean
  readonly warning?: string
}

/** A value that is refused: what would be allowed, or why the key itself cannot be honoured. */
export type AnnotationRefusal = { readonly allowed: string } | { readonly unsupported: string }

export type AnnotationReader = (value: string, o: KubeObject) => AnnotationEffect | AnnotationRefusal

export interface OrderDialect {
  readonly name: DialectName
  readonly keys: ReadonlyMap<string, AnnotationReader>
  /** Keys that begin so, with any suffix. */
  readonly prefixes?: readonly (readonly [prefix: string, read: AnnotationReader])[]
  /** Keys that are labels too. */
  readonly labels?: boolean
}

export const isRefusal = (r: AnnotationEffect | AnnotationRefusal): r is AnnotationRefusal =>
  'allowed' in r || 'unsupported' in r

export const keysOf = (
  table: Readonly<Record<string, AnnotationReader>>,
): ReadonlyMap<string, AnnotationReader> => new Map(Object.entries(table))

/** No effect: said, so that a table is whole. */
export const noEffect: AnnotationReader = () => ({})

/** One of these values, or a refusal that lists them. */
export const oneOfValues =
  (table: Readonly<Record<string, AnnotationEffect>>): AnnotationReader =>
  (value) =>
    Object.hasOwn(table, value) ? table[value]! : { allowed: Object.keys(table).join(', ') }

/** Comma-separated words that are all of a table; undefined where one is not. */
export function wordsOf<T>(value: string, table: Readonly<Record<string, T>>): T[] | undefined {
  const words = value.split(',').map((w) => w.trim())
  return words.every((w) => Object.hasOwn(table, w)) ? words.map((w) => table[w]!) : undefined
}

/** A decimal integer as Argo CD and Helm read it; undefined: it is none. */
export const integer = (text: string): number | undefined =>
  /^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined
