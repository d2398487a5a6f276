/** Findings as lines for people. */
import type { FluxFinding } from '../../../../tools/fluxcheck/index.ts'
import { fit, plural, type Terminal } from '../../terminal/index.ts'
import { drawFinding, placeText } from '../findinglines.ts'
import { edgesIn, type FluxResult, skippedOf, unreadableOf } from './fluxreport.ts'

export function drawFlux(t: Terminal, r: FluxResult, explain: boolean): void {
  for (const f of r.check.findings) drawRace(t, f, explain)
  for (const s of skippedOf(r)) t.print(fit(t.look, `${t.paint('dim', s.file)} not read: ${s.message}`))
  for (const u of unreadableOf(r)) t.talk(`${t.paint('red', 'error:')} ${placeText(u)} ${u.problem}`)
  t.print(summary(r))
  if (r.check.findings.length > 0 && !explain) t.talk('For the steps of each race, add --explain.')
}

function drawRace(t: Terminal, f: FluxFinding, explain: boolean): void {
  const { race, related } = f
  drawFinding(t, { ...f, steps: explain ? race : [], related: explain ? related : [] })
}

function summary(r: FluxResult): string {
  const count = (level: FluxFinding['level']) => r.check.findings.filter((f) => f.level === level).length
  const { units } = r.check.set
  const looked = `${plural(edgesIn(r), 'dependency', 'dependencies')} of ${plural(units.length, 'unit')} in ${plural(r.read.files.length, 'file')}`
  const found = [
    plural(count('error'), 'error'),
    plural(count('warning'), 'warning'),
    plural(count('note'), 'note'),
  ]
  return `${looked}: ${[...found, `${r.check.ignored.length} ignored`].join(', ')}.`
}
