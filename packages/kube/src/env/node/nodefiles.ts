import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FileEntry, FileFailure, Files } from '../env.ts'
import { err, ok, type Result } from '../result.ts'

export const nodeFiles: Files = {
  read: (path) => attempt(path, () => readFile(path)),
  writeAtomic: (path, content, mode) =>
    attempt(path, async () => {
      const beside = `${path}.${randomBytes(6).toString('hex')}.tmp`
      await mkdir(dirname(path), { recursive: true })
      await writeFile(beside, content, mode === undefined ? {} : { mode })
      await rename(beside, path)
    }),
  list: (path) =>
    attempt(path, async () => {
      const entries = await readdir(path, { withFileTypes: true })
      return entries
        .map(
          (e): FileEntry => ({
            name: e.name,
            kind: e.isFile() ? 'file' : e.isDirectory() ? 'directory' : 'other',
          }),
        )
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    }),
  realPath: (path) => attempt(path, () => realpath(path)),
  remove: (path) => attempt(path, () => rm(path)),
  tempDir: (prefix) => attempt(tmpdir(), () => mkdtemp(join(tmpdir(), prefix))),
  removeTree: (path) => attempt(path, () => rm(path, { recursive: true, force: true })),
}

const kinds: Readonly<Record<string, FileFailure['kind']>> = {
  ENOENT: 'NotFound',
  EACCES: 'Denied',
  EPERM: 'Denied',
  EISDIR: 'NotAFile',
  ENOTDIR: 'NotAFile',
}

async function attempt<T>(path: string, work: () => Promise<T>): Promise<Result<T, FileFailure>> {
  try {
    return ok(await work())
  } catch (e) {
    const code = (e as NodeJS.ErrnoException).code ?? ''
    return err({
      kind: kinds[code] ?? 'Other',
      path,
      message: `${path}: ${(e as Error).message.replace(/^\w+: /, '')}`,
    })
  }
}
