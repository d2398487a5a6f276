/** The nodes of a document by a parser that knows all of YAML. */
import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
  type Node as YamlNode,
} from 'yaml'
import type { EditYamlNode, YamlBranch, YamlLeaf, YamlMember, YamlNodeBase, YamlNodes } from './yamlnode.ts'

/** All scalars are texts to it: what they mean another reader says. */
export const parsedText = (text: string) =>
  parseDocument(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' })

export class ParsedNodes {
  private readonly base: number
  private readonly leaves: YamlLeaf[] = []
  private readonly keys: YamlLeaf[] = []
  private readonly aliases = new Map<YamlLeaf, EditYamlNode>()
  /** The last one of a name is what an alias means (YAML 1.2.2, 3.2.2.2). */
  private readonly anchors = new Map<string, EditYamlNode>()

  constructor(offset: number) {
    this.base = offset
  }

  read(contents: YamlNode | null): YamlNodes {
    const root = contents === null ? undefined : this.node(contents, undefined, '')
    return { root, leaves: this.leaves, keys: this.keys, aliases: this.aliases }
  }

  private node(node: YamlNode, above: YamlBranch | undefined, key: string): EditYamlNode {
    if (isScalar(node) || isAlias(node)) {
      const leaf = this.leaf(node, above, key)
      this.leaves.push(leaf)
      return leaf
    }
    return this.branch(node as YAMLMap | YAMLSeq, above, key)
  }

  private common(node: YamlNode, above: YamlBranch | undefined, key: string): YamlNodeBase {
    const [start, end] = node.range!
    const { anchor, tag } = node as { anchor?: string; tag?: string }
    return { start: this.base + start, end: this.base + end, anchor, tag, above, key }
  }

  private leaf(node: YamlNode, above: YamlBranch | undefined, key: string): YamlLeaf {
    const common = this.common(node, above, key)
    if (isAlias(node)) return this.alias(node, common)
    const { type, value } = node as { type?: string; value?: unknown }
    const isEmpty = type === 'PLAIN' && common.start === common.end
    const leaf: YamlLeaf = {
      ...common,
      kind: type?.startsWith('BLOCK') ? 'block' : isEmpty ? 'empty' : 'scalar',
      quotes: type === 'QUOTE_DOUBLE' ? 'double' : type === 'QUOTE_SINGLE' ? 'single' : 'none',
      text: String(value),
    }
    if (leaf.anchor !== undefined) this.anchors.set(leaf.anchor, leaf)
    return leaf
  }

  private alias(node: Alias, common: YamlNodeBase): YamlLeaf {
    const leaf: YamlLeaf = { ...common, kind: 'alias', quotes: 'none', text: node.source }
    const meant = this.anchors.get(node.source)
    if (meant) this.aliases.set(leaf, meant)
    return leaf
  }

  private branch(node: YAMLMap | YAMLSeq, above: YamlBranch | undefined, key: string): YamlBranch {
    const members: YamlMember[] = []
    const items: EditYamlNode[] = []
    const branch: YamlBranch = {
      ...this.common(node, above, key),
      kind: isMap(node) ? 'map' : 'list',
      isInBrackets: node.flow === true,
      members,
      items,
    }
    // Before what is in it: an alias there may mean it, and is refused by whoever unfolds it.
    if (branch.anchor !== undefined) this.anchors.set(branch.anchor, branch)
    if (!isMap(node)) for (const item of node.items) items.push(this.node(item as YamlNode, branch, ''))
    else for (const pair of node.items) members.push(this.member(pair.key as YamlNode, pair.value, branch))
    return branch
  }

  private member(keyNode: YamlNode, valueNode: unknown, map: YamlBranch): YamlMember {
    const key = isScalar(keyNode) || isAlias(keyNode) ? this.leaf(keyNode, map, '') : undefined
    if (key) this.keys.push(key)
    const end = this.base + (keyNode.range?.[1] ?? 0)
    const left: YamlLeaf = {
      kind: 'empty',
      quotes: 'none',
      text: '',
      start: end,
      end,
      anchor: undefined,
      tag: undefined,
      above: map,
      key: key?.text ?? '',
    }
    return { key, value: valueNode === null ? left : this.node(valueNode as YamlNode, map, key?.text ?? '') }
  }
}
