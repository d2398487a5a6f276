/** Which Lockstep this is. */
import { join } from 'node:path'
import type { Result } from '../../../../kube/src/env/result.ts'
import { at, parseJson } from '../../../../kube/src/object/index.ts'
import type { CommandContext } from './command.ts'
import { type CliFailure, failed } from './clifailure.ts'

export async function lockstepVersion(c: CommandContext): Promise<Result<string, CliFailure>> {
  const path = join(c.host.root, 'package.json')
  const read = await c.env.files.read(path)
  if (!read.ok) return failed('E_FILE_READ', { path, problem: read.error.message })
  return { ok: true, value: String(at(parseJson(new TextDecoder().decode(read.value)), 'version')) }
}
