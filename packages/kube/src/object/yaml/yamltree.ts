/** One YAML document with the places of what is in it: for messages that point, and for edits that leave the rest alone. */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml'
import { scanYaml } from './scanyaml.ts'
import type { TextPlace } from './yaml.ts'
import type { TextSpan, YamlTreeMember, YamlTreeNode } from './yamltreenode.ts'

/** Members and items, from the document down. */
export type YamlPath = readonly (string | number)[]

export class YamlTree {
  readonly root: YamlTreeNode | null
  private readonly text: string

  constructor(text: string) {
    this.text = text
    this.root = scanYaml(text) ?? parsed(text)
  }

  /**
   * Where the value at `path` stands, or its key. Where the path goes deeper than the text, the deepest part that is
   * there; where it goes through an alias, the alias.
   */
  place(path: YamlPath, what: 'value' | 'key' = 'value'): TextPlace {
    let here = this.root
    let key: TextSpan | undefined
    for (const step of path) {
      const next = here === null ? undefined : below(here, step)
      if (!next) break
      key = next.key
      here = next.value
    }
    const start = (what === 'key' && key ? key : (here ?? key))?.start ?? 0
    const before = this.text.slice(0, start)
    return { line: before.split('\n').length, column: start - before.lastIndexOf('\n') }
  }

  /** How the scalar at `path` is written; undefined: none is written there itself, without an alias or a merge. */
  written(path: YamlPath): string | undefined {
    let here = this.root
    for (const step of path) {
      const next: YamlTreeNode | null | undefined =
        here?.kind === 'list' ? here.items[Number(step)] : here && ownMember(here, String(step))?.value
      if (!next) return undefined
      here = next
    }
    return here?.kind === 'scalar' ? this.text.slice(here.start, here.end) : undefined
  }
}

interface SubtreeEdits {
  readonly key?: TextSpan
  readonly value: YamlTreeNode | null
}

/** What stands at one step below a node; the node's own, or of what it merges. */
function below(node: YamlTreeNode, step: string | number): SubtreeEdits | undefined {
  if (node.kind === 'list') {
    const value = node.items[Number(step)]
    return value && { value }
  }
  return ownMember(node, String(step)) ?? node.members.find((m) => m.merges)
}

/** The last of equal ones is what counts. */
export const ownMember = (map: YamlTreeNode, name: string): YamlTreeMember | undefined =>
  map.members.findLast((m) => m.name === name && !m.merges)

/** By a parser that knows all of YAML. */
function parsed(text: string): YamlTreeNode | null {
  const options = { version: '1.1', logLevel: 'silent', uniqueKeys: false } as const
  const root = parseDocument(text, options).contents as Node | null
  return root && treeOf(root)
}

function treeOf(node: Node): YamlTreeNode {
  const [start, end] = node.range ?? [0, 0]
  const span = { start, end, members: [], items: [] }
  if (isMap(node))
    return { ...span, kind: 'map', flow: node.flow === true, members: node.items.map(memberOf) }
  if (isSeq(node))
    return {
      ...span,
      kind: 'list',
      flow: node.flow === true,
      items: node.items.map((n) => treeOf(n as Node)),
    }
  return { ...span, kind: isAlias(node) ? 'alias' : 'scalar', flow: false }
}

function memberOf(p: Pair): YamlTreeMember {
  const key = p.key as Node
  const [start, end] = key.range ?? [0, 0]
  const value = p.value as Node | null
  const text = isScalar(key) ? key.value : undefined
  const merges = text === '<<' || typeof text === 'symbol'
  return {
    name: merges ? '<<' : String(text ?? ''),
    merges,
    key: { start, end },
    value: value && treeOf(value),
  }
}
