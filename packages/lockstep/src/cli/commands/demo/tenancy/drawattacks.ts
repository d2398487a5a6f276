/** Attacks as a person reads them: the goal, the manifests, the answer. */
import { type Terminal, textTable, wrap } from '../../../kit/terminal/index.ts'
import { ATTACKER, type AttackResult, hasSucceeded, textOf } from './attackplay.ts'
import { TEAM } from './attacks.ts'

const INDENT = 4
/** Columns of the words before a text. */
const LABEL = 13
/** Columns from which on a text stands beside its label. */
const WIDE = 80
const MOST_WRITES = 3

/** One attack and its answer. */
export function drawAttack(t: Terminal, r: AttackResult): string[] {
  const { id, goal, tried } = r.attack
  const isNarrow = t.look.width < WIDE
  const indent = isNarrow ? INDENT + 2 : INDENT + LABEL
  const labelled = (label: string, text: string, paint: (text: string) => string = (x) => x): string => {
    const head = `${' '.repeat(INDENT)}${paint(isNarrow ? label : label.padEnd(LABEL))}`
    const gap = isNarrow ? `\n${' '.repeat(indent)}` : ''
    return `${head}${gap}${wrap(text, t.look.width - indent, indent)}`
  }
  const good = (text: string): string => t.paint('green', text)
  const bad = (text: string): string => t.paint('red', text)
  const writes = [...r.outside.map(textOf), ...r.reached]
  return [
    `${id}  ${t.paint('bold', goal)}`,
    labelled(`${ATTACKER} applies`, tried),
    r.refusal === undefined
      ? labelled('✗ accepted', 'no refusal within 60 s', bad)
      : labelled('✔ refused', r.refusal, good),
    ...[...new Set(writes)].slice(0, MOST_WRITES).map((w) => labelled('✗ written', w, bad)),
  ]
}

/** A line for each attack. */
export function drawAttackTable(t: Terminal, results: readonly AttackResult[]): string[] {
  const rows = results.map((r) => [
    r.attack.id,
    hasSucceeded(r) ? t.paint('red', '✗') : t.paint('green', '✔'),
    r.refusedAfterMs === undefined ? 'never' : `${(r.refusedAfterMs / 1000).toFixed(1)}s`,
    `${r.inside}`,
    `${r.outside.length}`,
  ])
  return textTable([['ATTACK', '', 'REFUSED', `WRITES IN ${TEAM}`, 'WRITES OUTSIDE'], ...rows], {
    width: t.look.width,
  })
}
