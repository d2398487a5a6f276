/** What became of a cluster group, as lines for people. */
import type { GroupListed, ImportedGroup } from '../../../tools/clustergroupimport/index.ts'
import { placeText } from '../../kit/check/index.ts'
import { fit, plural, type Terminal } from '../../kit/terminal/index.ts'

interface DrawnGroup {
  /** Standard output is for the Module. */
  readonly isPrinted: boolean
  /** The file; undefined: there is none. */
  readonly written: string | undefined
  /** Something is lost that nobody has accepted. */
  readonly isRefused: boolean
}

export function drawGroupImport(
  t: Terminal,
  group: ImportedGroup,
  { isPrinted, written, isRefused }: DrawnGroup,
): void {
  const say = (line: string): void => (isPrinted ? t.talk(fit(t.look, line)) : t.print(fit(t.look, line)))
  const { objects, waits, jobs, listed, traps } = group
  for (const l of listed) say(lineOf(t, l))
  for (const { rule, place, path, message, fix } of traps)
    say(
      `${placeText(place)} ${t.paint('bold', path)} ${t.paint('yellow', 'trap')} ${rule}: ${message} (${bare(fix)})`,
    )
  for (const w of waits) say(`${t.paint('bold', `${placeOf(w)}`)} waits for ${w.for}: ${w.asked}`)
  for (const { name, wave, why } of jobs)
    say(`${t.paint('bold', `Job ${name}`)} of wave ${wave} stays a Job: ${why}`)
  if (written !== undefined) say(`${written} written`)
  const count = objects.reduce((sum, o) => sum + o.count, 0)
  const kinds = objects.map((o) => `${o.count} ${o.kind}`).join(', ')
  const lost = listed.filter((l) => l.level === 'loss').length
  say(
    `${plural(count, 'object')}${kinds === '' ? '' : ` (${kinds})`}, ${plural(waits.length, 'wait')}: ${lost} not imported, ${plural(listed.length - lost, 'note')}, ${plural(traps.length, 'trap')} of the chart.`,
  )
  if (isRefused) t.talk(NOTHING)
}

const NOTHING =
  'Nothing was written. With --accept-loss the Module is written without fields that cannot be imported.'

const placeOf = ({ wave, phase }: ImportedGroup['waits'][number]): string =>
  phase === 'Sync' ? `wave ${wave}` : `wave ${wave} of ${phase}`

function lineOf(t: Terminal, { level, place, path, why, todo }: GroupListed): string {
  const says = level === 'loss' ? t.paint('yellow', 'not imported') : t.paint('cyan', 'note')
  return `${placeText(place)} ${t.paint('bold', path)} ${says}: ${why} (${bare(todo)})`
}

const bare = (sentence: string): string => sentence.replace(/\.$/, '')
