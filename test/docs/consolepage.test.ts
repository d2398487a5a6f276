import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { absentLine, commandsOf, untypedFences } from './consolepage.ts'

const PAGE = `# Title

## First

\`\`\`text
$ not run
\`\`\`

\`\`\`console
$ a --b
…
done in …s
$ c
\`\`\`

## Second

\`\`\`
$ untyped
\`\`\`
`
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-page-'))
  writeFileSync(join(folder, 'page.md'), PAGE)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a page', () => {
  it('has the commands of console fences, section by section', () => {
    const path = join(folder, 'page.md')
    expect(commandsOf(path, 'First')).toEqual([
      { command: 'a --b', shown: ['…', 'done in …s'] },
      { command: 'c', shown: [] },
    ])
    expect(commandsOf(path, 'Second')).toEqual([])
    expect(() => commandsOf(path, 'Third')).toThrow(/has no section "Third"/)
    expect(untypedFences(path)).toBe(1)
  })

  it.each([
    [['a', 'b'], 'a\nb\n', undefined],
    [['b'], 'a\nb\n', 'b'],
    [['…', 'b'], 'a\nb\n', undefined],
    [['took …s'], 'took 12s\n', undefined],
    [['took …s.'], 'took 12s\n', 'took …s.'],
    [['…', 'c'], 'a\nb\n', 'c'],
    [[], 'a\n', undefined],
  ])('shows %j of %j', (shown, printed, absent) => {
    expect(absentLine(shown, printed)).toBe(absent)
  })
})
