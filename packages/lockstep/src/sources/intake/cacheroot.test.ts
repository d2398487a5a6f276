import { describe, expect, it } from 'vitest'
import type { Files } from '../../../../kube/src/env/env.ts'
import { err } from '../../../../kube/src/env/result.ts'
import { createSimEnv, type SimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { CacheRoot } from './cacheroot.ts'

const text = async (env: SimEnv, path: string): Promise<string> => {
  const read = await env.files.read(path)
  return read.ok ? new TextDecoder().decode(read.value) : read.error.kind
}

/** Nothing can be written below `path`. */
function unwritable(env: SimEnv, path: string): SimEnv {
  const writeAtomic: Files['writeAtomic'] = async (file, ...rest) =>
    file.startsWith(path)
      ? err({ kind: 'Denied', path: file, message: `${file}: permission denied, mkdir '${path}'` })
      : env.files.writeAtomic(file, ...rest)
  return { ...env, files: { ...env.files, writeAtomic } }
}

describe('where what is fetched is kept', () => {
  it('is the folder of the cache, which backups are told to leave out', async () => {
    const env = createSimEnv('cache')
    const root = new CacheRoot(env, '/cache/lockstep')
    expect(await root.path()).toEqual({ ok: true, value: '/cache/lockstep' })
    expect(await text(env, '/cache/lockstep/CACHEDIR.TAG')).toMatch(
      /^Signature: 8a477f597d28d172789f06886806bc55\n/,
    )
    await root.close()
    expect(await text(env, '/cache/lockstep/CACHEDIR.TAG')).toMatch(/^Signature/)
  })

  it('is a temporary folder if the cache cannot be written, which is said with what to do, and removed in the end', async () => {
    const env = unwritable(createSimEnv('cache'), '/nonexistent')
    const root = new CacheRoot(env, '/nonexistent/.cache/lockstep')
    const path = await root.path()
    if (!path.ok) throw new Error(path.error.message)
    expect(path.value).toMatch(/lockstep-sources-/)
    expect(await root.path()).toEqual(path)
    expect(env.lines.map((l) => [l.level, l.message, l.fields.cache])).toEqual([
      ['warn', expect.stringContaining('set XDG_CACHE_HOME'), '/nonexistent/.cache/lockstep'],
    ])
    await env.files.writeAtomic(`${path.value}/a`, 'b')
    await root.close()
    expect(await text(env, `${path.value}/a`)).toBe('NotFound')
  })

  it('is asked for anew if there was no room for it', async () => {
    const env = createSimEnv('cache')
    let isFull = true
    const tempDir: Files['tempDir'] = async (prefix) =>
      isFull
        ? err({ kind: 'Other', path: '/tmp', message: '/tmp: no space left on device' })
        : env.files.tempDir(prefix)
    const root = new CacheRoot({ ...env, files: { ...env.files, tempDir } }, undefined)
    expect((await root.path()).ok).toBe(false)
    isFull = false
    expect((await root.path()).ok).toBe(true)
  })
})
