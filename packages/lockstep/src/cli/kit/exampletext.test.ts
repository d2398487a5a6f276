import { expect, it } from 'vitest'
import { exampleText } from './exampletext.ts'

it.each([
  ['get modules -n shop', '  lockstep get modules -n shop'],
  [
    'install --namespaces shop --image example.com/x:1 | kubectl apply --server-side -f -',
    [
      '  lockstep install --namespaces shop \\',
      '    --image example.com/x:1 |',
      '    kubectl apply --server-side -f -',
    ].join('\n'),
  ],
  ['rights web -o yaml | kubectl apply -f -', '  lockstep rights web -o yaml |\n    kubectl apply -f -'],
])('lockstep %s, in 40 columns', (line, text) => {
  expect(exampleText(line, 40)).toBe(text)
  for (const typed of text.split('\n')) expect(typed.length).toBeLessThanOrEqual(40)
  // A shell removes a backslash with its line feed, and reads on after a pipe.
  expect(text.replaceAll('\\\n', '').replaceAll(/\s+/g, ' ').trim()).toBe(`lockstep ${line}`)
})
