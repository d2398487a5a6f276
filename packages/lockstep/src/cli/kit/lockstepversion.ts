/** Which Lockstep this is. */
import type { Result } from '@lockstep/kube/env'
import { at, parseJson } from '@lockstep/kube/object'
import { type CliFailure, failed } from './clifailure.ts'
import type { CommandContext } from './command.ts'

export async function lockstepVersion(c: CommandContext): Promise<Result<string, CliFailure>> {
  const path = c.host.manifest
  const read = await c.env.files.read(path)
  if (!read.ok) return failed('E_FILE_READ', { path, problem: read.error.message })
  return { ok: true, value: String(at(parseJson(new TextDecoder().decode(read.value)), 'version')) }
}
