/** Values files one over the other, each remembered: messages name the file that says something, and how it is written there. */
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseYamlStream,
  setMember,
  utf8Length,
  YamlError,
  type YamlPath,
  YamlTree,
} from '@lockstep/kube/object'
import { mergeValues } from './merge.ts'
import type { Problem } from './problem.ts'

export interface ClusterGroupValuesFile {
  /** As people call it. */
  readonly file: string
  readonly text: string
}

const KIB = 1024
/** Far more than any pattern has, and read in a moment, whatever is in it. */
const MAX_BYTES = 256 * KIB

interface Rounded {
  readonly path: YamlPath
  readonly from: bigint
  readonly to: number
}

export interface ValuesLayer {
  readonly file: string
  readonly values: JsonObject
  /** Whole numbers that no double is. */
  readonly rounded: readonly Rounded[]
  /** How a scalar is written there. */
  written(path: YamlPath): string | undefined
}

/** Bytes of a values file. */
export function decodeValues(file: string, bytes: Uint8Array): ClusterGroupValuesFile | Problem {
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return unread(file, `${file}: is not UTF-8; save it as UTF-8`)
  }
}

/** One file: a mapping, or nothing. Of a key that is there twice the last counts, as for Helm. */
export function readLayer({ file, text }: ClusterGroupValuesFile): ValuesLayer | Problem {
  const size = utf8Length(text)
  if (size > MAX_BYTES)
    return unread(
      file,
      `${file}: ${Math.ceil(size / KIB)} KiB, the limit is ${MAX_BYTES / KIB} KiB; values that large are data: deliver them by a ConfigMap`,
    )
  try {
    const [values = {}, ...more] = parseYamlStream(text, 'Last')
    if (more.length > 0)
      return unread(file, `${file}: has ${more.length + 1} documents; a values file is one`)
    if (!isObject(values)) return unread(file, `${file}: is not a mapping; values must be names with values`)
    let tree: YamlTree | undefined
    const written = (path: YamlPath): string | undefined => {
      tree ??= new YamlTree(text)
      return tree.written(path)
    }
    return { ...layerOf(file, values), written }
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return unread(file, `${file}:${e.line}:${e.column}: ${e.message}; correct the YAML`, e)
  }
}

const unread = (file: string, text: string, { line, column } = { line: 1, column: 1 }): Problem => ({
  stage: 'read',
  at: [],
  text,
  place: { file, line, column },
})

/** Values that are written down elsewhere, as what they are. */
export const inlineLayer = (file: string, values: JsonObject): ValuesLayer => ({
  ...layerOf(file, values),
  written: () => undefined,
})

function layerOf(file: string, values: JsonObject): Omit<ValuesLayer, 'written'> {
  const rounded: Rounded[] = []
  return { file, values: inDoubles(values, [], rounded) as JsonObject, rounded }
}

/** Numbers are doubles, as Helm's: beyond 2^53 the nearest ones. Maps are sorted: what comes of them is the same whichever way they were written. */
function inDoubles(v: JsonValue | undefined, path: (string | number)[], rounded: Rounded[]): JsonValue {
  const below = (step: string | number, value: JsonValue | undefined): JsonValue => {
    path.push(step)
    const made = inDoubles(value, path, rounded)
    path.pop()
    return made
  }
  if (typeof v === 'bigint') {
    const to = Number(v)
    if (BigInt(to) !== v) rounded.push({ path: [...path], from: v, to })
    return to
  }
  if (isArray(v)) return v.map((item, i) => below(i, item))
  if (!isObject(v)) return v ?? null
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const key of Object.keys(v).sort()) setMember(out, key, below(key, v[key]))
  return out
}

export class Layers {
  /** All of them, from left to right. */
  readonly merged: JsonObject
  private readonly layers: readonly ValuesLayer[]

  constructor(layers: readonly ValuesLayer[]) {
    this.layers = layers
    this.merged = layers.reduce<JsonObject>((below, { values }) => mergeValues(below, values), {})
  }

  /** The last one that has what is at `path`, or what is next above it; of what none has, the last one. */
  of(path: YamlPath): ValuesLayer | undefined {
    for (let depth = path.length; depth > 0; depth--) {
      const found = this.layers.findLast(({ values }) => at(values, ...path.slice(0, depth)) !== undefined)
      if (found) return found
    }
    return this.layers.at(-1)
  }

  /** How the scalar at `path` is written where it comes from. */
  written(path: YamlPath): string | undefined {
    const from = this.layers.findLast(({ values }) => at(values, ...path) !== undefined)
    return from?.written(path)
  }

  /** Whole numbers of `merged` that are others than were written. */
  get rounded(): Rounded[] {
    return this.layers.flatMap((layer) =>
      layer.rounded.filter(({ path, to }) => this.of(path) === layer && at(this.merged, ...path) === to),
    )
  }

  /** A null there takes a default away. */
  hasNull(path: YamlPath): ValuesLayer | undefined {
    return this.layers.findLast(({ values }) => at(values, ...path) === null)
  }
}
