/** What stands in a document: values with their place, their quotes, their anchors, and what is above them. */
import type { ScalarQuotes } from './scalar.ts'

export interface YamlNodeBase {
  /** In the file; without anchor and tag. */
  readonly start: number
  readonly end: number
  readonly anchor: string | undefined
  readonly tag: string | undefined
  readonly above: YamlBranch | undefined
  /** Of the member that it is the value of; empty for an item. */
  readonly key: string
}

export interface YamlLeaf extends YamlNodeBase {
  /** `empty`: the value was left out. */
  readonly kind: 'scalar' | 'block' | 'alias' | 'empty'
  readonly quotes: ScalarQuotes
  /** Its content, as a reader who makes texts of everything has it; of an alias, the name of its anchor. */
  readonly text: string
}

export interface YamlBranch extends YamlNodeBase {
  readonly kind: 'map' | 'list'
  readonly isInBrackets: boolean
  readonly members: readonly YamlMember[]
  readonly items: readonly EditYamlNode[]
}

export type EditYamlNode = YamlLeaf | YamlBranch

export interface YamlMember {
  /** `undefined`: a mapping or a list. */
  readonly key: YamlLeaf | undefined
  readonly value: EditYamlNode
}

export const isLeaf = (node: EditYamlNode): node is YamlLeaf => node.kind !== 'map' && node.kind !== 'list'

/** All of a document, however it was read. */
export interface YamlNodes {
  readonly root: EditYamlNode | undefined
  /** Values that are no collections, in the order of the text. */
  readonly leaves: readonly YamlLeaf[]
  /** Keys that are texts. */
  readonly keys: readonly YamlLeaf[]
  /** What each alias stands for. */
  readonly aliases: ReadonlyMap<YamlLeaf, EditYamlNode>
}

/** Those that have something between two offsets, or end at the first or begin at the second. They are in the order of the text. */
export function touching(leaves: readonly YamlLeaf[], start: number, end: number): YamlLeaf[] {
  let [low, high] = [0, leaves.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (leaves[middle]!.end < start) low = middle + 1
    else high = middle
  }
  const found: YamlLeaf[] = []
  for (let i = low; i < leaves.length && leaves[i]!.start <= end; i++) found.push(leaves[i]!)
  return found
}
