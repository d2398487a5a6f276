import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { JsonValue } from '../../packages/kube/src/object/index.ts'
import { isObject, parseJson } from '../../packages/kube/src/object/index.ts'
import type { Case, ConformanceKind, FolderKind, NotCompared } from './conformancekind.ts'
import { BadInput } from './conformancekind.ts'

export interface LoadedCases {
  readonly cases: readonly ((Case | NotCompared) & { readonly file: string })[]
  /** `merge.jsonl:12: not JSON: …` */
  readonly problems: readonly string[]
}

/** All cases of a file, or of the data files below a folder. */
export function load(kind: ConformanceKind | FolderKind, path: string): LoadedCases {
  return 'folders' in kind ? loadFolders(kind, path) : loadLines(kind, path)
}

function loadFolders(kind: FolderKind, path: string): LoadedCases {
  try {
    return { cases: kind.folders(path).map((c) => ({ ...c, file: c.id })), problems: [] }
  } catch (e) {
    if (!(e instanceof BadInput)) throw e
    return { cases: [], problems: [e.message] }
  }
}

function loadLines(kind: ConformanceKind, path: string): LoadedCases {
  const cases: (Case & { readonly file: string })[] = []
  const problems: string[] = []
  for (const file of filesOf(kind, path)) {
    const lines = readFileSync(file, 'utf8').split('\n')
    for (const [i, line] of lines.entries()) {
      if (line.trim() === '') continue
      try {
        cases.push({ ...read(kind, line, basename(file)), file: basename(file) })
      } catch (e) {
        if (!(e instanceof BadInput)) throw e
        problems.push(`${basename(file)}:${i + 1}: ${e.message}`)
      }
    }
  }
  return { cases, problems }
}

function filesOf(kind: ConformanceKind, path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const all = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith('.jsonl'))
    .map((f) => join(path, f))
    .sort()
  const own = all.filter((f) => kind.files.test(f))
  return own.length > 0 ? own : all
}

function read(kind: ConformanceKind, line: string, file: string): Case {
  let value: JsonValue
  try {
    value = parseJson(line)
  } catch (e) {
    throw new BadInput(`not JSON: ${(e as Error).message}`)
  }
  try {
    return kind.parse(value, file)
  } catch (e) {
    const id = isObject(value) && typeof value.id === 'string' ? `case "${value.id}": ` : ''
    if (e instanceof BadInput) throw new BadInput(`${id}${e.message}`)
    throw e
  }
}
