/** The nodes of a document that is written as most are: without anchors and tags, and ten times as fast. */

import type { TextSpan, YamlTreeMember, YamlTreeNode } from '@lockstep/kube/object'
import { parse } from 'yaml'
import type { ScalarQuotes } from './scalar.ts'
import type { EditYamlNode, YamlBranch, YamlLeaf, YamlMember, YamlNodes } from './yamlnode.ts'

const NO_ALIASES: YamlNodes['aliases'] = new Map()

export class ScannedNodes {
  private readonly text: string
  private readonly base: number
  private readonly leaves: YamlLeaf[] = []
  private readonly keys: YamlLeaf[] = []

  /** `text` begins at an offset of its file. */
  constructor(text: string, offset: number) {
    this.text = text
    this.base = offset
  }

  read(tree: YamlTreeNode): YamlNodes {
    const root = this.node(tree, undefined, '')
    return { root, leaves: this.leaves, keys: this.keys, aliases: NO_ALIASES }
  }

  private node(node: YamlTreeNode, above: YamlBranch | undefined, key: string): EditYamlNode {
    if (node.kind === 'map' || node.kind === 'list') return this.branch(node, node.kind, above, key)
    const leaf = this.leaf(node, above, key)
    this.leaves.push(leaf)
    return leaf
  }

  private branch(
    { start, end, flow, members, items }: YamlTreeNode,
    kind: YamlBranch['kind'],
    above: YamlBranch | undefined,
    key: string,
  ): YamlBranch {
    const [ownMembers, ownItems]: [YamlMember[], EditYamlNode[]] = [[], []]
    const branch: YamlBranch = {
      kind,
      start: this.base + start,
      end: this.base + end,
      anchor: undefined,
      tag: undefined,
      above,
      key,
      isInBrackets: flow,
      members: ownMembers,
      items: ownItems,
    }
    for (const item of items) ownItems.push(this.node(item, branch, ''))
    for (const m of members) ownMembers.push(this.member(m, branch))
    return branch
  }

  private member({ name, key, value }: YamlTreeMember, map: YamlBranch): YamlMember {
    const quotes = quotesOf(this.text[key.start])
    const leaf = this.made('scalar', key, quotes, name, map, '')
    this.keys.push(leaf)
    return { key: leaf, value: this.node(value ?? emptyAt(key.end), map, name) }
  }

  private leaf(node: YamlTreeNode, above: YamlBranch | undefined, key: string): YamlLeaf {
    const written = this.text.slice(node.start, node.end)
    const isBlock = written.startsWith('|') || written.startsWith('>')
    const quotes = quotesOf(written[0])
    const kind = isBlock ? 'block' : written === '' ? 'empty' : 'scalar'
    return this.made(kind, node, quotes, quotes === 'none' ? written : unquoted(written, quotes), above, key)
  }

  /** Without spreading: of a large file there are many. */
  private made(
    kind: YamlLeaf['kind'],
    { start, end }: TextSpan,
    quotes: ScalarQuotes,
    text: string,
    above: YamlBranch | undefined,
    key: string,
  ): YamlLeaf {
    const { base } = this
    return {
      kind,
      start: base + start,
      end: base + end,
      anchor: undefined,
      tag: undefined,
      above,
      key,
      quotes,
      text,
    }
  }
}

const emptyAt = (at: number): YamlTreeNode => ({
  kind: 'scalar',
  flow: false,
  start: at,
  end: at,
  members: [],
  items: [],
})

const quotesOf = (first: string | undefined): ScalarQuotes =>
  first === '"' ? 'double' : first === "'" ? 'single' : 'none'

function unquoted(written: string, quotes: ScalarQuotes): string {
  const inside = written.slice(1, -1)
  if (quotes === 'single') return inside.replaceAll("''", "'")
  return inside.includes('\\') ? String(parse(written)) : inside
}
