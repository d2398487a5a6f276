import { compiledPattern } from '@lockstep/cel/library'
import { isArray, isObject, type JsonValue, jsonEqual } from '@lockstep/kube/object'
import { formatCheck } from './checks/formatcheck.ts'
import { invalid, notSupported, tooLong, typeInvalid } from './invalidfield.ts'
import { matchesPattern } from './matchespattern.ts'
import type { FieldError, Schema } from './schematypes.ts'
import type { ValidationOutcome } from './validationoutcome.ts'

/** JSON schema type of a value; whole numbers are integers. */
function kindOf(v: JsonValue): 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object' {
  if (v === null) return 'null'
  if (isArray(v)) return 'array'
  if (isObject(v)) return 'object'
  if (typeof v === 'bigint') return 'integer'
  if (typeof v === 'number') return Number.isInteger(v) ? 'integer' : 'number'
  return typeof v === 'boolean' ? 'boolean' : 'string'
}

/** The format if it counts for the type; Kubernetes forgets all others before it validates. */
export function formatOf(s: Schema): string | undefined {
  if (!s.format) return undefined
  if (s['x-kubernetes-int-or-string']) return undefined
  switch (s.type) {
    case undefined:
    case 'string':
      return formatCheck(s.format) ? s.format : undefined
    case 'integer':
      return s.format === 'int32' || s.format === 'int64' ? s.format : undefined
    case 'number':
      return s.format === 'float' || s.format === 'double' ? s.format : undefined
    default:
      return undefined
  }
}

/** kube-openapi `validate/type.go`, texts included. */
export function checkType(s: Schema, path: string, value: JsonValue, out: ValidationOutcome): void {
  const types = s['x-kubernetes-int-or-string'] ? ['integer', 'string'] : s.type ? [s.type] : []
  const format = formatOf(s)
  if (types.length === 0 && !format) return
  out.matches++
  const kind = kindOf(value)
  const wrong = (expected: string, got: string): void =>
    out.add(typeInvalid(path, got, `${path} in body must be of type ${expected}: ${JSON.stringify(got)}`))
  if (kind === 'null') {
    if (types.length > 0 && !s.nullable) wrong(types.join(','), 'null')
    return
  }
  const fits = types.includes(kind) || (kind === 'integer' && types.includes('number'))
  const isText = kind === 'string' || kind === 'array'
  if (!isText && format && !fits) {
    wrong(format, goFormat(value))
    return
  }
  if (!types.includes('number') && !types.includes('integer') && format && isText) return
  if (!fits) wrong(types.join(','), kind)
}

const goFormat = (v: JsonValue): string =>
  kindOf(v) === 'integer' ? 'int64' : kindOf(v) === 'number' ? 'double' : ''

/** Enumerations; `Unsupported value: "C": supported values: "A", "B"`. */
export function checkEnum(s: Schema, path: string, value: JsonValue, out: ValidationOutcome): void {
  out.matches++
  const allowed = s.enum
  if (!allowed || allowed.length === 0 || allowed.some((a) => jsonEqual(a, value))) return
  const texts = allowed.map((a) => (typeof a === 'string' ? a : JSON.stringify(a)))
  out.add(notSupported(path, value, texts))
}

/** Lengths in characters and the pattern; the first that fails is reported. */
export function checkString(s: Schema, path: string, value: string, out: ValidationOutcome): void {
  out.matches++
  const finding = stringFinding(s, path, value)
  if (finding) out.add(finding)
}

function stringFinding(s: Schema, path: string, value: string): FieldError | undefined {
  if (s.maxLength !== undefined && length(value) > s.maxLength) return tooLong(path, s.maxLength)
  if (s.minLength !== undefined && length(value) < s.minLength)
    return invalid(path, value, `${path} in body should be at least ${s.minLength} chars long`)
  if (!s.pattern || matchesPattern(s.pattern, value)) return undefined
  const broken = compiledPattern(s.pattern)
  const shown = typeof broken === 'string' ? `${s.pattern}, but pattern is invalid: ${broken}` : s.pattern
  return invalid(path, value, `${path} in body should match '${shown}'`)
}

function length(s: string): number {
  // Go counts code points; only texts with surrogates differ from the JavaScript length.
  return /[\ud800-\udfff]/.test(s) ? [...s].length : s.length
}

/** The format of a string. */
export function checkFormat(s: Schema, path: string, value: string, out: ValidationOutcome): void {
  const format = formatOf(s)
  const check = format === undefined ? undefined : formatCheck(format)
  if (!check || format === undefined) return
  out.matches++
  if (!check(value))
    out.add(typeInvalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`))
}
