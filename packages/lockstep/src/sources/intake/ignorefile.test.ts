import { describe, expect, it } from 'vitest'
import { withoutIgnored } from './ignorefile.ts'

const kept = (files: Readonly<Record<string, string>>, lines?: string): string[] =>
  withoutIgnored(
    {
      files: Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })),
      warnings: [],
    },
    lines,
  ).files.map((f) => f.path)

describe('files that do not count', () => {
  it('are those of Flux’s defaults', () => {
    const files = {
      '.github/ci.yaml': '',
      'a.png': '',
      'deep/.sops.yaml': '',
      'cloudbuild.yaml': '',
      'a.yaml': '',
    }
    expect(kept(files)).toEqual(['a.yaml'])
  })

  it('are named by .sourceignore files, below their own directory', () => {
    const files = {
      'apps/.sourceignore': '# not ours\ntest.yaml\n/top.yaml\n',
      'apps/test.yaml': '',
      'apps/x/test.yaml': '',
      'apps/top.yaml': '',
      'apps/x/top.yaml': '',
      'test.yaml': '',
    }
    expect(kept(files)).toEqual(['apps/x/top.yaml', 'test.yaml'])
  })

  it('are named by the module last: it can take some back', () => {
    const files = { '.sourceignore': '*.yaml\n', 'a.yaml': '', 'b.yaml': '', 'c.txt': '' }
    expect(kept(files, '!a.yaml\n*.txt')).toEqual(['a.yaml'])
  })
})
