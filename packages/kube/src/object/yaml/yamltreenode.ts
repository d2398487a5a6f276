/** Offsets are UTF-16 units of the text: of the first character, and behind the last one. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/** A value, without the anchor and the tag before it. The end of a block text is behind its last line break. */
export interface YamlTreeNode extends TextSpan {
  readonly kind: 'map' | 'list' | 'scalar' | 'alias'
  /** In brackets. */
  readonly flow: boolean
  readonly members: readonly YamlTreeMember[]
  readonly items: readonly YamlTreeNode[]
}

export interface YamlTreeMember {
  readonly name: string
  /** `<<`: members of its value count as the map's, after its own. */
  readonly merges: boolean
  readonly key: TextSpan
  readonly value: YamlTreeNode | null
}
