/** Findings as lines for people. */
import type { FluxFinding } from '../../../core/flux/check/finding.ts'
import type { FilePlace } from '../../../core/flux/manifest.ts'
import type { Colour, Terminal } from '../../terminal/terminal.ts'
import { plural } from '../../terminal/text.ts'
import { wrap } from '../../terminal/wrap.ts'
import { edgesIn, type FluxResult, skippedOf, unreadableOf } from './report.ts'

const COLOURS: Readonly<Record<FluxFinding['level'], Colour>> = {
  error: 'red',
  warning: 'yellow',
  note: 'cyan',
}
const INDENT = 4

const placeText = (p: FilePlace): string => `${p.file}:${p.line}:${p.column}`

export function drawFlux(t: Terminal, r: FluxResult, explain: boolean): void {
  for (const f of r.check.findings) drawFinding(t, f, explain)
  for (const s of skippedOf(r))
    t.print(`${t.paint('dim', `${s.file}:${s.line}`)} not looked at: ${s.message}`)
  for (const u of unreadableOf(r)) t.talk(`${t.paint('red', 'error:')} ${placeText(u)} ${u.problem}`)
  t.print(summary(r))
  if (r.check.findings.length > 0 && !explain) t.talk('How each of them goes wrong, step by step: --explain')
}

/** A line that editors find the place by; below it what belongs to it. */
function drawFinding(t: Terminal, f: FluxFinding, explain: boolean): void {
  const width = Math.max(40, t.look.width - INDENT)
  const below = (text: string): void => t.print(`${' '.repeat(INDENT)}${wrap(text, width, INDENT)}`)
  t.print(`${placeText(f.place)} ${t.paint(COLOURS[f.level], f.level)} ${t.paint('bold', f.rule)}`)
  below(`${f.message}.`)
  if (explain) {
    for (const [i, step] of f.race.entries())
      t.print(`${' '.repeat(INDENT)}${t.paint('dim', `${i + 1}.`)} ${wrap(step, width - 3, INDENT + 3)}`)
    for (const other of f.related) below(`${placeText(other.place)} ${other.message}`)
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
