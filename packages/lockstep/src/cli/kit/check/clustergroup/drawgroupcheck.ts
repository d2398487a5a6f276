/** Findings in values as lines for people. */
import type { GroupFinding } from '../../../../tools/clustergroupcheck/index.ts'
import { fit, plural, type Terminal } from '../../terminal/index.ts'
import { drawFinding } from '../findinglines.ts'
import type { GroupCheckResult } from './groupcheckreport.ts'

export function drawGroupCheck(t: Terminal, { findings, unreadable, files }: GroupCheckResult): void {
  for (const f of findings) drawGroupFinding(t, f)
  for (const u of unreadable) t.talk(fit(t.look, `${t.paint('red', 'error:')} ${u.problem}`))
  if (unreadable.length > 0) t.talk('Nothing was checked, because a file could not be read.')
  else t.print(`${plural(files, 'file')}: ${groupFindingCounts(findings)}.`)
}

export function drawGroupFinding(t: Terminal, f: GroupFinding): void {
  drawFinding(t, { ...f, message: `${f.path}: ${f.message}`, steps: [], related: [] })
}

/** `1 error, 2 warnings`. */
export function groupFindingCounts(findings: readonly GroupFinding[]): string {
  const count = (level: GroupFinding['level']): number => findings.filter((f) => f.level === level).length
  return `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}`
}
