import type { CommandContext } from '../index.ts'
import { printData, type Report } from '../output/index.ts'
import { fit, plural, textTable } from '../terminal/index.ts'
import type { CheckFinding } from './checkreport.ts'

const MARKS = { ok: ['green', '✔'], missing: ['red', '✗'], unknown: ['yellow', '?'] } as const

/** The report for programs, else a line for each finding. */
export function drawFindings(c: CommandContext, report: Report, findings: readonly CheckFinding[]): void {
  if (printFindings(c, report, findings)) return
  const { terminal: t } = c
  const rows = findings.map((f) => {
    const [color, glyph] = MARKS[f.state]
    return [t.paint(color, glyph), f.name, f.state === 'ok' ? '' : `for ${f.for}`, f.found]
  })
  for (const line of textTable(rows, { gap: 2, width: t.look.width })) t.print(line)
  t.print(summaryOf(findings))
}

/** The same, with each text whole. */
export function listFindings(c: CommandContext, report: Report, findings: readonly CheckFinding[]): void {
  if (printFindings(c, report, findings)) return
  const { terminal: t } = c
  for (const { state, name, found } of findings) {
    const [color, glyph] = MARKS[state]
    t.print(fit(t.look, `${t.paint(color, glyph)} ${name}: ${found}`))
  }
  t.print(summaryOf(findings))
}

const isMissing = ({ state }: CheckFinding): boolean => state === 'missing'

const printFindings = (c: CommandContext, report: Report, findings: readonly CheckFinding[]): boolean =>
  printData(
    c,
    report,
    findings.filter(isMissing).map((f) => f.name),
  )

function summaryOf(findings: readonly CheckFinding[]): string {
  const missing = findings.filter(isMissing).length
  return missing === 0 ? 'All requirements are met.' : `${plural(missing, 'requirement')} missing.`
}
