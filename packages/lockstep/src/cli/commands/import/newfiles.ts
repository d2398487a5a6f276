/** Files of an import: all of them, or none. */
import { join } from 'node:path'
import type { Result } from '@lockstep/kube/env'
import { pathFrom } from '../../kit/documents/index.ts'
import { type CliFailure, type CommandContext, failed } from '../../kit/index.ts'

export interface NewFile {
  readonly name: string
  readonly text: string
}

/** What is there already is refused before anything is written, unless `force`. */
export async function writeNewFiles(
  c: CommandContext,
  dir: string,
  files: readonly NewFile[],
  force: boolean,
): Promise<Result<void, CliFailure>> {
  const full = (name: string): string => join(pathFrom(c, dir), name)
  const before = new Map<string, Uint8Array | undefined>()
  for (const { name } of files) {
    const read = await c.env.files.read(full(name))
    if (!read.ok && read.error.kind !== 'NotFound')
      return failed('E_FILE_WRITE', { path: join(dir, name), problem: read.error.message })
    before.set(name, read.ok ? read.value : undefined)
  }
  const [there] = [...before].find(([, content]) => content !== undefined) ?? []
  if (there !== undefined && !force)
    return failed(
      'E_USAGE',
      {
        problem: `${join(dir, there)} already exists`,
        suggestion: 'give another --out, or --force to overwrite files',
      },
      {},
      'Nothing was written.',
    )
  for (const [i, { name, text }] of files.entries()) {
    const wrote = await c.env.files.writeAtomic(full(name), text)
    if (wrote.ok) continue
    for (const done of files.slice(0, i)) await putBack(c, full(done.name), before.get(done.name))
    return failed(
      'E_FILE_WRITE',
      { path: join(dir, name), problem: wrote.error.message },
      {},
      'Nothing was written.',
    )
  }
  return { ok: true, value: undefined }
}

/** A folder that could not take one file may not take this one either: what then stays is what was to be written. */
async function putBack(c: CommandContext, path: string, content: Uint8Array | undefined): Promise<void> {
  if (content === undefined) await c.env.files.remove(path)
  else await c.env.files.writeAtomic(path, content)
}
