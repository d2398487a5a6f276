import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { nodeFiles } from '../../../../../kube/src/env/node/nodefiles.ts'
import type { CommandContext } from '../index.ts'
import { cacheDirOf } from './cachedir.ts'

const root = mkdtempSync(join(tmpdir(), 'lockstep-cachedir-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const context = {
  env: { files: nodeFiles },
  host: { cwd: root, home: join(root, 'home'), variables: { XDG_CACHE_HOME: join(root, 'xdg') } },
} as unknown as CommandContext

it.each([
  ['a/b', join(root, 'a/b')],
  [join(root, 'c'), join(root, 'c')],
])('--cache-dir %s wins over XDG_CACHE_HOME, and is created', async (cacheDir, path) => {
  expect(await cacheDirOf(context, { cacheDir })).toEqual({ ok: true, value: path })
  expect(existsSync(join(path, 'CACHEDIR.TAG'))).toBe(true)
})

it('without the flag XDG_CACHE_HOME counts, and nothing is written at the start', async () => {
  expect(await cacheDirOf(context, {})).toEqual({ ok: true, value: join(root, 'xdg/lockstep/sources') })
  expect(existsSync(join(root, 'xdg'))).toBe(false)
})

it('a folder that cannot be written is an error that names the flag and the path', async () => {
  writeFileSync(join(root, 'file'), '')
  const cacheDir = join(root, 'file/cache')
  const refused = await cacheDirOf(context, { cacheDir })
  expect(refused).toMatchObject({
    ok: false,
    error: {
      code: 'E_USAGE',
      message: expect.stringContaining(
        `--cache-dir ${cacheDir}: cannot be written: ${cacheDir}/CACHEDIR.TAG`,
      ),
      hint: 'name a folder that can be written',
    },
  })
  expect(await cacheDirOf(context, { cacheDir: '' })).toMatchObject({ error: { code: 'E_USAGE' } })
})
