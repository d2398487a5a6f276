/** One YAML document with the places of what is in it: for messages that point, and for edits that leave the rest alone. */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import type { TextPlace } from './yaml.ts'

/** Members and items, from the document down. */
export type ValuePath = readonly (string | number)[]

export class YamlTree {
  readonly root: Node | null
  private readonly lines = new LineCounter()

  constructor(text: string) {
    const options = {
      lineCounter: this.lines,
      version: '1.1',
      logLevel: 'silent',
      uniqueKeys: false,
    } as const
    this.root = (parseDocument(text, options) as Document).contents as Node | null
  }

  /**
   * Where the value at `path` stands, or its key. Where the path goes deeper than the text, the deepest part that is
   * there; where it goes through an alias, the alias.
   */
  place(path: ValuePath, what: 'value' | 'key' = 'value'): TextPlace {
    let here = this.root
    let key: Node | undefined
    for (const step of path) {
      const next = here === null ? undefined : childOf(here, step)
      if (!next) break
      key = next.key
      here = next.value
    }
    const start = (what === 'key' && key ? key : (here ?? key))?.range?.[0]
    const { line, col } = this.lines.linePos(start ?? 0)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
}

/** What stands at one step below a node; the node's own, or of what it merges. */
export function childOf(
  node: Node,
  step: string | number,
): { readonly key?: Node; readonly value: Node | null } | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(step)] as Node | undefined
    return value === undefined ? undefined : { value }
  }
  const pair = isMap(node) ? (ownPair(node, String(step)) ?? mergeOf(node)) : undefined
  return pair && { key: pair.key as Node, value: pair.value as Node | null }
}

export const ownPair = (map: YAMLMap, name: string): Pair | undefined =>
  // The last of equal ones is what counts.
  map.items.findLast((p) => keyOf(p) === name)

const keyOf = (p: Pair): string => (isScalar(p.key) ? String(p.key.value) : '')

/** A member that the map has not itself comes of what it merges. */
const mergeOf = (map: YAMLMap): Pair | undefined =>
  map.items.find((p) => isScalar(p.key) && (p.key.value === '<<' || typeof p.key.value === 'symbol'))
