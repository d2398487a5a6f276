/** YAML as kubectl reads it: mostly YAML 1.1 (sigs.k8s.io/yaml), strict about duplicate keys and unknown tags. */
import yaml from 'js-yaml'
import { isScalar, LineCounter, parseAllDocuments, visit } from 'yaml'
import { isObject, type JsonValue, setMember } from '../json.ts'
import { withoutByteOrderMarks } from './byteordermarks.ts'

/** A text that is no YAML: where, counted from 1. */
export class YamlError extends Error {
  readonly line: number
  readonly column: number
  readonly duplicateKey: boolean
  constructor(message: string, line: number, column: number) {
    super(message)
    this.line = line
    this.column = column
    this.duplicateKey = /duplicated mapping key/.test(message)
  }
}

const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/
const INT =
  /^[-+]?(?:0[bB]_*[01][01_]*|0[xX]_*[0-9a-fA-F][0-9a-fA-F_]*|0[oO]?_*[0-7][0-7_]*|0_*|[1-9][0-9_]*)$/

const bool = new yaml.Type('tag:yaml.org,2002:bool', {
  kind: 'scalar',
  resolve: (v: unknown) => typeof v === 'string' && (TRUE.test(v) || FALSE.test(v)),
  construct: (v: string) => TRUE.test(v),
})

const int = new yaml.Type('tag:yaml.org,2002:int', {
  kind: 'scalar',
  resolve: (v: unknown) => typeof v === 'string' && INT.test(v),
  construct: constructInt,
})

function constructInt(text: string): number | bigint {
  const bare = text.replaceAll('_', '').replace(/^[-+]/, '')
  const octal = /^0[0-7]+$/.test(bare) ? `0o${bare.slice(1)}` : bare
  const value = BigInt(octal) * (text.startsWith('-') ? -1n : 1n)
  const n = Number(value)
  return Number.isSafeInteger(n) ? n : value
}

/** The typings leave them out. */
const { types } = yaml as unknown as { types: Record<'null' | 'float' | 'merge' | 'binary', yaml.Type> }

const GROUPED = /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$/
/** What the library does not know: a sign before a point. */
const SIGNED = /^[-+]\./
const isGrouped = (v: unknown): boolean =>
  typeof v === 'string' && (v.includes('_') || SIGNED.test(v)) && GROUPED.test(v)

/** As the library reads it, and with digits in groups, or a sign before the point: `1_000.5`, `-.5`. */
const float = new yaml.Type('tag:yaml.org,2002:float', {
  kind: 'scalar',
  resolve: (v: unknown) => isGrouped(v) || types.float.resolve(v),
  construct: (v: string) => (isGrouped(v) ? Number(v.replaceAll('_', '')) : types.float.construct(v)),
})

const schema = yaml.FAILSAFE_SCHEMA.extend({
  implicit: [types.null, bool, int, float, types.merge],
  explicit: [types.binary],
})

/** What a scalar without quotes is that has this text: `5.10` is 5.1, `yes` is true, nothing is null. */
export function plainScalar(text: string): JsonValue {
  const type = text === '' ? types.null : [types.null, bool, int, float].find((t) => t.resolve(text))
  return type ? (type.construct(text) as JsonValue) : text
}

/** What becomes of a key that a mapping has twice: kubectl refuses it; what reads without `strict` takes the last. */
export type RepeatedKeys = 'Refuse' | 'Last'

/**
 * All documents of a stream, empty ones left out.
 * @throws YamlError
 */
export function parseYamlStream(stream: string, repeated: RepeatedKeys = 'Refuse'): JsonValue[] {
  const text = withoutByteOrderMarks(stream)
  const out: JsonValue[] = []
  try {
    if (ODD_KEY.test(text)) refuseOddKeys(text)
    const unfold = new Unfolder(text)
    yaml.loadAll(text, (doc) => void (doc !== null && doc !== undefined && out.push(unfold.json(doc))), {
      schema,
      json: repeated === 'Last',
    })
  } catch (e) {
    if (!(e instanceof yaml.YAMLException)) throw e
    const { line, column } = e.mark ?? { line: 0, column: 0 }
    throw new YamlError(e.reason ?? e.message, line + 1, column + 1)
  }
  return out
}

