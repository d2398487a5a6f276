/** A finding as lines for people: one by which editors find the place, below it what belongs to it. */
import type { FilePosition } from '../../../decisions/clustergroup/index.ts'
import { type Color, type Terminal, wrap } from '../terminal/index.ts'

export type FindingLevel = 'error' | 'warning' | 'note'

export interface FindingLines {
  readonly place: FilePosition
  readonly level: FindingLevel
  readonly rule: string
  readonly message: string
  readonly fix: string
  /** Numbered, when somebody asks how it goes wrong. */
  readonly steps: readonly string[]
  readonly related: readonly { readonly place: FilePosition; readonly message: string }[]
}

const COLORS: Readonly<Record<FindingLevel, Color>> = { error: 'red', warning: 'yellow', note: 'cyan' }
const INDENT = 4
const MIN_WIDTH = 40

export const placeText = (p: FilePosition): string => `${p.file}:${p.line}:${p.column}`

/** In a pipe a line stays a line. */
export function drawFinding(t: Terminal, f: FindingLines): void {
  const folded = (text: string, from: number): string =>
    t.look.wraps ? wrap(text, Math.max(MIN_WIDTH, t.look.width - from), from) : text
  const below = (text: string, more = 0): void =>
    t.print(`${' '.repeat(INDENT)}${folded(text, INDENT + more)}`)
  const head = `${placeText(f.place)} ${t.paint(COLORS[f.level], f.level)} ${t.paint('bold', f.rule)}`
  t.print(folded(`${head} ${f.message}.`, INDENT))
  for (const [i, step] of f.steps.entries()) below(`${i + 1}. ${step}`, 3)
  for (const other of f.related) below(`${t.paint('dim', placeText(other.place))} ${other.message}`)
  below(`${t.paint('cyan', 'Fix:')} ${f.fix}`)
}
