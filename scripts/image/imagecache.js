// Files that a build of the image has fetched or built, by their SHA-256. A file with another digest is not used.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lockstep', 'image')

/** An input is absent, or is not the pinned one: printed in one line, without a stack. */
export class InputRefused extends Error {}

export const sha256Of = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** The path of the file with that digest; undefined if the cache does not have it. */
export function cachedFile(sha256) {
  const path = join(CACHE, sha256)
  return existsSync(path) && sha256Of(path) === sha256 ? path : undefined
}

/** Adds a file; its digest. */
export function cacheFile(from) {
  const sha256 = sha256Of(from)
  mkdirSync(CACHE, { recursive: true })
  const fresh = join(CACHE, `${sha256}.${process.pid}.tmp`)
  copyFileSync(from, fresh)
  renameSync(fresh, join(CACHE, sha256))
  return sha256
}

/** The path of the file with the pinned digest; `make` fetches or builds it where the cache does not have it. */
export function pinnedFile(what, sha256, make) {
  const found = cachedFile(sha256)
  if (found) return found
  const made = cacheFile(make())
  if (made === sha256) return cachedFile(sha256)
  throw new InputRefused(
    `${what}: its SHA-256 is ${made}, image.lock.json has ${sha256}; for new versions: npm run image -- --update-lock`,
  )
}
