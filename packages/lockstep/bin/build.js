// Builds dist/ of a clone from its packages when a source has changed. Several first uses at once are harmless: each builds
// into a directory of its own and renames it into place.
import { createHash, randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { behindFaces, facesOf, packagesOf } from './faces.js'

/** Where the built program is; built first if it is not current. */
export async function buildIfNeeded(root) {
  const stamp = stampOf(root)
  const dist = join(root, 'dist')
  if (isCurrent(dist, stamp)) return dist
  const place = isWritable(root) ? dist : cacheDir(root, stamp)
  if (isCurrent(place, stamp)) return place
  removeAbandoned(place)
  await build(root, place, stamp)
  return place
}

/** An error that the user can fix: printed in one line, without a stack. */
export class BuildRefused extends Error {}

/** Tests and their tables are not built. */
const isTest = (name) => /\.(test|cases)\.ts$/.test(name)

/** Path, size and time of every source of every package: a hash of them takes a few milliseconds. */
function stampOf(root) {
  const hash = createHash('sha256')
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  const walk = (dir) => {
    for (const entry of readdirSync(join(root, dir), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = `${dir}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (!isTest(entry.name)) add(path)
    }
  }
  for (const folder of packagesOf(root)) {
    add(`${folder}/package.json`)
    walk(`${folder}/src`)
  }
  return hash.digest('hex')
}

/** Asked and answered by one read: a file that was seen may be gone before it is opened. */
function isCurrent(dist, stamp) {
  try {
    return readFileSync(join(dist, '.stamp'), 'utf8') === stamp
  } catch {
    return false
  }
}

function isWritable(dir) {
  try {
    accessSync(dir, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** A clone that may not be written to is built into the user's cache; its packages are found through a link. */
function cacheDir(root, stamp) {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const dir = join(base, 'lockstep', stamp.slice(0, 16))
  try {
    mkdirSync(dir, { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  } catch (e) {
    if (e.code !== 'EEXIST')
      throw new BuildRefused(
        `${root} is not writable, and ${dir} neither (${e.code}): set XDG_CACHE_HOME to a folder of yours`,
      )
  }
  return join(dir, 'dist')
}

/** A build takes seconds: a folder that is a minute old belongs to a build that was killed. */
const ABANDONED_MS = 60_000

function removeAbandoned(dist) {
  const name = `${basename(dist)}.`
  for (const entry of readdirSync(dirname(dist))) {
    if (!entry.startsWith(name) || !/\.(tmp|old)$/.test(entry)) continue
    const path = join(dirname(dist), entry)
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** The compiler is a package like any other: a clone has it after `npm ci`. */
async function compiler(root) {
  try {
    return await import('esbuild')
  } catch (e) {
    if (e.code !== 'ERR_MODULE_NOT_FOUND') throw e
    throw new BuildRefused(`its packages are not installed: run npm ci in ${root}`)
  }
}

/** Packages of the older format ask for Node's modules in this way. */
const REQUIRE =
  "import { createRequire as lockstepRequire } from 'node:module'; const require = lockstepRequire(import.meta.url);"

/** Options of the build, without its target folder. */
export const buildOptions = (root) => ({
  entryPoints: {
    main: join(root, 'packages/lockstep/src/cli/main.ts'),
    leader: join(root, 'packages/lockstep/src/cli/kit/leader/thread.ts'),
  },
  absWorkingDir: root,
  alias: facesOf(root),
  plugins: [behindFaces(root)],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // One file is read in a tenth of the time that a package's hundred take.
  target: 'node20',
  banner: { js: REQUIRE },
  logLevel: 'error',
})

async function build(root, dist, stamp) {
  const { build: esbuild } = await compiler(root)
  const id = randomBytes(6).toString('hex')
  const fresh = `${dist}.${id}.tmp`
  const old = `${dist}.${id}.old`
  try {
    mkdirSync(fresh)
    await esbuild({
      ...buildOptions(root),
      outdir: fresh,
      sourcemap: true,
    })
    writeFileSync(join(fresh, '.stamp'), stamp)
    swap(fresh, dist, old, stamp)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

/**
 * Another process may swap at the same time. Its build is as good as this one and stays, because a process that found
 * it is about to load from it.
 */
function swap(fresh, dist, old, stamp) {
  for (let tries = 0; tries < 50; tries++) {
    if (moved(fresh, dist) || isCurrent(dist, stamp)) return
    moved(dist, old)
    if (isCurrent(old, stamp)) moved(old, dist)
    rmSync(old, { recursive: true, force: true })
  }
  throw new Error(`${dist} is being replaced by others all the time`)
}

/** False when there is nothing to move, or something in its place. */
function moved(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch (e) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(e.code)) throw e
    return false
  }
}
