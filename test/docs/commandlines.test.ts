/** Each command line of a page is one that the program understands. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { commandLineProblem } from './commandlineproblem.ts'

const pages = execFileSync('git', ['ls-files', 'README.md', 'docs/*.md', 'docs/**/*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('docs/adr/'))

const HAS_PLACEHOLDER = /[…[\]{}<]|\.\.\./

/** `lockstep …` in blocks of code. Placeholders such as `[flags]` and `…` make no command line. */
const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^(?: {4}|\$ )(?:npx )?lockstep (.+)$/gm)].map((m) => m[1]!)

/** The same between backticks: names of commands and flags, often without their values. */
const inlineOf = (text: string): string[] => [...text.matchAll(/`lockstep ([^`\n]+)`/g)].map((m) => m[1]!)

const IS_INCOMPLETE = /missing required argument|argument missing/

/** Words of a shell as far as pages use them: up to a pipe, a redirection or a comment. */
function wordsOf(line: string): string[] {
  const command = line.replace(/\s(?:[|&;#>]|2>).*$/, '')
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map((m) => m[0].replaceAll(/['"]/g, ''))
}

it.each(pages)('%s', async (page) => {
  const text = readFileSync(page, 'utf8')
  const problemsIn = async (lines: readonly string[]): Promise<string[]> => {
    const problems: string[] = []
    for (const line of lines.filter((l) => !HAS_PLACEHOLDER.test(l))) {
      const problem = await commandLineProblem(wordsOf(line))
      if (problem !== undefined) problems.push(`lockstep ${line}: ${problem}`)
    }
    return problems
  }
  expect(await problemsIn(blocksOf(text))).toEqual([])
  expect((await problemsIn(inlineOf(text))).filter((p) => !IS_INCOMPLETE.test(p))).toEqual([])
})
