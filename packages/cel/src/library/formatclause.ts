import {
  type CelValue,
  failure,
  is,
  isFailure,
  LONGEST_TEXT,
  tooLong,
  typeNameOf,
} from '../value/celvalue.ts'
import { doubleText } from '../value/number.ts'
import { durationText } from '../value/parseduration.ts'
import { timestampText } from '../value/parsetimestamp.ts'
import { quoted, utf8Bytes, utf8Text } from '../value/utf8text.ts'
import { fixedText, scientificText } from './fixedtext.ts'

/** One clause of a format string: what is written, of how many digits. */
export interface Clause {
  readonly verb: string
  readonly precision?: number
}

/**
 * The parts of a format string: texts, and clauses that each take an argument.
 * A text that is no format string gives the complaint instead.
 */
export function formatParts(template: string): (string | Clause)[] | { readonly complaint: string } {
  const parts: (string | Clause)[] = []
  let at = 0
  while (at < template.length) {
    const mark = template.indexOf('%', at)
    if (mark < 0) break
    parts.push(template.slice(at, mark))
    const clause = /^%(?:%|(?:\.(\d+))?(.?))/su.exec(template.slice(mark))!
    at = mark + clause[0].length
    if (clause[0] === '%%') parts.push('%')
    else if (clause[2] === '') return { complaint: 'unexpected end of string' }
    else if (!/[sdfexXbo]/.test(clause[2]!))
      return { complaint: `could not parse formatting clause: unrecognized formatting clause "${clause[2]}"` }
    else parts.push({ verb: clause[2]!, ...(clause[1] !== undefined && { precision: Number(clause[1]) }) })
  }
  parts.push(template.slice(at))
  return parts
}

/** `string.format`. */
export function formatted(template: string, args: readonly CelValue[]): CelValue {
  const parts = formatParts(template)
  if ('complaint' in parts) return failure(parts.complaint)
  let out = ''
  let next = 0
  for (const part of parts) {
    if (typeof part === 'string') {
      out += part
      continue
    }
    const arg = args[next]
    if (arg === undefined) return failure(`index ${next} out of range`)
    next++
    const text = clauseText(part, arg)
    if (typeof text !== 'string') return isFailure(arg) ? arg : text
    out += text
    if (out.length > LONGEST_TEXT) return tooLong
  }
  return out
}

/** What each verb can be used on, as complaints say it. */
export const CLAUSES: Readonly<
  Record<string, { readonly name: string; readonly types: readonly string[]; readonly on: string }>
> = {
  s: {
    name: 'string',
    types: 'bool bytes double duration int list map null string timestamp type uint'.split(' '),
    on: 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { name: 'decimal', types: ['int', 'uint'], on: 'integers' },
  f: { name: 'fixed-point', types: ['double', 'string'], on: 'doubles' },
  e: { name: 'scientific', types: ['double', 'string'], on: 'doubles' },
  b: { name: 'binary', types: ['int', 'uint', 'bool'], on: 'integers and bools' },
  x: { name: 'hex', types: ['int', 'uint', 'string', 'bytes'], on: 'integers, byte buffers, and strings' },
  X: { name: 'hex', types: ['int', 'uint', 'string', 'bytes'], on: 'integers, byte buffers, and strings' },
  o: { name: 'octal', types: ['int', 'uint'], on: 'integers' },
}

export function misfit(verb: string, type: string): string {
  const { name, on } = CLAUSES[verb]!
  return `error during formatting: ${name} clause can only be used on ${on}, was given ${type}`
}

function clauseText({ verb, precision = 6 }: Clause, v: CelValue): CelValue {
  const wrong = failure(misfit(verb, typeNameOf(v)))
  if (verb === 's') return textOf(v) ?? wrong
  if (verb === 'f' || verb === 'e') {
    const double = doubleOf(v)
    if (double === undefined) return wrong
    return verb === 'f' ? fixedText(double, precision) : scientificText(double, precision)
  }
  const whole = typeof v === 'bigint' ? v : is(v, 'uint') ? v.value : undefined
  if (whole !== undefined) return integerText(verb, whole)
  if (verb === 'b' && typeof v === 'boolean') return v ? '1' : '0'
  if (verb === 'x' || verb === 'X') return hexText(verb, v) ?? wrong
  return wrong
}

function doubleOf(v: CelValue): number | undefined {
  if (typeof v === 'number') return v
  if (v === 'NaN') return Number.NaN
  return v === 'Infinity' ? Infinity : v === '-Infinity' ? -Infinity : undefined
}

function integerText(verb: string, v: bigint): string {
  const base = { d: 10, b: 2, o: 8, x: 16, X: 16 }[verb]!
  const text = v.toString(base)
  return verb === 'X' ? text.toUpperCase() : text
}

function hexText(verb: string, v: CelValue): string | undefined {
  const bytes = typeof v === 'string' ? utf8Bytes(v) : v instanceof Uint8Array ? v : undefined
  if (!bytes) return undefined
  const text = Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
  return verb === 'X' ? text.toUpperCase() : text
}

/** What `%s` writes; undefined where there is no text for such a value. */
function textOf(v: CelValue): string | undefined {
  if (v === null) return 'null'
  if (typeof v === 'string') return v
  if (typeof v === 'number') return doubleText(v)
  if (typeof v === 'bigint' || typeof v === 'boolean') return String(v)
  if (v instanceof Uint8Array) return utf8Text(v)
  if (is(v, 'uint')) return String(v.value)
  if (is(v, 'duration')) return durationText(v)
  if (is(v, 'timestamp')) return timestampText(v)
  if (is(v, 'type')) return v.name
  return is(v, 'list') || is(v, 'map') ? nested(v) : undefined
}

/** Inside lists and maps values are written as literals. */
function nested(v: CelValue): string | undefined {
  if (typeof v === 'string') return quoted(v)
  if (v instanceof Uint8Array) return `b${quoted(utf8Text(v) ?? '')}`
  if (typeof v === 'number')
    return Number.isFinite(v) ? fixedText(v, 6).replaceAll(',', '') : quoted(doubleText(v))
  if (is(v, 'duration')) return `duration("${durationText(v)}")`
  if (is(v, 'timestamp')) return `timestamp("${timestampText(v)}")`
  if (is(v, 'list')) {
    const items = allNested(v.items)
    return items && `[${items.join(', ')}]`
  }
  if (!is(v, 'map')) return textOf(v)
  const keys = allNested(v.keys())
  const values = allNested(v.keys().map((k) => v.find(k)!))
  if (!keys || !values) return undefined
  const pairs = keys.map((k, i) => [k, values[i]!] as const)
  const sorted = pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${sorted.map(([k, x]) => `${k}:${x}`).join(', ')}}`
}

/** Undefined where one of them has no text, or all together are too long for one. */
function allNested(values: readonly CelValue[]): string[] | undefined {
  const texts: string[] = []
  let length = 0
  for (const v of values) {
    const text = nested(v)
    length += text?.length ?? 0
    if (text === undefined || length > LONGEST_TEXT) return undefined
    texts.push(text)
  }
  return texts
}
