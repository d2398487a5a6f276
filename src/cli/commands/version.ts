import { join } from 'node:path'
import { z } from 'zod'
import { API_VERSION } from '../../api/registry.ts'
import { at, parseJson } from '../../object/object.ts'
import type { Command } from '../command.ts'
import { failed } from '../failure.ts'
import { printData } from '../output/objects.ts'
import { defineReport } from '../output/report.ts'

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
    const path = join(c.host.root, 'package.json')
    const read = await c.env.files.read(path)
    if (!read.ok) return failed('E_FILE_READ', { path, problem: read.error.message })
    const text = new TextDecoder().decode(read.value)
    const facts = { version: String(at(parseJson(text), 'version')), node: c.host.node }
    if (!printData(c, versionReport.fill(facts), [facts.version]))
      c.terminal.print(`lockstep ${facts.version} (${API_VERSION}, node ${facts.node})`)
    return { ok: true, value: 0 }
  },
}
