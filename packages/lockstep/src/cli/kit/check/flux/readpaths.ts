/** What is to be checked: files, folders with all that is below them, standard input. */
import { join } from 'node:path'
import type { FluxFile } from '../../../../tools/flux/index.ts'
import { pathFrom } from '../../documents/index.ts'
import type { CommandContext } from '../../index.ts'
import { chooseManifests } from './choosemanifests.ts'

export interface PathContents {
  readonly files: readonly FluxFile[]
  /** What could not be read; the rest is checked all the same. */
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[]
  /** Templates of charts. */
  readonly charts: readonly string[]
}

export const STDIN = 'standard input'

export async function readPaths(c: CommandContext, paths: readonly string[]): Promise<PathContents> {
  const files: FluxFile[] = []
  const unreadable: { file: string; problem: string }[] = []
  const charts: string[] = []
  for (const path of paths) {
    if (path === '-') {
      files.push({ file: STDIN, text: await c.host.stdin.read() })
      continue
    }
    const below = await filesBelow(c, path)
    const chosen = below && chooseManifests(below)
    charts.push(...(chosen?.charts ?? []).map((dir) => join(path, dir)))
    for (const file of chosen ? chosen.files.map((f) => join(path, f)) : [path]) {
      if (files.some((f) => f.file === file)) continue
      const read = await c.env.files.read(pathFrom(c, file))
      if (read.ok)
        files.push({ file, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(read.value) })
      else
        unreadable.push({
          file,
          problem: read.error.kind === 'NotFound' ? 'no such file or folder' : read.error.message,
        })
    }
  }
  return { files, unreadable, charts }
}

/** All files below a folder, by their paths from there; undefined: it is none. Links are not followed. */
async function filesBelow(c: CommandContext, path: string): Promise<string[] | undefined> {
  const listed = await c.env.files.list(pathFrom(c, path))
  if (!listed.ok) return undefined
  const out: string[] = []
  for (const e of listed.value) {
    if (e.name.startsWith('.') || e.name === 'node_modules') continue
    if (e.kind === 'file') out.push(e.name)
    else if (e.kind === 'directory')
      out.push(...((await filesBelow(c, join(path, e.name))) ?? []).map((f) => `${e.name}/${f}`))
  }
  return out
}
