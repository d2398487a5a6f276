/** The bin's first use: it builds itself, whoever else does the same, and whatever happened before. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Clone, makeClone, PACKAGES, runClone } from './clone.ts'

let clone: Clone

/** Most of what happens to a clone has nothing to do with what is built: only a long run builds all of it each time. */
const any = process.env.LOCKSTEP_EVERY_WRITE === '1' ? 'whole' : 'small'

const use = (program: 'whole' | 'small'): void => {
  beforeEach(() => {
    clone = makeClone(program)
  })
  afterEach(() => clone.remove())
}

const VERSION = /^lockstep \d+\.\d+\.\d+ /

/** Root may write everywhere, unless it gives up that right. */
const AS_OWNER = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']

function asOwner(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return []
  return spawnSync(AS_OWNER[0]!, [...AS_OWNER.slice(1), 'true']).status === 0 ? AS_OWNER : undefined
}

const SUMMARY = 'Show the version of Lockstep and of its API'

function edit(summary: string): void {
  const path = join(clone.root, 'packages/lockstep/src/cli/commands/version/version.ts')
  const text = readFileSync(path, 'utf8')
  expect(text).toContain(SUMMARY)
  writeFileSync(path, text.replace(SUMMARY, summary))
}

const summaryOf = async (): Promise<string> =>
  (await runClone(clone, ['version', '--help'])).out.split('\n')[0]!

describe('several at once', () => {
  use(any)
  const eight = () => Promise.all(Array.from({ length: 8 }, () => runClone(clone, ['version'])))

  it('all work; one dist/ is left, and nothing temporary', async () => {
    for (const ran of await eight())
      expect(ran).toEqual({ code: 0, out: expect.stringMatching(VERSION), err: '' })
    expect(clone.more()).toEqual(['dist'])
  })
  it('also after an edit: all show it', async () => {
    await runClone(clone, ['version'])
    edit('Edited')
    const ran = await Promise.all(Array.from({ length: 8 }, () => runClone(clone, ['version', '--help'])))
    expect(ran.map((r) => [r.code, r.out.split('\n')[0], r.err])).toEqual(ran.map(() => [0, 'Edited', '']))
    expect(clone.more()).toEqual(['dist'])
  })
})

describe('an edited source', () => {
  use('whole')
  it('is what the next run shows; without an edit nothing is built', async () => {
    expect(await summaryOf()).toBe(SUMMARY)
    edit('Edited')
    expect(await summaryOf()).toBe('Edited')
    const built = join(clone.root, 'dist/main.js')
    writeFileSync(built, 'export const main = () => console.log("as it was")')
    expect((await runClone(clone, ['version'])).out).toBe('as it was\n')
  })
  it('that does not compile: exit 3, and where; what was built before stays', async () => {
    await runClone(clone, ['version'])
    writeFileSync(join(clone.root, 'packages/lockstep/src/cli/main.ts'), 'export const = 1\n')
    const ran = await runClone(clone, ['version'])
    expect(ran.code).toBe(3)
    expect(ran.err).toContain('packages/lockstep/src/cli/main.ts:1:')
    expect(ran.err).not.toMatch(/^ +at /m)
    expect(clone.more()).toEqual(['dist'])
  })
})

describe('a source of any package', () => {
  use('small')
  const AS_IT_WAS = 'export const main = () => console.log("as it was")'
  it.each(PACKAGES)('%s: a touch of it is seen by the next run', async (name) => {
    const version = async (): Promise<string> => (await runClone(clone, ['version'])).out
    expect(await version()).toMatch(VERSION)
    writeFileSync(join(clone.root, 'dist/main.js'), AS_IT_WAS)
    expect(await version()).toBe('as it was\n')
    utimesSync(join(clone.root, `packages/${name}/src/index.ts`), 0, 0)
    expect(await version()).toMatch(VERSION)
  })
})

describe('a build that was killed', () => {
  // It takes a while, so that it can be killed.
  use('whole')
  /** Kills it when its temporary folder is there: what it was to hold is not. */
  async function killed(): Promise<string[]> {
    const watcher = watch(clone.root)
    const ran = await runClone(clone, ['version'], {
      started: (child) => watcher.on('change', (_, name) => /\.tmp$/.test(String(name)) && child.kill(9)),
    })
    watcher.close()
    expect(ran).toEqual({ code: -1, out: '', err: '' })
    return clone.more()
  }

  it('does not keep the next run from working', async () => {
    const left = await killed()
    expect(left).toEqual([expect.stringMatching(/^dist\.\w+\.tmp$/)])
    expect(await runClone(clone, ['version'])).toMatchObject({ code: 0, err: '' })
  })
  it('is cleared away once nobody can be at it any more', async () => {
    for (const name of await killed()) utimesSync(join(clone.root, name), 0, 0)
    expect(await runClone(clone, ['version'])).toMatchObject({ code: 0, err: '' })
    expect(clone.more()).toEqual(['dist'])
  })
})

describe('Node', () => {
  use(any)
  it('that is too old: exit 2, and one line with both versions', async () => {
    const preload = join(clone.root, 'old.cjs')
    writeFileSync(
      preload,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })`,
    )
    const ran = await runClone(clone, ['version'], { node: ['--require', preload] })
    expect(ran).toEqual({
      code: 2,
      out: '',
      err: 'lockstep needs Node 20.19 or newer; this is v20.18.3\n',
    })
  })
  it('without the packages: exit 3, and what to run', async () => {
    rmSync(join(clone.root, 'node_modules'))
    const ran = await runClone(clone, ['version'])
    expect([ran.code, ran.out]).toEqual([3, ''])
    expect(ran.err).toMatch(/^[^\n]*npm ci[^\n]*\n$/)
  })
})

const through = asOwner()
if (!through) console.warn('setpriv is not on the PATH, and this is root: a read-only clone is left out')

describe.skipIf(!through)('a clone that is not writable', () => {
  let cache: string

  use(any)

  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'lockstep-cache-'))
    chmodSync(clone.root, 0o555)
  })
  afterEach(() => {
    chmodSync(cache, 0o755)
    chmodSync(clone.root, 0o755)
    rmSync(cache, { recursive: true, force: true })
  })
  const run = () => runClone(clone, ['version'], { through: through!, env: { XDG_CACHE_HOME: cache } })

  it('is built into the cache once, and runs from there', async () => {
    expect(await run()).toMatchObject({ code: 0, out: expect.stringMatching(VERSION), err: '' })
    expect(clone.more()).toEqual([])
    const [stamp] = readdirSync(join(cache, 'lockstep'))
    const built = join(cache, 'lockstep', stamp!)
    expect(readdirSync(built).sort()).toEqual(['dist', 'node_modules'])
    writeFileSync(join(built, 'dist/main.js'), 'export const main = () => console.log("as it was")')
    expect((await run()).out).toBe('as it was\n')
  })
  it('uses a dist/ that is current', async () => {
    chmodSync(clone.root, 0o755)
    await runClone(clone, ['version'])
    chmodSync(clone.root, 0o555)
    expect(await run()).toMatchObject({ code: 0, err: '' })
    expect(readdirSync(cache)).toEqual([])
  })
  it('and no cache either: exit 3, and what to set', async () => {
    mkdirSync(join(cache, 'lockstep'))
    chmodSync(join(cache, 'lockstep'), 0o555)
    const ran = await run()
    expect([ran.code, ran.out]).toEqual([3, ''])
    expect(ran.err).toMatch(/^[^\n]*XDG_CACHE_HOME[^\n]*\n$/)
    chmodSync(join(cache, 'lockstep'), 0o755)
  })
})
