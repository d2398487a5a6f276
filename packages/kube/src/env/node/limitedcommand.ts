import { readFileSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { MemoryLimit } from '../processes.ts'

/** Sets the limits that there are, and becomes the program. Nothing of a caller is in its text. */
const SCRIPT = 'ulimit -v "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; shift 2; exec "$@"'
/** Bytes of a block of `ulimit -f` (POSIX). */
const BLOCK = 512

/** Command and arguments of a shell that limits itself and becomes the program. `path`: absolute. */
export function limitedCommand(
  path: string,
  args: readonly string[],
  { bytes, fileBytes }: MemoryLimit,
): readonly [string, readonly string[]] {
  const files = fileBytes === undefined ? 'unlimited' : `${Math.ceil(fileBytes / BLOCK)}`
  return ['/bin/sh', ['-c', SCRIPT, 'sh', `${Math.ceil(bytes / 1024)}`, files, path, ...args]]
}

/** Where a program is on a PATH; undefined: nowhere, or it may not be run. */
export async function programOn(path: string, program: string): Promise<string | undefined> {
  const places = program.includes('/')
    ? [program]
    : path
        .split(':')
        .filter((dir) => dir !== '')
        .map((dir) => join(dir, program))
  for (const place of places) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return place
  }
  return undefined
}

const PAGE = 4096

/** Bytes of resident memory of a process and its descendants, where the system tells; 0 elsewhere, and of one that has ended. */
export function residentBytes(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1])
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
    return pages * PAGE + children.reduce((sum, child) => sum + residentBytes(Number(child)), 0)
  } catch {
    return 0
  }
}
