import { join } from 'node:path'
import { API_VERSION } from '../../api/registry.ts'
import { at, encodeYaml, parseJson } from '../../object/object.ts'
import type { Command } from '../command.ts'
import { failed } from '../failure.ts'

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
    const facts = {
      version: String(at(parseJson(text), 'version')),
      apiVersion: API_VERSION,
      node: c.host.node,
    }
    const { output } = c.globals
    if (output === 'json') c.terminal.data(`${JSON.stringify(facts, null, 2)}\n`)
    else if (output === 'yaml') c.terminal.data(encodeYaml(facts))
    else c.terminal.print(`lockstep ${facts.version} (${facts.apiVersion}, node ${facts.node})`)
    return { ok: true, value: 0 }
  },
}
