import { checkReport, type Finding } from '../check/finding.ts'
import { checkHub } from '../check/hub.ts'
import { checkTools } from '../check/tools.ts'
import type { Command, Context } from '../command.ts'
import { printData } from '../output/objects.ts'
import { table } from '../terminal/table.ts'
import { plural } from '../terminal/text.ts'

/** `lockstep check`. */
export const check: Command = {
  name: 'check',
  summary: 'Check what the controller needs: programs, the hub, our kinds',
  detail:
    'Looks from where it runs: for a controller elsewhere, run it there. Exit 1 when something is missing; what does not need it works all the same.',
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['What is there, and what is not', 'check'],
    ['Before a controller is started, in a script', 'check -q -o json'],
  ],
  async run(c) {
    const node: Finding = { name: 'node', state: 'ok', found: c.host.node, for: 'everything' }
    const findings = [node, ...(await checkTools(c.env.processes)), ...(await checkHub(c))]
    const missing = findings.filter((f) => f.state === 'missing')
    if (
      !printData(
        c,
        checkReport.fill({ findings }),
        missing.map((f) => f.name),
      )
    )
      draw(c, findings)
    return { ok: true, value: missing.length > 0 ? 1 : 0 }
  },
}

const MARKS = { ok: ['green', '✔'], missing: ['red', '✗'], unknown: ['yellow', '?'] } as const

function draw({ terminal: t }: Context, findings: readonly Finding[]): void {
  const rows = findings.map((f) => {
    const [colour, glyph] = MARKS[f.state]
    return [t.paint(colour, glyph), f.name, f.state === 'ok' ? '' : `for ${f.for}`, f.found]
  })
  for (const line of table(rows, { gap: 2, width: t.look.width })) t.print(line)
  const missing = findings.filter((f) => f.state === 'missing').length
  t.print(missing === 0 ? 'Nothing is missing.' : `${plural(missing, 'thing')} missing.`)
}
