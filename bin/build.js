// Builds dist/ from src/ when src/ has changed. Several first uses at once are harmless: each builds into a directory
// of its own and renames it into place.
import { createHash, randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
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
import { join } from 'node:path'

/** Where the built program is; built first if it is not current. */
export async function buildIfNeeded(root) {
  const stamp = stampOf(root)
  const dist = join(root, 'dist')
  if (isCurrent(dist, stamp)) return dist
  const place = isWritable(root) ? dist : cacheDir(root, stamp)
  if (!isCurrent(place, stamp)) await build(root, place, stamp)
  return place
}

/** Path, size and time of every source: a hash of them is taken in a few milliseconds. */
function stampOf(root) {
  const hash = createHash('sha256')
  const walk = (dir) => {
    for (const entry of readdirSync(join(root, dir), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = `${dir}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else {
        const { size, mtimeMs } = statSync(join(root, path))
        hash.update(`${path} ${size} ${mtimeMs}\n`)
      }
    }
  }
  walk('src')
  const { size, mtimeMs } = statSync(join(root, 'package.json'))
  return hash.update(`package.json ${size} ${mtimeMs}`).digest('hex')
}

const isCurrent = (dist, stamp) =>
  existsSync(join(dist, '.stamp')) && readFileSync(join(dist, '.stamp'), 'utf8') === stamp

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
  mkdirSync(dir, { recursive: true })
  try {
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  } catch (e) {
    if (e.code !== 'EEXIST') throw e
  }
  return join(dir, 'dist')
}

async function build(root, dist, stamp) {
  const { build: esbuild } = await import('esbuild')
  const id = randomBytes(6).toString('hex')
  const fresh = `${dist}.${id}.tmp`
  const old = `${dist}.${id}.old`
  try {
    await esbuild({
      entryPoints: { main: join(root, 'src/cli/main.ts') },
      absWorkingDir: root,
      outdir: fresh,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      sourcemap: true,
      logLevel: 'error',
    })
    writeFileSync(join(fresh, '.stamp'), stamp)
    swap(fresh, dist, old, stamp)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

/** Somebody else may do the same at the same time: then theirs is as good as ours. */
function swap(fresh, dist, old, stamp) {
  for (let tries = 0; tries < 50; tries++) {
    try {
      if (existsSync(dist)) renameSync(dist, old)
    } catch (e) {
      if (e.code !== 'ENOENT') throw e
    }
    try {
      renameSync(fresh, dist)
      return
    } catch (e) {
      if (e.code !== 'ENOTEMPTY' && e.code !== 'EEXIST') throw e
      if (isCurrent(dist, stamp)) return
    }
    rmSync(old, { recursive: true, force: true })
  }
  throw new Error(`${dist} is being replaced by others all the time`)
}
