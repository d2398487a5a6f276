/** The race on a terminal: a column for each player, then what each of them said while the class was not there. */
import { padEnd, table } from '../../../kit/terminal/texttable.ts'
import type { Terminal } from '../../../kit/terminal/terminal.ts'
import { wrap } from '../../../kit/terminal/wrap.ts'
import { lagOf, type Milestone } from './milestones.ts'
import type { Played } from './playrace.ts'

type Cell = (p: Played) => string
/** Without cells: a heading. */
type Row = readonly [label: string, cell?: Cell]

/** Four columns fit into 80. */
const GAP = 2

export function drawRace(t: Terminal, played: readonly Played[]): string[] {
  const time =
    (m: Milestone): Cell =>
    ({ milestones }) =>
      timeText(milestones[m])
  const rows: readonly Row[] = [
    ['storage'],
    ['  subscribed', time('storageSubscribedMs')],
    ['  healthy', time('storageHealthyMs')],
    ['  its StorageClass', time('classMs')],
    ['virtualization'],
    ['  subscribed', time('virtualizationSubscribedMs')],
    ['  before the class?', (p) => verdict(t, p)],
    ['on the cluster'],
    ['  Jobs made', (p) => String(p.milestones.jobsMade)],
    ['  pods that ran', (p) => String(p.milestones.podsRun)],
  ]
  return table(
    [
      ['', ...played.map(({ player }) => t.paint('bold', player.name))],
      ...rows.map(([label, cell]) =>
        cell ? [label, ...played.map(cell)] : [t.paint('dim', label), ...played.map(() => '')],
      ),
    ],
    { gap: GAP, width: t.look.width },
  )
}

function verdict(t: Terminal, { milestones }: Played): string {
  const lag = lagOf(milestones)
  if (lag === undefined) return t.paint('red', '✗ never')
  return lag < 0 ? t.paint('red', `✗ ${timeText(-lag)} early`) : t.paint('green', `✔ ${timeText(lag)} after`)
}

function timeText(ms: number | undefined): string {
  if (ms === undefined) return 'never'
  return ms < 1000 ? `${Math.round(ms)}ms` : `${(ms / 1000).toFixed(1)}s`
}

const INDENT = 2

/** What people are told who ask what it waits for. */
export function drawMeanwhile(t: Terminal, played: readonly Played[]): string[] {
  const names = Math.max(...played.map(({ player }) => player.name.length))
  const indent = INDENT + names + GAP
  return [
    'What the module says while the StorageClass is not there:',
    ...played.map(({ player, meanwhile: { isReady, waitsFor } }) => {
      const said = isReady ? 'Ready' : waitsFor.join('; ')
      const text = wrap(said, t.look.width - indent, indent)
      return `${' '.repeat(INDENT)}${padEnd(player.name, names + GAP)}${isReady ? t.paint('red', text) : text}`
    }),
  ]
}
