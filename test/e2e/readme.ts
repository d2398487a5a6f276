/** What the README tells people to type, and what it says they will see. */
import { readFileSync } from 'node:fs'

export interface ReadmeStep {
  /** Where it stands: the heading above it. */
  readonly heading: string
  /** One command; a here-document belongs to it. */
  readonly command: string
  /** What it is said to print; empty: nothing is said. A line `…` stands for any lines. */
  readonly shown: readonly string[]
}

const COMMAND = /^(npx|kubectl|export|cat|sed|npm) /

/** The commands of one section in their order. */
export function stepsOf(section: string): ReadmeStep[] {
  const text = readFileSync('README.md', 'utf8')
  const from = text.indexOf(`\n## ${section}\n`)
  if (from < 0) throw new Error(`the README has no section ${section}`)
  const end = text.indexOf('\n## ', from + 4)
  const steps: ReadmeStep[] = []
  for (const { heading, lines } of paragraphsOf(text.slice(from, end < 0 ? undefined : end))) {
    const last = steps[steps.length - 1]
    if (COMMAND.test(lines[0]!))
      for (const command of commandsOf(lines)) steps.push({ heading, command, shown: [] })
    else if (last) steps[steps.length - 1] = { ...last, shown: [...last.shown, ...lines] }
  }
  return steps
}

/** Indented blocks, cut at blank lines; in lists they are indented further. */
function paragraphsOf(text: string): { heading: string; lines: string[] }[] {
  const out: { heading: string; lines: string[] }[] = []
  let heading = ''
  let lines: string[] = []
  const close = (): void => {
    if (lines.length > 0) out.push({ heading, lines })
    lines = []
  }
  let isList = false
  for (const line of text.split('\n')) {
    if (/^#/.test(line)) heading = line.replace(/^#+ /, '')
    if (/^\d+\. /.test(line)) isList = true
    else if (/^\S/.test(line)) isList = false
    const indent = isList ? '       ' : '    '
    if (line.startsWith(indent)) lines.push(line.slice(indent.length))
    else close()
  }
  close()
  return out
}

function commandsOf(lines: readonly string[]): string[] {
  if (/<<'END'$/.test(lines[0]!)) return [lines.join('\n')]
  return [...lines]
}

/** What differs from run to run, and how wide a column is, is no difference. */
const plain = (line: string): string =>
  line
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/\b[0-9a-f]{8,10}\b/g, 'DIGEST')
    .replace(/\b(\d+[dhms])+\b/g, 'AGE')
    .replace(/\bon [\w-]+ relies\b/, 'on CLUSTER relies')
    .replace(/\s+/g, ' ')
    .trim()

/** Undefined if a command has printed what was said; else the first line that is not there. */
export function missingLine(shown: readonly string[], printed: string): string | undefined {
  const lines = printed
    .split('\n')
    .map(plain)
    .filter((l) => l !== '')
  let next = 0
  let isOpen = false
  for (const line of shown.map(plain)) {
    if (line === '…') {
      isOpen = true
      continue
    }
    const at = isOpen ? lines.indexOf(line, next) : lines[next] === line ? next : -1
    if (at < 0) return `${line}   (instead: ${lines[next] ?? 'the end'})`
    next = at + 1
    isOpen = false
  }
  return isOpen || next === lines.length ? undefined : `the end   (instead: ${lines[next]})`
}
