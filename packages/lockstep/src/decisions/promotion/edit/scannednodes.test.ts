import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markedFile } from '../../../../../../test/arbitrary/markedyaml.ts'
import { assertProperty, expectSeen } from '../../../../../../test/property.ts'
import { splitYaml } from '../../../../../kube/src/object/index.ts'
import { scanYaml } from '../../../../../kube/src/object/yaml/scanyaml.ts'
import { ParsedNodes, parsedText } from './parsednodes.ts'
import { ScannedNodes } from './scannednodes.ts'
import type { YamlLeaf, YamlNodes } from './yamlnode.ts'

/** All that edits look at; what was left out has no place of its own. */
function seen({ leaves, keys }: YamlNodes): unknown[] {
  const one = (leaf: YamlLeaf) => {
    const { kind, quotes, text, start, end, anchor, tag, key, above } = leaf
    const up: unknown[] = []
    for (let here = above; here; here = here.above)
      up.push([here.kind, here.isInBrackets, here.items.length, here.members.map((m) => m.key?.text)])
    return kind === 'empty'
      ? { kind, key, up }
      : { kind, quotes, text: kind === 'block' || text, start, end, anchor, tag, key, up }
  }
  return [...leaves, ...keys].map(one)
}

describe('a document that is written as most are', () => {
  it('has the nodes that a parser sees that knows all of YAML', () => {
    let count = 0
    const see = (text: string, offset: number): void => {
      const tree = scanYaml(text)
      if (!tree) return
      count++
      const parsed = new ParsedNodes(offset).read(parsedText(text).contents)
      expect(seen(new ScannedNodes(text, offset).read(tree))).toEqual(seen(parsed))
    }
    assertProperty(
      fc.property(markedFile, ({ text }) => {
        for (const part of splitYaml(text)) see(part.text, part.offset)
      }),
    )
    expectSeen(count, 1 / 5)
  })
})
