/** Hostile answers of clusters and of the hub. The full tier plays all rows. */
import { describe, expect, it } from 'vitest'
import { rowsOfTier } from '../tier.ts'
import { HOSTILE } from './hostile.cases.ts'
import { type HostileRow, playHostile, readLog } from './hostile.ts'

const ROWS = HOSTILE.flatMap((answer): HostileRow[] =>
  answer.targets
    .filter((target) => target !== 'log')
    .flatMap((target): HostileRow[] => [
      { answer, target, side: 'edge' },
      ...(target === 'identity' || target === 'discovery' ? [] : [{ answer, target, side: 'hub' } as const]),
    ]),
)

describe('an answer that is', () => {
  it.each(
    rowsOfTier(ROWS, ({ answer, side }) => `${answer.rule} ${side}`).map(
      (row) => [row.answer.name, row.target, row.side, row] as const,
    ),
  )(
    '%s, to %s, of %s: the process lives, the row is reported, others are served, and it is over within 30 s',
    (_name, _target, _side, row) => playHostile(row),
  )
})

describe('a log that is', () => {
  it.each(HOSTILE.filter((a) => a.targets.includes('log')).map((a) => [a.name, a] as const))(
    '%s is read or refused',
    async (_, answer) => expect(await readLog(answer)).not.toBe('no end'),
  )
})
