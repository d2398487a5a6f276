/** Each glob of `test/config.ts` names a file. A test that gets a new name stays in its tier. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { filesOf } from '../config.ts'

const LIST = /\{([^{},][^{}]*)\}/

/** One glob for each name of a list in braces. `{,.full}` is a choice, not a list. */
function globsOf(glob: string): string[] {
  const list = LIST.exec(glob)
  if (list === null) return [glob]
  return list[1]!.split(',').flatMap((name) => globsOf(glob.replace(list[0], name)))
}

const patterns: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '{,.full}': '(?:\\.full)?',
  '.': '\\.',
}
const expressionOf = (glob: string): RegExp =>
  new RegExp(`^${glob.replace(/\*\*\/|\*\*|\*|\{,\.full\}|\./g, (part) => patterns[part]!)}$`)

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`)
const paths = ['packages', 'test'].flatMap(filesBelow).filter((path) => path.endsWith('.test.ts'))
const withoutFile = (globs: readonly string[]): string[] =>
  globs.flatMap(globsOf).filter((glob) => !paths.some((path) => expressionOf(glob).test(path)))

describe('globs of the tiers', () => {
  it.each(Object.entries(filesOf))('%s: each has a file', (_, { include, exclude }) => {
    expect(withoutFile([...include, ...exclude])).toEqual([])
  })

  it('without a file are named', () => {
    const globs = ['test/limits/{tiers,gone}{,.full}.test.ts', '**/*.full.test.ts', 'test/gone/**']
    expect(withoutFile(globs)).toEqual(['test/limits/gone{,.full}.test.ts', 'test/gone/**'])
  })
})
