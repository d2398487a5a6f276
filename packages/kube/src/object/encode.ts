import type { JsonArray, JsonObject, JsonValue } from './json.ts'
import { isArray, isObject, setMember } from './json.ts'

/** JSON text. Members that are undefined are left out. Integers beyond 2⁵³ are written exactly. */
export function encodeJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (e) {
    if (e instanceof TypeError && /bigint/i.test(e.message)) return encodeExact(value as JsonValue)
    throw e
  }
}

function encodeExact(value: JsonValue | undefined): string {
  if (typeof value === 'bigint') return value.toString()
  if (isArray(value)) return `[${value.map((v) => encodeExact(v ?? null)).join(',')}]`
  if (isObject(value)) return encodeMembers(value, Object.keys(value))
  return JSON.stringify(value)
}

function encodeMembers(o: JsonObject, keys: readonly string[]): string {
  const parts: string[] = []
  for (const key of keys)
    if (o[key] !== undefined) parts.push(`${JSON.stringify(key)}:${encodeExact(o[key])}`)
  return `{${parts.join(',')}}`
}

/**
 * Canonical JSON: keys sorted by UTF-16 code units, no spaces, undefined members left out (as RFC 8785, but
 * integers beyond 2⁵³ are exact). Equal values give equal texts; every digest is taken over it.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object')
    return typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? 'null')
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const o = value as JsonObject
  const parts: string[] = []
  for (const key of Object.keys(o).sort()) {
    if (o[key] !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(o[key])}`)
  }
  return `{${parts.join(',')}}`
}

const LONG_DIGITS = /\d{16}/

/** A text that is no JSON: where it stops being so. */
export class JsonSyntaxError extends Error {
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/**
 * Parses JSON with exact integers.
 * @throws JsonSyntaxError
 */
export function parseJson(text: string): JsonValue {
  if (LONG_DIGITS.test(text)) return new ExactParser(text).document()
  try {
    return JSON.parse(text) as JsonValue
  } catch (e) {
    const message = (e as Error).message
    const found = /position (\d+)/.exec(message)
    throw new JsonSyntaxError(message, found ? Number(found[1]) : brokenAt(text))
  }
}

/** The engine shows what it stumbles over, but does not always say where that is. */
function brokenAt(text: string): number {
  try {
    new ExactParser(text).document()
  } catch (e) {
    if (e instanceof JsonSyntaxError) return e.offset
    throw e
  }
  return text.length
}

const MAX_DEPTH = 10_000
/** A sign and the digits of 64 bits. Kubernetes reads longer numbers as doubles; an exact number of 10 million digits takes seconds. */
const MAX_DIGITS = 21

/** JSON.parse rounds long integers; this one does not. Only texts with 16 digits in a row pay for it. */
class ExactParser {
  private pos = 0
  private depth = 0
  private readonly text: string
  constructor(text: string) {
    this.text = text
  }

  document(): JsonValue {
    const value = this.value()
    this.space()
    if (this.pos < this.text.length)
      this.fail(`unexpected ${JSON.stringify(this.text[this.pos])} after the value`)
    return value
  }

  private value(): JsonValue {
    this.space()
    const c = this.text[this.pos]
    if (c === '{') return this.nested(() => this.object())
    if (c === '[') return this.nested(() => this.array())
    if (c === '"') return this.string()
    if (c === '-' || (c !== undefined && c >= '0' && c <= '9')) return this.number()
    for (const [word, v] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.text.startsWith(word, this.pos)) {
        this.pos += word.length
        return v
      }
    }
    return this.fail(
      c === undefined ? 'unexpected end of JSON input' : `unexpected token ${JSON.stringify(c)}`,
    )
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > MAX_DEPTH) this.fail(`exceeded max depth of ${MAX_DEPTH}`)
    const value = read()
    this.depth--
    return value
  }

  private object(): JsonObject {
    const out: { [key: string]: JsonValue | undefined } = {}
    this.pos++
    if (this.peek() === '}') {
      this.pos++
      return out
    }
    for (;;) {
      if (this.peek() !== '"') this.fail('expected a quoted member name')
      const key = this.string()
      if (this.peek() !== ':') this.fail('expected ":"')
      this.pos++
      setMember(out, key, this.value())
      if (!this.more('}')) return out
    }
  }

  private array(): JsonArray {
    const out: JsonValue[] = []
    this.pos++
    if (this.peek() === ']') {
      this.pos++
      return out
    }
    for (;;) {
      out.push(this.value())
      if (!this.more(']')) return out
    }
  }

  private more(end: string): boolean {
    const c = this.peek()
    if (c !== ',' && c !== end) this.fail(`expected "," or "${end}"`)
    this.pos++
    return c === ','
  }

  private string(): string {
    let end = this.pos + 1
    for (; end < this.text.length && this.text[end] !== '"'; end++) if (this.text[end] === '\\') end++
    const slice = this.text.slice(this.pos, end + 1)
    try {
      const value = JSON.parse(slice) as string
      this.pos = end + 1
      return value
    } catch {
      return this.fail('bad string')
    }
  }

  private number(): number | bigint {
    const m = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
    m.lastIndex = this.pos
    const found = m.exec(this.text)
    if (!found) return this.fail('bad number')
    this.pos = m.lastIndex
    const n = Number(found[0])
    const isWhole = found[1] === undefined && found[2] === undefined && found[0].length <= MAX_DIGITS
    return isWhole && !Number.isSafeInteger(n) ? BigInt(found[0]) : n
  }

  private peek(): string | undefined {
    this.space()
    return this.text[this.pos]
  }

  private space(): void {
    while (' \t\n\r'.includes(this.text[this.pos] ?? 'x')) this.pos++
  }

  private fail(message: string): never {
    throw new JsonSyntaxError(`${message} at position ${this.pos}`, this.pos)
  }
}
