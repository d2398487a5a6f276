/** Findings as lines for people. */
import type { FluxFinding } from '../../../core/flux/check/finding.ts'
import type { FilePlace } from '../../../core/flux/manifest.ts'
import type { Colour, Terminal } from '../../terminal/terminal.ts'
import { plural } from '../../terminal/text.ts'
import { fit, wrap } from '../../terminal/wrap.ts'
import { edgesIn, type FluxResult, skippedOf, unreadableOf } from './report.ts'

const COLOURS: Readonly<Record<FluxFinding['level'], Colour>> = {
  error: 'red',
  warning: 'yellow',
  note: 'cyan',
}
const INDENT = 4
const MIN_WIDTH = 40

const placeText = (p: FilePlace): string => `${p.file}:${p.line}:${p.column}`

export function drawFlux(t: Terminal, r: FluxResult, explain: boolean): void {
  for (const f of r.check.findings) drawFinding(t, f, explain)
  for (const s of skippedOf(r)) t.print(fit(t.look, `${t.paint('dim', s.file)} not looked at: ${s.message}`))
  for (const u of unreadableOf(r)) t.talk(`${t.paint('red', 'error:')} ${placeText(u)} ${u.problem}`)
  t.print(summary(r))
  if (r.check.findings.length > 0 && !explain) t.talk('How each of them goes wrong, step by step: --explain')
}

/** A line by which editors find the place; below it what belongs to it. In a pipe a line stays a line. */
function drawFinding(t: Terminal, f: FluxFinding, explain: boolean): void {
  const folded = (text: string, from: number): string =>
    t.look.wraps ? wrap(text, Math.max(MIN_WIDTH, t.look.width - from), from) : text
  const below = (text: string, more = 0): void =>
    t.print(`${' '.repeat(INDENT)}${folded(text, INDENT + more)}`)
  const head = `${placeText(f.place)} ${t.paint(COLOURS[f.level], f.level)} ${t.paint('bold', f.rule)}`
  t.print(folded(`${head} ${f.message}.`, INDENT))
  if (explain) {
    for (const [i, step] of f.race.entries()) below(`${i + 1}. ${step}`, 3)
    for (const other of f.related) below(`${t.paint('dim', placeText(other.place))} ${other.message}`)
  }
  below(`${t.paint('cyan', 'Fix:')} ${f.fix}`)
}

function summary(r: FluxResult): string {
  const count = (level: FluxFinding['level']) => r.check.findings.filter((f) => f.level === level).length
  const { units } = r.check.set
  const looked = `${plural(edgesIn(r), 'edge')} of ${plural(units.length, 'unit')} in ${plural(r.read.files.length, 'file')}`
  const found = [
    plural(count('error'), 'error'),
    plural(count('warning'), 'warning'),
    plural(count('note'), 'note'),
  ]
  return `${looked}: ${[...found, `${r.check.ignored.length} ignored`].join(', ')}.`
}
