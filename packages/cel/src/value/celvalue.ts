/**
 * Values of CEL. Integers are bigint and doubles are number, so that `1` and `1.0` differ as they do in CEL; everything
 * else that JavaScript has no type of its own for is tagged by `kind`. An error is a value too: `&&`, `||` and the
 * quantifiers may absorb it.
 */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | OptionalValue
  | TypeValue
  | OpaqueValue
  | EvaluationFailure

export interface Uint {
  readonly kind: 'uint'
  readonly value: bigint
}

/** Nanoseconds since the epoch; the offset (in minutes) is only for printing it again as it was written. */
export interface Timestamp {
  readonly kind: 'timestamp'
  readonly ns: bigint
  readonly offset: number
}

export interface Duration {
  readonly kind: 'duration'
  readonly ns: bigint
}

export interface ListValue {
  readonly kind: 'list'
  readonly items: readonly CelValue[]
  /** Its items and all that is in them, as often as they are in it; not known of lists that come from JSON. */
  readonly weight?: number
  /** Lists that Kubernetes merges: sets are compared without order, maps by these keys. */
  readonly merge?: 'set' | readonly string[]
}

export interface MapValue {
  readonly kind: 'map'
  readonly size: number
  readonly weight?: number
  find(key: CelValue): CelValue | undefined
  keys(): readonly CelValue[]
  /** Set where the map is a JSON object: comparing looks at members rather than at what CEL can see of them. */
  readonly members?: () => Iterable<readonly [string, CelValue | undefined]>
}

export interface OptionalValue {
  readonly kind: 'optional'
  readonly value?: CelValue
}

export interface TypeValue {
  readonly kind: 'type'
  readonly name: string
}

/** A value of one of Kubernetes' libraries: an address, a quantity. Equal when `same` says so. */
export interface OpaqueValue {
  readonly kind: 'foreign'
  readonly type: string
  readonly data: unknown
  /** How large it counts where a cost depends on sizes; nothing for what has none. */
  readonly size?: number
  same(other: unknown): boolean
}

export interface EvaluationFailure {
  readonly kind: 'failure'
  readonly message: string
}

export const failure = (message: string): EvaluationFailure => ({ kind: 'failure', message })
export const list = (items: readonly CelValue[]): ListValue => ({ kind: 'list', items })
export const none: OptionalValue = { kind: 'optional' }
export const some = (value: CelValue): OptionalValue => ({ kind: 'optional', value })
export const uint = (value: bigint): Uint => ({ kind: 'uint', value })
/** How much there is to look at in a value. */
export function weightOf(v: CelValue): number {
  if (is(v, 'list')) return v.weight ?? v.items.length
  return is(v, 'map') ? (v.weight ?? v.size) : 1
}

/** A list that remembers what is in it; one that holds too much is an error. */
export function weighed(items: readonly CelValue[]): CelValue {
  const weight = items.reduce<number>((sum, item) => sum + weightOf(item), 1)
  return weight > LONGEST_LIST ? tooLong : { kind: 'list', items, weight }
}

export const noOverload = failure('no such overload')

type Tagged = Exclude<CelValue, null | boolean | bigint | number | string | Uint8Array>
type ValueKind = Tagged['kind']

/**
 * No text is longer and no list has more items than these, which is more than any request holds. Costs alone do not see
 * to it: putting a text between all characters of another costs what the other costs.
 */
export const LONGEST_TEXT = 4 * 1024 * 1024
export const LONGEST_LIST = 2 * 1024 * 1024
export const tooLong = failure('value is too long')

/** Whether the value is tagged so; narrows it. */
export function is<K extends ValueKind>(v: CelValue, kind: K): v is Extract<Tagged, { kind: K }> {
  return typeof v === 'object' && v !== null && (v as { kind?: string }).kind === kind
}

export const isFailure = (v: CelValue): v is EvaluationFailure => is(v, 'failure')

/** The name of the type of a value, as `type()` gives it. */
export function typeNameOf(v: CelValue): string {
  if (v === null) return 'null_type'
  if (typeof v === 'bigint') return 'int'
  if (typeof v === 'number') return 'double'
  if (typeof v === 'boolean') return 'bool'
  if (typeof v === 'string') return 'string'
  if (v instanceof Uint8Array) return 'bytes'
  if (v.kind === 'timestamp' || v.kind === 'duration')
    return `google.protobuf.${v.kind === 'timestamp' ? 'Timestamp' : 'Duration'}`
  if (v.kind === 'optional') return 'optional_type'
  return v.kind === 'foreign' ? v.type : v.kind
}
