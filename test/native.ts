/**
 * Sources as Node itself loads them, for tests: the runner's own loader puts a call around each use of an import, which costs a
 * fifth of the time of what computes (ADR 0078). Tests and their tables stay with the runner.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin as BuildPlugin, build } from 'esbuild'
import type { Plugin } from 'vitest/config'
import { facesOf } from '../packages/lockstep/bin/faces.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PACKAGES = join(root, 'packages')

/** Tables of cases import what is in `test`. */
const isSource = (file: string): boolean => /(?<!\.test|\.cases)\.ts$/.test(file)
const asBuilt = (file: string): string => file.replace(/\.ts$/, '.js')

const faces = new Map(Object.entries(facesOf(root)))

/** Each file stays one module, however it is imported: two tests that import it share it. */
const separateModules: BuildPlugin = {
  name: 'separate-modules',
  setup(b) {
    b.onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: asBuilt(path), external: true },
    )
    b.onResolve({ filter: /^@lockstep\// }, ({ path, importer }) => {
      const file = faces.get(path)
      if (file === undefined) return { errors: [{ text: `${path} is not in the exports of its package` }] }
      const place = relative(dirname(importer), asBuilt(file))
      return { path: place.startsWith('.') ? place : `./${place}`, external: true }
    })
  },
}

/** Below `node_modules`, where packages are found; a folder for each run, taken away with it. */
async function built(): Promise<string> {
  const outdir = mkdtempSync(join(root, 'node_modules', '.lockstep-test-'))
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }))
  const files = readdirSync(PACKAGES, { recursive: true, withFileTypes: true })
  await build({
    entryPoints: files
      .filter((f) => f.isFile() && isSource(f.name))
      .map(({ parentPath, name }) => join(parentPath, name)),
    outdir,
    outbase: PACKAGES,
    bundle: true,
    packages: 'external',
    plugins: [separateModules],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'error',
  })
  return outdir
}

/**
 * Not in a watch, where sources change after the build; not for `--changed`, since vitest follows imports only through its own
 * loader to find the tests of a source.
 */
export async function nativeSources(): Promise<Plugin[]> {
  if (!process.argv.includes('run') || process.argv.includes('--changed')) return []
  const outdir = await built()
  const resolveId = (source: string, importer: string | undefined) => {
    if (importer === undefined) return undefined
    const file = source.startsWith('.') ? resolve(dirname(importer), source) : faces.get(source)
    if (file === undefined || !isSource(file) || !file.startsWith(`${PACKAGES}/`)) return undefined
    return { id: join(outdir, asBuilt(relative(PACKAGES, file))), external: true }
  }
  return [{ name: 'native-sources', enforce: 'pre', resolveId }]
}
