import { type CelType, DYN, isDyn, isDynOrError, sameType } from '../type/celtype.ts'

/** What type parameters stand for. Tried on a copy, and kept when the trial succeeds. */
export type TypeMapping = ReadonlyMap<string, CelType>

/** The mapping under which `from` can be used as `to`; undefined where it cannot. */
export function assignable(m: TypeMapping, to: CelType, from: CelType): TypeMapping | undefined {
  const trial = new Map(m)
  return assign(trial, to, from) ? trial : undefined
}

/** The same for arguments of a function. */
export function allAssignable(
  m: TypeMapping,
  to: readonly CelType[],
  from: readonly CelType[],
): TypeMapping | undefined {
  const trial = new Map(m)
  return assignAll(trial, to, from) ? trial : undefined
}

function assignAll(m: Map<string, CelType>, a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((t, i) => assign(m, t, b[i]!))
}

const NULLABLE = ['opaque', 'struct', 'duration', 'timestamp']

function assign(m: Map<string, CelType>, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') {
    const { valid, known } = substitutes(m, a, b)
    if (valid) return true
    if (known) return false
  }
  if (a.kind === 'param') return substitutes(m, b, a).valid
  if (isDynOrError(a) || isDynOrError(b)) return true
  if (a.kind === 'null') return b.kind === 'null' || NULLABLE.includes(b.kind)
  if (b.kind === 'null') return NULLABLE.includes(a.kind)
  if (a.kind === 'type') return b.kind === 'type'
  if (a.kind !== b.kind || a.name !== b.name) return false
  return a.kind === 'struct' || assignAll(m, a.params, b.params)
}

/** Whether `t` may stand for the parameter; it does from then on, or something more general does. */
function substitutes(
  m: Map<string, CelType>,
  t: CelType,
  parameter: CelType,
): { readonly valid: boolean; readonly known: boolean } {
  if (t.kind === 'param' && t.name === parameter.name) return { valid: true, known: true }
  const held = m.get(parameter.name)
  if (held) {
    if (sameType(t, held)) return { valid: true, known: true }
    if (!assign(m, t, held)) return { valid: false, known: true }
    const general = mostGeneral(t, held)
    if (absentFrom(m, parameter, general)) m.set(parameter.name, general)
    return { valid: true, known: true }
  }
  if (!absentFrom(m, parameter, t)) return { valid: false, known: false }
  m.set(parameter.name, t)
  return { valid: true, known: false }
}

function absentFrom(m: TypeMapping, parameter: CelType, within: CelType): boolean {
  if (within.kind === 'param') {
    if (within.name === parameter.name) return false
    const held = m.get(within.name)
    return held === undefined || absentFrom(m, parameter, held)
  }
  return within.params.every((p) => absentFrom(m, parameter, p))
}

/** The one of two agreeing types that says less. */
export const mostGeneral = (a: CelType, b: CelType): CelType => (lessSpecific(a, b) ? a : b)

function lessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param') return false
  if (a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.params.length === 0) return sameType(a, b)
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((p, i) => lessSpecific(p, b.params[i]!))
  )
}

/** The type with its parameters replaced; what stands for nothing stays, or becomes dyn at the end of checking. */
export function substituted(m: TypeMapping, t: CelType, unknownIsDyn: boolean): CelType {
  if (t.kind === 'param') {
    const held = m.get(t.name)
    if (held) return substituted(m, held, unknownIsDyn)
    return unknownIsDyn ? DYN : t
  }
  if (t.params.length === 0) return t
  return { ...t, params: t.params.map((p) => substituted(m, p, unknownIsDyn)) }
}
