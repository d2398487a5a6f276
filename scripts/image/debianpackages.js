// Debian packages of the image, by the sources that apt of this machine has. Root is not needed: state and cache of apt are
// folders of the build. `dpkg-deb` unpacks without installing.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFile, cacheFile, InputRefused } from './imagecache.js'

const NO_OTHERS = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
  (k) => `--no-${k}`,
)

const run = (program, args, cwd) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** The options with which apt works for one architecture, in the folder `work`. */
function aptOptions(arch, work) {
  const [state, cache] = [join(work, `apt-${arch}/state`), join(work, `apt-${arch}/cache`)]
  for (const folder of [`${state}/lists/partial`, `${cache}/archives/partial`])
    mkdirSync(folder, { recursive: true })
  const settings = {
    'Dir::State': state,
    'Dir::State::status': '/dev/null',
    'Dir::Cache': cache,
    'APT::Architecture': arch,
    'APT::Architectures::': arch,
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
  }
  return Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`])
}

const archOf = (platform) => platform.split('/')[1]

/** Reads the lists of packages; the options of apt. */
export function updateApt(platform, work) {
  const options = aptOptions(archOf(platform), work)
  try {
    run('apt-get', [...options, '-qq', 'update'], work)
  } catch (e) {
    throw new InputRefused(
      `apt-get update failed: ${lastLine(e)}; the image needs apt with sources of Debian`,
    )
  }
  return options
}

/** Names of the packages and of all that they depend on. */
export function dependenciesOf(names, options, work) {
  const found = run('apt-cache', [...options, 'depends', '--recurse', ...NO_OTHERS, ...names], work)
  return [...new Set(found.split('\n').filter((line) => /^\w[\w.+-]*$/.test(line)))].sort()
}

/** Fetches packages (`name` or `name=version`) into a folder of `work`; their files. */
export function downloadPackages(wanted, options, work) {
  const folder = join(work, `debs-${Math.random().toString(36).slice(2)}`)
  mkdirSync(folder)
  try {
    run('apt-get', [...options, '-qq', 'download', ...wanted], folder)
  } catch (e) {
    throw new InputRefused(
      `apt-get download failed: ${lastLine(e)}; if a version was replaced: npm run image -- --update-lock`,
    )
  }
  return readdirSync(folder).map((file) => join(folder, file))
}

const lastLine = (e) =>
  String(e.stderr || e.message)
    .trim()
    .split('\n')
    .at(-1)

/** The fields of a package. */
export const controlOf = (file) => run('dpkg-deb', ['--field', file])

export const fieldOf = (control, name) => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1]

/** The files of the pinned packages of a platform; those that the cache does not have are fetched. */
export function pinnedPackages(pinned, platform, work) {
  const missing = pinned.filter((p) => !cachedFile(p.sha256))
  if (missing.length > 0) {
    const options = updateApt(platform, work)
    const wanted = missing.map(({ name, version }) => `${name}=${version}`)
    for (const file of downloadPackages(wanted, options, work)) cacheFile(file)
  }
  return pinned.map(({ name, version, sha256 }) => {
    const file = cachedFile(sha256)
    if (file) return file
    throw new InputRefused(
      `${name} ${version} for ${platform} is not the file of image.lock.json; for new versions: npm run image -- --update-lock`,
    )
  })
}

/** Unpacks a package into a folder. */
export const unpack = (file, folder) => run('dpkg-deb', ['--extract', file, folder])
