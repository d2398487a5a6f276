/** What was imported and what was not, as lines for people. */
import { join } from 'node:path'
import { valuePathText } from '@lockstep/kube/object'
import type { ListedField } from '../../../tools/fluximport/index.ts'
import { plural, type Terminal, wrap } from '../../kit/terminal/index.ts'
import { type FileImportResult, lostIn, unreadableIn } from './importreport.ts'

const INDENT = 4
const MIN_WIDTH = 40

/** `say`: to where; standard output may be for the Modules. */
export function drawImport(t: Terminal, r: FileImportResult, say: (line: string) => void): void {
  const { made, read, written } = r
  const fold = (line: string): string =>
    t.look.wraps ? wrap(line, Math.max(MIN_WIDTH, t.look.width - INDENT), INDENT) : line
  for (const l of made.listed) say(fold(lineOf(t, l)))
  for (const chart of read.charts)
    say(fold(`${t.paint('dim', chart)} not read: templates of a chart; pipe in the output of helm template`))
  for (const u of unreadableIn(made, read))
    t.talk(fold(`${t.paint('red', 'error:')} ${u.file}:${u.line}:${u.column} ${u.problem}`))
  for (const { file, held } of written === undefined ? [] : made.modules) {
    const why = held.length > 0 ? `: targets no cluster yet, because of ${held.join(', ')}` : ''
    say(fold(`${join(written!, file)} written${why}`))
  }
  say(fold(summaryOf(r)))
}

function lineOf(t: Terminal, { level, place, of, path, why, todo }: ListedField): string {
  const where = `${place.file}:${place.line}:${place.column}`
  const what = path.length > 0 ? `${t.paint('bold', valuePathText(path))} of ${of}` : t.paint('bold', of)
  const says = level === 'loss' ? `${t.paint('yellow', 'not imported')}:` : `${t.paint('cyan', 'note')}:`
  return `${where} ${what} ${says} ${why} (${todo.replace(/\.$/, '')})`
}

function summaryOf({ made }: FileImportResult): string {
  const held = made.modules.filter((m) => m.held.length > 0).length
  const lost = lostIn(made).length
  const modules = `${plural(made.modules.length, 'Module')} of ${plural(made.units, 'unit')}`
  return `${modules}, ${held} without targets yet: ${lost} not imported, ${plural(made.listed.length - lost, 'note')}.`
}
