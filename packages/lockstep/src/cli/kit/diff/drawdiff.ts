/** Differences as `diff -u` prints them, with words between that `patch` passes over. */
import { refText } from '@lockstep/kube/object'
import { fit, listText, plural, type Terminal } from '../terminal/index.ts'
import { differs, type ReportedChange, type UnitDiff } from './diffreport.ts'

const COLORS = { '-': 'red', '+': 'green', '@': 'cyan' } as const

export function drawDiff(t: Terminal, u: UnitDiff): void {
  for (const x of u.changes) drawChange(t, u, x)
  t.print(fit(t.look, summary(t, u)))
}

function drawChange(t: Terminal, u: UnitDiff, x: ReportedChange): void {
  const name = refText(x as Parameters<typeof refText>[0])
  if (x.action === 'refused') t.talk(fit(t.look, `${t.paint('red', '✗')} ${u.cluster}: ${x.message}`))
  else if (x.message !== '') t.talk(fit(t.look, `${u.cluster}: ${name} ${x.message}`))
  if (x.diff === '' && !x.owner) return
  const path = [u.cluster, x.group, x.kind, x.namespace, x.name].filter(Boolean).join('/')
  const taken = x.takenBy.map((f) => `${f.field} by "${f.manager}"`)
  t.print(t.paint('bold', `${name} on ${u.cluster}${taken.length > 0 ? `: taken ${taken.join(', ')}` : ''}`))
  if (x.owner) t.print(fit(t.look, t.paint('yellow', `~ owner ${x.owner.from} → ${x.owner.to} (uid kept)`)))
  if (x.diff === '') return
  t.print(t.paint('bold', `--- ${x.action === 'create' ? '/dev/null' : `live/${path}`}`))
  t.print(t.paint('bold', `+++ ${x.action === 'delete' ? '/dev/null' : `${u.release ?? 'target'}/${path}`}`))
  drawDiffLines(t, x.diff)
}

/** As they are: this may be patched with. */
export function drawDiffLines(t: Terminal, diff: string): void {
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const color = COLORS[line[0] as keyof typeof COLORS]
    t.data(`${color ? t.paint(color, line) : line}\n`)
  }
}

function summary(t: Terminal, u: UnitDiff): string {
  const unit = `${u.module} on ${u.cluster}`
  if (u.problem !== undefined) return `${t.paint('red', '?')} ${unit}: ${u.problem}`
  if (!differs(u)) return `${t.paint('green', '✔')} ${unit}: nothing would change`
  const count = (action: string, verb: string): string[] => {
    const n = u.changes.filter((x) => x.action === action).length
    return n === 0 ? [] : [`${plural(n, 'object')} ${verb}`]
  }
  const parts = [
    ...count('create', 'to create'),
    ...count('change', 'to change'),
    ...count('delete', 'to delete'),
    ...count('refused', 'refused'),
  ]
  return `${t.paint('yellow', '~')} ${unit}: ${listText(parts)}`
}
