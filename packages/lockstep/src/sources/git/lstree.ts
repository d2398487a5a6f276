/** What `git ls-tree` says, and where links lead. Pure. */
import { err, ok, type Result } from '@lockstep/kube/env'
import type { FactsOf } from '../../api/reasons/index.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import { MAX_FILES } from '../intake/sourcetree.ts'

export interface LsTreeEntry {
  readonly type: 'file' | 'link' | 'submodule'
  /** Object id. */
  readonly id: string
  readonly path: string
}

const LINE = /^(\d{6}) (blob|commit|tree) ([0-9a-f]{40,64})\t([\s\S]+)$/
const MAX_PATH = 1024

/** Output of `ls-tree -r -z`. Names that could mean something else somewhere are refused, with the entry. */
export function parseLsTree(bytes: Uint8Array, place: string): Result<LsTreeEntry[], SourceFailure> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return err(fault('PathEscapes', { place, because: 'Encoding', path: '' }))
  }
  const out: LsTreeEntry[] = []
  for (const line of text.split('\0')) {
    if (line === '') continue
    const m = LINE.exec(line)
    if (!m) return err(fault('ArchiveRefused', { place, because: 'Entry' }))
    const [, mode, , id, path] = m as unknown as [string, string, string, string, string]
    const problem = pathProblem(path)
    if (problem)
      return err(
        fault('PathEscapes', {
          place,
          because: problem,
          path: JSON.stringify(path.slice(0, 200)),
          limit: MAX_PATH,
        }),
      )
    if (out.length === MAX_FILES)
      return err(fault('SourceTooLarge', { place, limit: `${MAX_FILES} files below the path` }))
    out.push({ type: typeOf(mode), id, path })
  }
  return ok(out)
}

const typeOf = (mode: string): LsTreeEntry['type'] =>
  mode === '120000' ? 'link' : mode === '160000' ? 'submodule' : 'file'

function pathProblem(path: string): FactsOf<'PathEscapes'>['because'] | undefined {
  if (new TextEncoder().encode(path).length > MAX_PATH) return 'Length'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'ControlCharacter'
  const parts = path.split('/')
  if (parts.some((p) => p === '' || p === '.' || p === '..')) return 'Outside'
  if (parts.some((p) => p.toLowerCase() === '.git')) return 'GitDirectory'
  return undefined
}

/** `a/b/../c` from the directory `from`; undefined: it leads out of the root. */
export function resolvePath(from: string, to: string): string | undefined {
  if (to.startsWith('/')) return undefined
  const parts = from === '' ? [] : from.split('/')
  for (const part of to.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

export const directoryOf = (path: string): string => path.split('/').slice(0, -1).join('/')

/** The path of `spec.source.git.path` as it is in a tree: '' is the root. */
export function rootOf(path: string): Result<string, string> {
  const resolved = resolvePath('', path)
  if (resolved === undefined || path.split('/').includes('..'))
    return err(`"${path}" leads out of the repository; write a relative path without ..`)
  return ok(resolved)
}
