/** What stands in a document: values with their place, their quotes, their anchors, and what is above them. */
import type { Quotes } from './scalar.ts'

export interface Common {
  /** In the file; without anchor and tag. */
  readonly start: number
  readonly end: number
  readonly anchor: string | undefined
  readonly tag: string | undefined
  readonly above: Branch | undefined
  /** Of the member that it is the value of; empty for an item. */
  readonly key: string
}

export interface Leaf extends Common {
  /** `empty`: the value was left out. */
  readonly kind: 'scalar' | 'block' | 'alias' | 'empty'
  readonly quotes: Quotes
  /** Its content, as a reader who makes texts of everything has it; of an alias, the name of its anchor. */
  readonly text: string
}

export interface Branch extends Common {
  readonly kind: 'map' | 'list'
  readonly isInBrackets: boolean
  readonly members: readonly Member[]
  readonly items: readonly Node[]
}

export type Node = Leaf | Branch

export interface Member {
  /** `undefined`: a mapping or a list. */
  readonly key: Leaf | undefined
  readonly value: Node
}

export const isLeaf = (node: Node): node is Leaf => node.kind !== 'map' && node.kind !== 'list'

/** All of a document, however it was read. */
export interface Nodes {
  readonly root: Node | undefined
  /** Values that are no collections, in the order of the text. */
  readonly leaves: readonly Leaf[]
  /** Keys that are texts. */
  readonly keys: readonly Leaf[]
  /** What each alias stands for. */
  readonly aliases: ReadonlyMap<Leaf, Node>
}

/** Those that have something between two offsets, or end at the first or begin at the second. They are in the order of the text. */
export function touching(leaves: readonly Leaf[], start: number, end: number): Leaf[] {
  let [low, high] = [0, leaves.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (leaves[middle]!.end < start) low = middle + 1
    else high = middle
  }
  const found: Leaf[] = []
  for (let i = low; i < leaves.length && leaves[i]!.start <= end; i++) found.push(leaves[i]!)
  return found
}
