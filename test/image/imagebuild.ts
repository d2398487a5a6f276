/** Builds of the image in copies of this clone. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ImageLayout } from './imagelayout.ts'

const PARTS = [
  'packages',
  'scripts',
  'crds',
  'examples',
  'package.json',
  'image.lock.json',
  'LICENSE',
  'README.md',
]

export type ImageBuild = { readonly layout: ImageLayout } | { readonly refused: string }

/** Go programs that this machine cannot build. */
export const WITHOUT = spawnSync('go', ['version']).status === 0 ? '' : 'helm,kustomize'

/** Copies the clone into a new folder of `parent`, and builds there with other settings of time and of new files. */
export function buildInCopy(
  parent: string,
  timeZone: string,
  umask: string,
  platforms = 'linux/amd64,linux/arm64',
): Promise<ImageBuild> {
  const clone = mkdtempSync(join(parent, 'clone-'))
  for (const part of PARTS) execFileSync('cp', ['-r', resolve(part), clone])
  // Links of files: packages are large, and no build changes them.
  mkdirSync(join(clone, 'node_modules'))
  execFileSync('cp', ['-al', `${resolve('node_modules')}/.`, join(clone, 'node_modules')])
  const out = join(clone, 'image')
  const program = `umask ${umask} && exec node scripts/image.js --platform '${platforms}' --out '${out}' --without '${WITHOUT}'`
  const env = { ...process.env, TZ: timeZone }
  return new Promise((done, fail) => {
    execFile('sh', ['-c', program], { cwd: clone, env, timeout: 900_000 }, (error, _out, err) => {
      if (!error) done({ layout: new ImageLayout(out) })
      else if (/cannot be fetched|apt-get|is on the PATH/.test(err)) done({ refused: err.trim() })
      else fail(new Error(`${error.message}\n${err}`))
    })
  })
}
