/** Pages whose commands are run: lines with `$` in console fences, and the output that the page shows below them. */
import { readFileSync } from 'node:fs'

export interface PageCommand {
  readonly command: string
  /** Lines of its output; a line `…` stands for any lines. Empty: the page shows none. */
  readonly shown: readonly string[]
}

const FENCE = /^```(\w*)$/

/** The commands of one section of a page, in their order. */
export function commandsOf(path: string, section: string): PageCommand[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  const from = lines.indexOf(`## ${section}`)
  if (from < 0) throw new Error(`${path} has no section "${section}"`)
  const end = lines.findIndex((line, i) => i > from && line.startsWith('## '))
  const commands: PageCommand[] = []
  let isConsole = false
  for (const line of lines.slice(from, end < 0 ? undefined : end)) {
    const fence = FENCE.exec(line)
    if (fence) isConsole = fence[1] === 'console'
    else if (isConsole && line.startsWith('$ ')) commands.push({ command: line.slice(2), shown: [] })
    else if (isConsole) {
      const last = commands.pop()!
      commands.push({ ...last, shown: [...last.shown, line] })
    }
  }
  return commands
}

/** Fences of a page that no test can read: each is console (run) or text (not run), or has a language. */
export const untypedFences = (path: string): number =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => FENCE.test(line))
    .filter((line, i) => i % 2 === 0 && line === '```').length

const REST = '…'

/** Undefined if a command has printed what the page shows; else the first line that is absent. `…` in a line: any text. */
export function absentLine(shown: readonly string[], printed: string): string | undefined {
  const lines = printed.trimEnd().split('\n')
  let next = 0
  let mayskip = false
  for (const line of shown) {
    if (line === REST) {
      mayskip = true
      continue
    }
    const pattern = new RegExp(`^${line.split(REST).map(literal).join('.*')}$`)
    const at = lines.findIndex((l, i) => i >= next && (mayskip || i === next) && pattern.test(l.trimEnd()))
    if (at < 0) return line
    next = at + 1
    mayskip = false
  }
  return undefined
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
