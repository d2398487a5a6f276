import { expect, it } from 'vitest'
import { withoutByteOrderMarks } from './byteordermarks.ts'
import { locateYaml, parseYamlStream } from './yaml.ts'
import { splitYaml } from './yamlpart.ts'

const B = '\uFEFF'

it.each([
  ['at the start', `${B}a: 1\n`],
  ['behind a marker', `a: 1\n---\n${B}b: 1\n`],
  ['behind a marker with a comment', `a: 1\n--- # second\r\n${B}b: 1\n`],
  ['before a marker', `a: 1\n${B}---\nb: 1\n`],
  ['behind an end', `a: 1\n...\n${B}b: 1\n`],
  ['at the start and behind the first marker', `${B}---\n${B}a: 1\n`],
])('a mark %s is none of the text', (_, text) => {
  const documents = parseYamlStream(text.replaceAll(B, ''))
  expect(parseYamlStream(text)).toEqual(documents)
  const parts = splitYaml(text).map((p) => p.text)
  expect(parts.join('')).toBe(text)
  expect(parts.flatMap((p) => parseYamlStream(p))).toEqual(documents)
  for (const part of parts) expect(parseYamlStream(part).length).toBeLessThanOrEqual(1)
})

it.each([
  ['in a text', `a: x${B}y\n`],
  ['at the start of a line of a block', `a: |\n  ${B}x\n`],
  ['before a text that only begins as a marker does', `a: "\n${B}---x"\n`],
])('a mark %s is content', (_, text) => {
  expect(withoutByteOrderMarks(text)).toBe(text)
})

it('a place behind marks is the one that an editor shows', () => {
  expect(locateYaml(`a: 1\n---\n${B}b: 1\n`, 1, ['b'])).toEqual({ line: 3, column: 4 })
})