/** Where a key may be that is no text: `null:`, `[a]:`, `? {a: 1}`. */
const ODD_KEY = /(?:^|[\s{,])(?:null|Null|NULL|~)\s*:|[\]}]\s*:|^\s*(?:- +)*\?/m

/** The library would make text of them; looked at closely only where there may be one. */
function refuseOddKeys(text: string): void {
  const lines = new LineCounter()
  const docs = parseAllDocuments(text, { lineCounter: lines, version: '1.1', logLevel: 'silent' })
  for (const doc of Array.isArray(docs) ? docs : [])
    visit(doc, {
      Pair(_, { key }) {
        const what = !isScalar(key) ? 'a list or mapping' : key.value === null ? 'null' : undefined
        if (what === undefined) return
        const { line, col } = lines.linePos((key as { range?: [number, number, number] }).range?.[0] ?? 0)
        throw new YamlError(`${what} is not a valid key`, line, col)
      },
    })
}

/** Deeper than any text may nest by itself: an alias then stands inside its own anchor. */
const MAX_DEPTH = 200
/** Values that aliases may add to those that the text has; ten lines of aliases can stand for billions. */
const MAX_ALIASED = 1_000_000

/** YAML has values that JSON has not; and what two anchors share must not be shared afterwards. */
class Unfolder {
  private readonly text: string
  /** No text has more values than characters: what is beyond comes of aliases. */
  private left: number

  constructor(text: string) {
    this.text = text
    this.left = text.length + MAX_ALIASED
  }

  json(value: unknown, depth = 0): JsonValue {
    if (depth > MAX_DEPTH) throw this.atAlias('an alias stands inside its own anchor')
    if (--this.left < 0) throw this.atAlias(`aliases make more than ${MAX_ALIASED} values of it`)
    if (Array.isArray(value)) return value.map((v) => this.json(v, depth + 1))
    // As kubectl: the text that the bytes are, not their base64.
    if (value instanceof Uint8Array) return textOf(value)
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new YamlError(`${value} is not a value in Kubernetes`, 1, 1)
    if (!isObject(value)) return value as JsonValue
    const out: { [key: string]: JsonValue | undefined } = {}
    for (const [k, v] of Object.entries(value)) setMember(out, k, this.json(v, depth + 1))
    return out
  }

  /** At the first alias of the text: the values do not say where they came from. */
  private atAlias(message: string): YamlError {
    const before = this.text.slice(0, /(?<=^|[\s[{,])\*[^\s,\]}]/m.exec(this.text)?.index ?? 0)
    return new YamlError(message, before.split('\n').length, before.length - before.lastIndexOf('\n'))
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new YamlError('!!binary is not UTF-8 text; a Secret takes base64 as plain text', 1, 1)
  }
}

/** What is beyond 2⁵³ is written as it is. */
const long = new yaml.Type('tag:lockstep.dev,2026:long', {
  kind: 'scalar',
  resolve: () => false,
  predicate: (v: unknown) => typeof v === 'bigint',
  represent: (v: unknown) => String(v),
})
const printed = yaml.DEFAULT_SCHEMA.extend({ implicit: [long] })

/** YAML text of a value, for people: block style, no anchors; texts longer than `width` are folded, -1: none. */
export function encodeYaml(value: unknown, width = -1): string {
  return yaml.dump(value, { noRefs: true, lineWidth: width, quotingType: '"', schema: printed })
}

export interface TextPlace {
  readonly line: number
  readonly column: number
}

/**
 * Where the value at `path` of document `index` stands (documents counted as `parseYamlStream` does, from 0). Where the
 * path goes deeper than the text, the deepest part that is there.
 */
export function locateYaml(
  stream: string,
  index: number,
  path: readonly (string | number)[],
): TextPlace | undefined {
  const lines = new LineCounter()
  const docs = parseAllDocuments(withoutByteOrderMarks(stream), {
    lineCounter: lines,
    version: '1.1',
    logLevel: 'silent',
  })
  if (!Array.isArray(docs)) return undefined
  const doc = docs.filter((d) => d.contents !== null && d.toJS() !== null)[index]
  if (!doc) return undefined
  for (let depth = path.length; depth >= 0; depth--) {
    const node = doc.getIn(path.slice(0, depth), true) as { range?: [number, number, number] } | undefined
    const start = node?.range?.[0]
    if (start === undefined) continue
    const { line, col } = lines.linePos(start)
    return { line, column: col }
  }
  return undefined
}
