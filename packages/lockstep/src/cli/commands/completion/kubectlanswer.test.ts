import { expect, it } from 'vitest'
import { kubectlAnswer } from './kubectlanswer.ts'

it.each([
  ['nothing to offer', '', ':4\n'],
  ['words', 'get\tShow\ngraph\n', 'get\tShow\ngraph\n:4\n'],
  ['words that continue', 'module/\tModules\nhold/\n', 'module/\tModules\nhold/\n:6\n'],
  ['some continue', 'module/\nall\n', 'module/\nall\n:4\n'],
  ['a text that ends in a dot', 'get\tShow objects.\n', 'get\tShow objects.\n:4\n'],
  ['files', ':files\n', ':0\n'],
])('%s', (_, answer, expected) => {
  expect(kubectlAnswer(answer)).toBe(expected)
})
