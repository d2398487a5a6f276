/** The type of an expression. Objects of a schema are structs: they are known by their name and their fields. */
export interface CelType {
  readonly kind: TypeKind
  readonly name: string
  readonly params: readonly CelType[]
  readonly fields?: ReadonlyMap<string, CelType>
}

type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint'

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, params: [] })

export const BOOL = simple('bool')
export const BYTES = simple('bytes')
export const DOUBLE = simple('double')
export const DURATION = simple('duration')
export const DYN = simple('dyn')
export const ERROR = simple('error', '!error!')
export const INT = simple('int')
export const NULL = simple('null')
export const STRING = simple('string')
export const TIMESTAMP = simple('timestamp')
export const UINT = simple('uint')

export const listOf = (item: CelType): CelType => ({ kind: 'list', name: 'list', params: [item] })
export const mapOf = (key: CelType, value: CelType): CelType => ({
  kind: 'map',
  name: 'map',
  params: [key, value],
})
export const optionalOf = (t: CelType): CelType => ({ kind: 'opaque', name: 'optional_type', params: [t] })
export const typeOf = (t: CelType): CelType => ({ kind: 'type', name: 'type', params: [t] })
export const param = (name: string): CelType => simple('param', name)
export const opaque = (name: string): CelType => simple('opaque', name)
export const struct = (name: string, fields?: ReadonlyMap<string, CelType>): CelType => ({
  kind: 'struct',
  name,
  params: [],
  ...(fields && { fields }),
})

export const isDyn = (t: CelType): boolean => t.kind === 'dyn'
export const isDynOrError = (t: CelType): boolean => t.kind === 'dyn' || t.kind === 'error'

/** The type inside an optional one. */
export function unwrapped(t: CelType): { readonly type: CelType; readonly optional: boolean } {
  const optional = t.kind === 'opaque' && t.name === 'optional_type'
  return { type: optional ? t.params[0]! : t, optional }
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false
  return a.params.every((p, i) => sameType(p, b.params[i]!))
}

/** A type as messages write it. */
export function typeText(t: CelType): string {
  return t.params.length === 0 ? t.name : `${t.name}(${t.params.map(typeText).join(', ')})`
}
