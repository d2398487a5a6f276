import { expect, it } from 'vitest'
import { valuePathText } from './valuepathtext.ts'
import type { YamlPath } from './yamltree.ts'

it.each<[YamlPath, string]>([
  [['spec', 'dependsOn', 0, 'name'], 'spec.dependsOn[0].name'],
  [['metadata', 'labels', 'a.b/c'], 'metadata.labels["a.b/c"]'],
])('%j is written %s', (path, text) => expect(valuePathText(path)).toBe(text))
