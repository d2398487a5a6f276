import {
  type CelValue,
  type Duration,
  failure,
  type ListValue,
  type MapValue,
  type Timestamp,
  typeNameOf,
  type Uint,
  uint,
} from '../value/celvalue.ts'
import { doubleText, fitsInt, fitsUint, int, truncated, uintOf } from '../value/number.ts'
import { durationText, parseDuration } from '../value/parseduration.ts'
import { parseTimestamp, timestamp, timestampText } from '../value/parsetimestamp.ts'
import { codePoints, utf8Bytes, utf8Text } from '../value/utf8text.ts'
import { type Overload, overload } from './overload.ts'

const failed = (to: string): CelValue => failure(`type conversion error from 'string' to '${to}'`)
const same = (v: CelValue): CelValue => v

function textToInt(text: string): CelValue {
  if (!/^[-+]?\d+$/.test(text) || !fitsInt(BigInt(text.replace(/^\+/, '')))) return failed('int')
  return BigInt(text.replace(/^\+/, ''))
}

function textToUint(text: string): CelValue {
  return /^\d+$/.test(text) && fitsUint(BigInt(text)) ? uint(BigInt(text)) : failed('uint')
}

const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['inf', Infinity],
  ['infinity', Infinity],
])

/** As Go parses doubles, but for its hexadecimal and underscored ones. */
function textToDouble(text: string): CelValue {
  if (DECIMAL.test(text)) return Number.isFinite(Number(text)) ? Number(text) : failed('double')
  const special = SPECIAL.get(text.replace(/^[-+]/, '').toLowerCase())
  if (special === undefined) return failed('double')
  return text.startsWith('-') ? -special : special
}

function textToBool(text: string): CelValue {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : failed('bool')
}

function doubleTo(fits: (n: bigint) => boolean, make: (n: bigint) => CelValue, name: string) {
  return (v: number): CelValue => {
    const whole = truncated(v, fits)
    return whole === undefined ? failure(`${name} overflow`) : make(whole)
  }
}

const bytesToText = (b: Uint8Array): CelValue =>
  utf8Text(b) ?? failure('invalid UTF-8 in bytes, cannot convert to string')
const textToDuration = (s: string): CelValue => parseDuration(s) ?? failed('google.protobuf.Duration')
const textToTimestamp = (s: string): CelValue => parseTimestamp(s) ?? failed('google.protobuf.Timestamp')
const seconds = (t: Timestamp): CelValue =>
  (t.ns - (((t.ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)) / 1_000_000_000n

const sizes: readonly Overload[] = [
  ['size_bytes', 'bytes', (b: Uint8Array) => BigInt(b.length)] as const,
  ['size_list', 'list<A>', (l: ListValue) => BigInt(l.items.length)] as const,
  ['size_map', 'map<A, B>', (m: MapValue) => BigInt(m.size)] as const,
  ['size_string', 'string', (s: string) => BigInt(codePoints(s))] as const,
].flatMap(([id, type, run]) => [
  overload(id, `size(${type}): int`, run),
  overload(`${id}_inst`, `${type}.size(): int`, run),
])

/** Conversions between the types of the language, and sizes. */
export const conversions: readonly Overload[] = [
  ...sizes,
  overload('type', 'type(A): type<A>', (v: CelValue) => ({ kind: 'type', name: typeNameOf(v) })),
  overload('to_dyn', 'dyn(A): dyn', same),
  overload('bool_to_bool', 'bool(bool): bool', same),
  overload('string_to_bool', 'bool(string): bool', textToBool),
  overload('bytes_to_bytes', 'bytes(bytes): bytes', same),
  overload('string_to_bytes', 'bytes(string): bytes', utf8Bytes),
  overload('double_to_double', 'double(double): double', same),
  overload('int64_to_double', 'double(int): double', (v: bigint) => Number(v)),
  overload('string_to_double', 'double(string): double', textToDouble),
  overload('uint64_to_double', 'double(uint): double', (v: Uint) => Number(v.value)),
  overload('duration_to_duration', 'duration(duration): duration', same),
  overload('int64_to_duration', 'duration(int): duration', (v: bigint) => ({ kind: 'duration', ns: v })),
  overload('string_to_duration', 'duration(string): duration', textToDuration),
  overload('int64_to_int64', 'int(int): int', same),
  overload('double_to_int64', 'int(double): int', doubleTo(fitsInt, same, 'integer')),
  overload('duration_to_int64', 'int(duration): int', (d: Duration) => d.ns),
  overload('string_to_int64', 'int(string): int', textToInt),
  overload('timestamp_to_int64', 'int(timestamp): int', seconds),
  overload('uint64_to_int64', 'int(uint): int', (v: Uint) => int(v.value)),
  overload('string_to_string', 'string(string): string', same),
  overload('bool_to_string', 'string(bool): string', String),
  overload('bytes_to_string', 'string(bytes): string', bytesToText),
  overload('double_to_string', 'string(double): string', doubleText),
  overload('duration_to_string', 'string(duration): string', durationText),
  overload('int64_to_string', 'string(int): string', String),
  overload('timestamp_to_string', 'string(timestamp): string', timestampText),
  overload('uint64_to_string', 'string(uint): string', (v: Uint) => String(v.value)),
  overload('timestamp_to_timestamp', 'timestamp(timestamp): timestamp', same),
  overload('int64_to_timestamp', 'timestamp(int): timestamp', (v: bigint) => timestamp(v * 1_000_000_000n)),
  overload('string_to_timestamp', 'timestamp(string): timestamp', textToTimestamp),
  overload('uint64_to_uint64', 'uint(uint): uint', same),
  overload('double_to_uint64', 'uint(double): uint', doubleTo(fitsUint, uint, 'unsigned integer')),
  overload('int64_to_uint64', 'uint(int): uint', (v: bigint) => uintOf(v)),
  overload('string_to_uint64', 'uint(string): uint', textToUint),
]
