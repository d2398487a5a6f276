import { err, ok, type Result } from '@lockstep/kube/env'
import {
  bytesToBase64,
  type JsonObject,
  type JsonValue,
  member,
  setMember,
  timestamp,
} from '@lockstep/kube/object'
import type { MessageField } from './messagefield.ts'
import { fieldsOf, isMessage } from './messagefield.ts'

/** What begins every object of Kubernetes in protobuf (apimachinery pkg/runtime/serializer/protobuf). */
const MAGIC = [0x6b, 0x38, 0x73, 0x00]

/** `unknown`: a kind of which the numbers of the fields are not known here. */
export interface Undecodable {
  readonly kind: 'malformed' | 'unknown'
  readonly message: string
}

/** The object in a body: of its type, and without what is empty, as it would be in JSON. */
export function decodeProtobuf(bytes: Uint8Array): Result<JsonObject, Undecodable> {
  if (MAGIC.some((b, i) => bytes[i] !== b))
    return err({ kind: 'malformed', message: 'provided data does not appear to be a protobuf message' })
  try {
    const parts = [...entries(bytes.subarray(MAGIC.length))]
    const type = stringsIn(bytesOf(parts, 1))
    const [apiVersion = '', kind = ''] = [type.get(1), type.get(2)]
    if (!isMessage(apiVersion, kind)) return err({ kind: 'unknown', message: `${apiVersion}, Kind=${kind}` })
    return ok({ apiVersion, kind, ...(message(bytesOf(parts, 2), kind) as JsonObject) })
  } catch (e) {
    if (!(e instanceof Malformed)) throw e
    return err({ kind: 'malformed', message: e.message })
  }
}

/** Ends the decoding of one body; it never leaves this file. */
class Malformed extends Error {}

interface MessageEntry {
  readonly number: number
  readonly value: bigint | Uint8Array
}

const NOTHING = new Uint8Array()

function bytesOf(parts: readonly MessageEntry[], number: number): Uint8Array {
  const found = parts.filter((p) => p.number === number).at(-1)?.value ?? NOTHING
  if (typeof found === 'bigint') throw new Malformed(`proto: wrong wireType = 0 for field ${number}`)
  return found
}

const stringsIn = (bytes: Uint8Array): Map<number, string> =>
  new Map([...entries(bytes)].map((e) => [e.number, text(e.value)]))

/** Field by field: a varint, eight or four bytes as a number, or bytes with their length. */
function* entries(bytes: Uint8Array): Generator<MessageEntry> {
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Malformed('unexpected EOF')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asIntN(64, value)
    }
    throw new Malformed('proto: integer overflow')
  }
  const take = (length: number): Uint8Array => {
    if (length < 0 || at + length > bytes.length) throw new Malformed('unexpected EOF')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const [number, wire] = [tag >>> 3, tag & 7]
    if (number === 0) throw new Malformed(`proto: illegal tag ${number} (wire type ${wire})`)
    if (wire === 0) yield { number, value: varint() }
    else if (wire === 2) yield { number, value: take(Number(varint())) }
    else if (wire === 1) yield { number, value: take(8) }
    else if (wire === 5) yield { number, value: take(4) }
    else throw new Malformed(`proto: illegal wireType ${wire}`)
  }
}

function text(value: bigint | Uint8Array): string {
  if (typeof value === 'bigint') throw new Malformed('proto: wrong wireType = 0 for a string')
  return new TextDecoder().decode(value)
}

function message(bytes: Uint8Array, name: string): JsonValue {
  const fields = fieldsOf(name)!
  const out: { [name: string]: JsonValue | undefined } = {}
  for (const { number, value } of entries(bytes)) {
    const field = fields.get(number)
    if (field) put(out, field, value)
  }
  // A message that stands for a list.
  return member(out, '@') ?? out
}

function put(out: JsonObject, field: MessageField, value: bigint | Uint8Array): void {
  if (field.shape === 'map') {
    if (typeof value === 'bigint') throw new Malformed('proto: wrong wireType = 0 for a map')
    const pair = new Map([...entries(value)].map((e) => [e.number, e.value]))
    const known = (member(out, field.name) ?? {}) as JsonObject
    setMember(known, text(pair.get(1) ?? NOTHING), single(field.type, pair.get(2) ?? NOTHING))
    setMember(out, field.name, known)
    return
  }
  const made = single(field.type, value)
  if (field.shape === 'list')
    setMember(out, field.name, [...((member(out, field.name) ?? []) as JsonValue[]), made ?? null])
  // Zero values are written where JSON leaves them out.
  else if (made !== undefined && made !== '') setMember(out, field.name, made)
}

const NUMBERS: ReadonlySet<string> = new Set(['bool', 'count', 'int'])

function single(type: string, value: bigint | Uint8Array): JsonValue | undefined {
  if (type === 'string') return text(value)
  if (NUMBERS.has(type)) {
    if (typeof value !== 'bigint') throw new Malformed(`proto: wrong wireType = 2 for ${type}`)
    if (type === 'count' && value === 0n) return undefined
    return type === 'bool' ? value !== 0n : Number(value)
  }
  if (typeof value === 'bigint') throw new Malformed(`proto: wrong wireType = 0 for ${type}`)
  if (type === 'bytes') return bytesToBase64(value)
  return type === 'Time' ? time(value) : message(value, type)
}

/** Seconds since 1970; no time at all is an empty message. */
function time(bytes: Uint8Array): string | undefined {
  const seconds = [...entries(bytes)].find((e) => e.number === 1)?.value
  return typeof seconds === 'bigint' ? timestamp(Number(seconds) * 1000) : undefined
}
