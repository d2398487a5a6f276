/** Other versions of Node, as npm packages bring them. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lockstep', 'node')

/** The folder with `node` of that version, from the cache or the registry; undefined where neither has it. */
export function nodeFolder(version: string): string | undefined {
  const name = `node-linux-${process.arch}`
  const place = join(CACHE, version)
  const folder = join(place, 'node_modules', name, 'bin')
  if (existsSync(join(folder, 'node'))) return folder
  mkdirSync(place, { recursive: true })
  try {
    const args = ['install', '--prefix', place, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
    execFileSync('npm', [...args, `${name}@${version}`], { stdio: 'ignore', timeout: 300_000 })
  } catch {
    return undefined
  }
  return existsSync(join(folder, 'node')) ? folder : undefined
}
