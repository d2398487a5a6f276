import { z } from 'zod'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Command, lockstepVersion, nodeEndOfLife } from '../../kit/index.ts'
import { defineReport, printData } from '../../kit/output/index.ts'

export const versionReport = defineReport('Version', {
  version: z.string(),
  node: z.string().describe('Version of Node.'),
})

/** `lockstep version`. */
export const versionCommand: Command = {
  name: 'version',
  summary: 'Show the version of Lockstep and of its API',
  examples: [
    ['The version', 'version'],
    ['For scripts', 'version -o json'],
  ],
  async run(c) {
    const found = await lockstepVersion(c)
    if (!found.ok) return found
    const facts = { version: found.value, node: c.host.node }
    if (!printData(c, versionReport.fill(facts), [facts.version]))
      c.terminal.print(`lockstep ${facts.version} (${API_VERSION}, node ${facts.node})`)
    const ended = c.globals.verbose ? nodeEndOfLife(c.host.node, c.env.clock.now()) : undefined
    if (ended !== undefined) c.terminal.talk(`warning: ${ended}`)
    return { ok: true, value: 0 }
  },
}
