import { expect, it } from 'vitest'
import type { CommandContext } from '../../kit/command.ts'
import { writeNewFiles } from './newfiles.ts'

/** A folder in memory, in which some files cannot be written. */
function folder(there: Readonly<Record<string, string>>, stuck: readonly string[]) {
  const files = new Map(Object.entries(there))
  const text = (v: string | Uint8Array): string => (typeof v === 'string' ? v : new TextDecoder().decode(v))
  const no = (kind: string, path: string) => ({ ok: false, error: { kind, path, message: 'no space left' } })
  const env = {
    files: {
      read: async (path: string) =>
        files.has(path)
          ? { ok: true, value: new TextEncoder().encode(files.get(path)) }
          : no('NotFound', path),
      writeAtomic: async (path: string, content: string | Uint8Array) => {
        if (stuck.includes(path)) return no('Other', path)
        files.set(path, text(content))
        return { ok: true, value: undefined }
      },
      remove: async (path: string) => ({ ok: true, value: files.delete(path) }),
    },
  }
  return { files, context: { env, host: { cwd: '/home' } } as unknown as CommandContext }
}
const NEW = ['a', 'b', 'c'].map((name) => ({ name, text: `new ${name}` }))

it.each<[there: Readonly<Record<string, string>>, stuck: readonly string[], force: boolean, ok: boolean]>([
  [{}, [], false, true],
  [{ '/home/out/b': 'old' }, [], false, false],
  [{ '/home/out/b': 'old' }, [], true, true],
  [{}, ['/home/out/c'], false, false],
  [{ '/home/out/a': 'old' }, ['/home/out/c'], true, false],
  [{ '/home/out/x': 'other' }, ['/home/out/a'], false, false],
])('all or none: %j, of which %j cannot be written, force %s: %s', async (there, stuck, force, ok) => {
  const { files, context } = folder(there, stuck)
  const wrote = await writeNewFiles(context, 'out', NEW, force)
  const after = ok ? NEW.map((f) => [`/home/out/${f.name}`, f.text]) : []
  expect(wrote.ok).toBe(ok)
  expect(Object.fromEntries(files)).toEqual({ ...there, ...Object.fromEntries(after) })
})
