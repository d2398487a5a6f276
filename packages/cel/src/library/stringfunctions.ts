import { type CelValue, failure, type ListValue, LONGEST_TEXT, list, tooLong } from '../value/celvalue.ts'
import { quoted, utf8Bytes, utf8Text } from '../value/utf8text.ts'
import { formatted } from './formatclause.ts'
import { type Overload, overload } from './overload.ts'

/** Offsets of strings count code points, so strings are taken apart into them first. */
const runes = (text: string): string[] => Array.from(text)

const outOfRange = (i: bigint): CelValue => failure(`index out of range: ${i}`)

function charAt(text: string, i: bigint): CelValue {
  const r = runes(text)
  return i < 0n || i > BigInt(r.length) ? outOfRange(i) : (r[Number(i)] ?? '')
}

function startsAt(text: readonly string[], part: readonly string[], at: number): boolean {
  return part.every((c, j) => text[at + j] === c)
}

function indexOf(text: string, part: string, offset = 0n): CelValue {
  if (part === '') return offset
  if (offset < 0n) return outOfRange(offset)
  const r = runes(text)
  const p = runes(part)
  for (let i = Number(offset); i <= r.length - p.length; i++) if (startsAt(r, p, i)) return BigInt(i)
  return -1n
}

function lastIndexOf(text: string, part: string, offset?: bigint): CelValue {
  const r = runes(text)
  if (part === '') return offset ?? BigInt(r.length)
  if (r.length === 0 && offset === undefined) return outOfRange(-1n)
  if (offset !== undefined && offset < 0n) return outOfRange(offset)
  if (offset !== undefined && offset >= BigInt(r.length)) return -1n
  const p = runes(part)
  for (let i = Math.min(Number(offset ?? r.length), r.length - p.length); i >= 0; i--)
    if (startsAt(r, p, i)) return BigInt(i)
  return -1n
}

/** As Go's `strings.Replace`: an empty part is found before each code point and at the end. */
function replace(text: string, part: string, by: string, most = -1n): CelValue {
  const places = part === '' ? text.length + 1 : Math.floor(text.length / part.length)
  if (text.length + places * by.length > LONGEST_TEXT && by.length > part.length) return tooLong
  if (most < 0n)
    return part === ''
      ? `${by}${runes(text)
          .map((c) => c + by)
          .join('')}`
      : text.replaceAll(part, () => by)
  const pieces = part === '' ? ['', ...runes(text)] : text.split(part)
  const limit = part === '' ? pieces.length : pieces.length - 1
  const count = Number(most < BigInt(limit) ? most : BigInt(limit))
  if (part === '') return pieces.map((c, i) => c + (i < count ? by : '')).join('')
  return pieces.reduce((done, piece, i) => done + (i <= count ? by : part) + piece)
}

function split(text: string, separator: string, most = -1n): CelValue {
  if (most === 0n) return list([])
  const pieces = separator === '' ? runes(text) : text.split(separator)
  if (most < 0n || BigInt(pieces.length) <= most) return list(pieces)
  const head = pieces.slice(0, Number(most) - 1)
  return list([...head, pieces.slice(head.length).join(separator)])
}

function substring(text: string, start: bigint, end?: bigint): CelValue {
  const r = runes(text)
  const size = BigInt(r.length)
  if (end !== undefined && start > end)
    return failure(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0n || start > size) return outOfRange(start)
  if (end !== undefined && (end < 0n || end > size)) return outOfRange(end)
  return r.slice(Number(start), end === undefined ? undefined : Number(end)).join('')
}

const lower = (text: string): string => text.replace(/[A-Z]/g, (c) => c.toLowerCase())
const upper = (text: string): string => text.replace(/[a-z]/g, (c) => c.toUpperCase())
/** White space as Go has it: with U+0085, without U+FEFF. */
const trim = (text: string): string => text.replace(/^[\s\x85]+/, keepMark).replace(/[\s\x85]+$/, keepMark)
const keepMark = (blank: string): string => blank.replace(/[^\uFEFF]/g, '')

export const stringFunctions: readonly Overload[] = [
  overload('contains_string', 'string.contains(string): bool', (s: string, part: string) => s.includes(part)),
  overload('ends_with_string', 'string.endsWith(string): bool', (s: string, part: string) =>
    s.endsWith(part),
  ),
  overload('starts_with_string', 'string.startsWith(string): bool', (s: string, part: string) =>
    s.startsWith(part),
  ),
  overload('string_char_at_int', 'string.charAt(int): string', charAt),
  overload('string_index_of_string', 'string.indexOf(string): int', indexOf),
  overload('string_index_of_string_int', 'string.indexOf(string, int): int', indexOf),
  overload('string_last_index_of_string', 'string.lastIndexOf(string): int', lastIndexOf),
  overload('string_last_index_of_string_int', 'string.lastIndexOf(string, int): int', lastIndexOf),
  overload('string_lower_ascii', 'string.lowerAscii(): string', lower),
  overload('string_upper_ascii', 'string.upperAscii(): string', upper),
  overload('string_replace_string_string', 'string.replace(string, string): string', replace),
  overload('string_replace_string_string_int', 'string.replace(string, string, int): string', replace),
  overload('string_split_string', 'string.split(string): list<string>', split),
  overload('string_split_string_int', 'string.split(string, int): list<string>', split),
  overload('string_substring_int', 'string.substring(int): string', substring),
  overload('string_substring_int_int', 'string.substring(int, int): string', substring),
  overload('string_trim', 'string.trim(): string', trim),
  overload('string_format', 'string.format(list<dyn>): string', (s: string, args: ListValue) =>
    formatted(s, args.items),
  ),
  overload('strings_quote', '::strings.quote(string): string', quoteText),
]

const ESCAPED = new Set(['\x07', '\b', '\f', '\n', '\r', '\t', '\v', '\\', '"'])

function quoteText(text: string): CelValue {
  const inner = text.replace(/[\p{Cc}\\"]/gu, (c) => (ESCAPED.has(c) ? quoted(c).slice(1, -1) : c))
  return `"${utf8Text(utf8Bytes(inner))}"`
}
