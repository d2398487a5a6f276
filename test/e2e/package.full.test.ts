/** The package that users install: its content, and that it runs on every supported version of Node. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ran } from './lockstep.ts'
import { nodeFolder } from './nodeprogram.ts'

const MOST_BYTES = 3_000_000
const { buildOptions } = await import(resolve('packages/lockstep/bin/build.js'))

let folder: string
let tarball: string
/** The unpacked tarball. */
let content: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-package-'))
  tarball = execFileSync('node', ['scripts/pack.js', folder], { encoding: 'utf8' }).trim()
  execFileSync('tar', ['xzf', tarball, '-C', folder])
  content = join(folder, 'package')
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const filesIn = (path: string): string[] => (readdirSync(path, { recursive: true }) as string[]).sort()

describe('content', () => {
  it('has no dependencies and no scripts, and three programs', () => {
    const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'))
    expect(Object.keys(manifest).filter((k) => /dependencies|scripts/i.test(k))).toEqual([])
    expect(manifest.private).toBeUndefined()
    expect(Object.keys(manifest.bin)).toEqual(['lockstep', 'kubectl-lockstep', 'kubectl_complete-lockstep'])
    for (const file of Object.values<string>(manifest.bin))
      expect(statSync(join(content, file)).mode & 0o111).toBe(0o111)
  })

  it('has at most 3 MB, no source maps, no sources, and the definitions', () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(MOST_BYTES)
    const files = filesIn(content)
    expect(files.filter((f) => /\.(map|ts)$|(^|\/)\.|node_modules/.test(f))).toEqual([])
    expect(files).toEqual(expect.arrayContaining(['crds/lockstep.yaml', 'crds/resourcesets.yaml', 'LICENSE']))
  })

  it('has the license of each library in the program', async () => {
    const bundle = await build({
      ...buildOptions(resolve('.')),
      outdir: 'dist',
      write: false,
      metafile: true,
    })
    const inputs = Object.keys(bundle.metafile!.inputs).filter((path) => path.includes('node_modules/'))
    const names = new Set(
      inputs.map((path) => JSON.parse(readFileSync(manifestAbove(path), 'utf8')).name as string),
    )
    expect(names.size).toBeGreaterThan(10)
    const licenses = filesIn(join(content, 'licenses')).filter((f) => f.endsWith('.txt'))
    expect(licenses).toEqual([...names].map((name) => `${name}.txt`).sort())
    for (const file of licenses)
      expect(readFileSync(join(content, 'licenses', file), 'utf8')).toMatch(/copyright|license/i)
  })
})

/** The nearest package.json that names a package. */
function manifestAbove(path: string): string {
  const file = join(dirname(path), 'package.json')
  return existsSync(file) && 'version' in JSON.parse(readFileSync(file, 'utf8'))
    ? file
    : manifestAbove(dirname(path))
}

/** Runs a program with its surroundings; `folders` come first on the PATH. */
function run(
  program: string,
  args: readonly string[],
  cwd: string,
  folders: readonly string[],
): Promise<Ran> {
  const path = [...folders, process.env.PATH].join(delimiter)
  const env = { PATH: path, HOME: cwd, LANG: 'C.UTF-8' }
  return new Promise((done) => {
    execFile(program, args, { cwd, env, timeout: 120_000 }, (e, out, err) =>
      done({ code: typeof e?.code === 'number' ? e.code : e ? -1 : 0, out, err }),
    )
  })
}

describe.each(['20.20.2', '22.23.3', '24.21.0'])('on Node %s', (version) => {
  let place: string
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'lockstep-installed-'))
  })
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  it('installs without scripts and network, and runs without a warning', async ({ skip }) => {
    const node = nodeFolder(version)
    if (node === undefined) skip(`node ${version} is not in the cache, and no registry has it`)
    const inPlace = (program: string, ...args: string[]) =>
      run(program, args, place, [join(place, 'node_modules/.bin'), node!])
    const installed = await inPlace('npm', 'install', '--ignore-scripts', '--offline', '--no-audit', tarball)
    expect(installed).toMatchObject({ code: 0, err: '' })
    expect(await inPlace('lockstep', 'version')).toEqual({
      code: 0,
      out: expect.stringContaining(`node ${version}`),
      err: '',
    })
    const demo = await inPlace('lockstep', 'demo', '--speed', '1000', '--seed', '1')
    expect(demo).toEqual({ code: 0, out: expect.stringContaining('No invariant broke'), err: '' })
    const help = await inPlace('kubectl-lockstep', '--help')
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('Usage: kubectl lockstep COMMAND') })
    const offered = await inPlace('kubectl_complete-lockstep', 'gra')
    expect(offered).toEqual({ code: 0, out: expect.stringMatching(/^graph\t.*\n:4\n$/), err: '' })
  }, 240_000)
})

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0

describe.skipIf(!hasKubectl)('kubectl', () => {
  it('runs the plugin, and completes it', async () => {
    const bins = join(content, 'bin')
    const links = mkdtempSync(join(folder, 'path-'))
    for (const name of ['kubectl-lockstep', 'kubectl_complete-lockstep'])
      execFileSync('ln', ['-s', join(bins, `${name}.js`), join(links, name)])
    const kubectl = (...args: string[]) => run('kubectl', args, folder, [links])
    const help = await kubectl('lockstep', 'get', '--help')
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('\n  kubectl lockstep get ') })
    expect(help.out).not.toMatch(/^ +lockstep /m)
    const offered = await kubectl('__complete', 'lockstep', 'expl')
    expect(offered.out).toMatch(/^explain\t.*\n:4\n/)
  })
})
