import { describe, expect, it } from 'vitest'
import { editFileFilter } from './editfiles.ts'

const all = [
  'a.yaml',
  'x/b.yml',
  'x/c.json',
  'x/k/kustomization.yaml',
  'values.yaml',
  '.git/config.yaml',
  'old/a.yaml',
  'Kustomization',
]

describe('wanted', () => {
  it.each([
    [[{ marker: true }], ['a.yaml', 'x/b.yml', 'x/k/kustomization.yaml', 'values.yaml', 'old/a.yaml']],
    [[{ marker: true, paths: ['**', '!old/**', '!*'] }], ['x/b.yml', 'x/c.json', 'x/k/kustomization.yaml']],
    [[{ file: 'x/c.json', path: 'a' }], ['x/c.json']],
    [
      [
        { kustomizeImage: { file: 'x/k/kustomization.yaml', name: 'a', set: 'newTag' as const } },
        { helmValue: { file: 'values.yaml', key: 'a' } },
      ],
      ['x/k/kustomization.yaml', 'values.yaml'],
    ],
    [[], []],
  ])('%j', (edits, paths) => expect(all.filter(editFileFilter(edits))).toEqual(paths))
})
