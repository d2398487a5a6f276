import { z } from 'zod'
import { API_VERSION } from '../../../packages/lockstep/src/api/apiversion.ts'
import type { Command } from '../command.ts'
import { printData } from '../output/objects.ts'
import { defineReport } from '../output/report.ts'
import { versionOf } from '../version.ts'

export const versionReport = defineReport('Version', {
  version: z.string(),
  node: z.string().describe('Version of Node that runs it.'),
})

/** `lockstep version`. */
export const version: Command = {
  name: 'version',
  summary: 'Show the version of Lockstep and of its API',
  examples: [
    ['The version', 'version'],
    ['For scripts', 'version -o json'],
  ],
  async run(c) {
    const found = await versionOf(c)
    if (!found.ok) return found
    const facts = { version: found.value, node: c.host.node }
    if (!printData(c, versionReport.fill(facts), [facts.version]))
      c.terminal.print(`lockstep ${facts.version} (${API_VERSION}, node ${facts.node})`)
    return { ok: true, value: 0 }
  },
}
