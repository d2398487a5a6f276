/** Where documents come from: files, folders, standard input. */
import { isAbsolute, join } from 'node:path'
import type { Result } from '@lockstep/kube/env'
import { utf8Text } from '@lockstep/kube/object'
import { type CliFailure, type CommandContext, failed, type Option } from '../index.ts'

export interface DocumentSource {
  /** As the person named it. */
  readonly file: string
  readonly text: string
}

export const filenameOption: Option = {
  flags: '-f, --filename <path>',
  completes: 'file',
  text: 'file, folder or - for standard input; may be repeated',
  repeats: true,
}

const MANIFEST = /\.(ya?ml|json)$/

/** All texts that `-f` names, in order; of a folder its manifests by name. */
export async function readSources(
  c: CommandContext,
  paths: readonly string[],
): Promise<Result<DocumentSource[], CliFailure>> {
  const out: DocumentSource[] = []
  for (const path of paths) {
    const found = path === '-' ? await standardInput(c) : await readPath(c, path)
    if (!found.ok) return found
    out.push(...found.value)
  }
  return { ok: true, value: out }
}

async function standardInput(c: CommandContext): Promise<Result<DocumentSource[], CliFailure>> {
  return { ok: true, value: [{ file: 'standard input', text: await c.host.stdin.read() }] }
}

/** A path as the person means it: from where they are. */
export const pathFrom = (c: CommandContext, path: string): string =>
  isAbsolute(path) ? path : join(c.host.cwd, path)

async function readPath(c: CommandContext, path: string): Promise<Result<DocumentSource[], CliFailure>> {
  const { files } = c.env
  const full = pathFrom(c, path)
  const listed = await files.list(full)
  if (listed.ok) {
    const names = listed.value.filter((e) => e.kind === 'file' && MANIFEST.test(e.name)).map((e) => e.name)
    if (names.length === 0) return failed('E_NO_INPUT', { path: `${path} (*.yaml, *.yml, *.json)` })
    return readSources(
      c,
      names.map((n) => join(path, n)),
    )
  }
  const read = await files.read(full)
  const unread = (problem: string) => failed('E_FILE_READ', { path, problem }, { file: path })
  if (!read.ok) return unread(read.error.kind === 'NotFound' ? 'no such file or folder' : read.error.message)
  const found = utf8Text(read.value)
  return 'problem' in found ? unread(found.problem) : { ok: true, value: [{ file: path, text: found.text }] }
}
