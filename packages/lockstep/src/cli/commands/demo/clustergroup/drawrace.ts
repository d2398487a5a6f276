/** The race on a terminal: a column for each player, then what each of them said while the class was not there. */
import { padEnd, type Terminal, textTable, wrap } from '../../../kit/terminal/index.ts'
import { lagOf, type Milestone } from './milestones.ts'
import type { RaceResult } from './playrace.ts'

type RaceCell = (p: RaceResult) => string
/** Without cells: a heading. */
type RaceRow = readonly [label: string, cell?: RaceCell]

/** Four columns fit into 80. */
const GAP = 2

export function drawRace(t: Terminal, played: readonly RaceResult[]): string[] {
  const time =
    (m: Milestone): RaceCell =>
    ({ milestones }) =>
      timeText(milestones[m])
  const rows: readonly RaceRow[] = [
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
  return textTable(
    [
      ['', ...played.map(({ player }) => t.paint('bold', player.name))],
      ...rows.map(([label, cell]) =>
        cell ? [label, ...played.map(cell)] : [t.paint('dim', label), ...played.map(() => '')],
      ),
    ],
    { gap: GAP, width: t.look.width },
  )
}

function verdict(t: Terminal, { milestones }: RaceResult): string {
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
export function drawMeanwhile(t: Terminal, played: readonly RaceResult[]): string[] {
  const names = Math.max(...played.map(({ player }) => player.name.length))
  const indent = INDENT + names + GAP
  return [
    'Status of the Module while the StorageClass does not exist:',
    ...played.map(({ player, meanwhile: { isReady, waitsFor } }) => {
      const said = isReady ? 'Ready' : waitsFor.join('; ')
      const text = wrap(said, t.look.width - indent, indent)
      return `${' '.repeat(INDENT)}${padEnd(player.name, names + GAP)}${isReady ? t.paint('red', text) : text}`
    }),
  ]
}
