/** A chart's .tgz as a tree. Everything happens in memory, and stops at the first limit. */
import { gunzipSync } from 'node:zlib'
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, type JsonValue, parseYamlStream, YamlError } from '@lockstep/kube/object'
import { MAX_FILES, MAX_TREE_BYTES, type SourceTree, type TreeFile } from '../intake/sourcetree.ts'
import { readTar, shown, type TarEntry } from './readtar.ts'

export const MAX_ARCHIVE_BYTES = 64 * 1024 * 1024
/** Texts shrink to a tenth; what shrinks to less than this is made to burst. */
const MAX_RATIO = 100
/** Small archives are mostly padding. */
const SMALL_BYTES = 1024 * 1024
const MAX_PATH_BYTES = 1024

/** The files below the archive's one directory, without its name. The problem is for people. */
export function unpackChartArchive(archive: Uint8Array): Result<SourceTree, string> {
  const tar = inflated(archive)
  if (!tar.ok) return tar
  const entries = readTar(tar.value, MAX_FILES)
  if (!entries.ok) return entries
  const files = new Map<string, TreeFile>()
  let root: string | undefined
  for (const entry of entries.value) {
    const where = `entry ${entry.number} ${shown(entry.name)}`
    const parts = partsOf(entry.name)
    if (!parts.ok) return err(`${where}: ${parts.error}`)
    const [first, ...below] = parts.value
    if (first === undefined) continue
    root ??= first
    if (first !== root) return err(`${where}: is outside of ${shown(root)}, the directory of the chart`)
    if (entry.type === 'directory') continue
    const path = below.join('/')
    if (path === '') return err(`${where}: is outside of the directory of a chart`)
    if (files.has(path)) return err(`${where}: duplicate entry`)
    // Its own bytes: the whole archive need not stay for one file.
    files.set(path, { path, bytes: entry.bytes.slice() })
  }
  const clash = clashOf(files)
  if (clash !== undefined) return err(clash)
  return ok({ files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), warnings: [] })
}

/** It stops where it becomes too much, and never has more than that in memory. */
function inflated(archive: Uint8Array): Result<Uint8Array, string> {
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) return err('is not a gzip archive')
  const byRatio = Math.max(SMALL_BYTES, archive.length * MAX_RATIO)
  const limit = Math.min(MAX_TREE_BYTES, byRatio)
  try {
    return ok(gunzipSync(archive, { maxOutputLength: limit }))
  } catch (e) {
    if ((e as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') return err('is damaged or cut off')
    return err(
      limit === byRatio
        ? `inflates to more than ${MAX_RATIO} times its size`
        : `inflates to more than ${MAX_TREE_BYTES / 1_048_576} MiB`,
    )
  }
}

/** Parts of a relative path that stays where it is; none: the root itself. */
function partsOf(name: TarEntry['name']): Result<string[], string> {
  if (name.startsWith('/')) return err('is absolute')
  if (name.includes('\\')) return err('has a backslash')
  if (name.includes('\uFFFD')) return err('is not UTF-8')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  if (/[\u0000-\u001f\u007f]/.test(name)) return err('has a control character')
  if (new TextEncoder().encode(name).length > MAX_PATH_BYTES)
    return err(`is longer than ${MAX_PATH_BYTES} bytes`)
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) return err('leads out of the archive')
  return /^[A-Za-z]:$/.test(parts[0] ?? '') ? err('is absolute') : ok(parts)
}

/** A file that another one has for its directory. */
function clashOf(files: ReadonlyMap<string, TreeFile>): string | undefined {
  for (const path of files.keys())
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      if (files.has(path.slice(0, end)))
        return `${shown(path)}: ${shown(path.slice(0, end))} is a file and a directory`
  return undefined
}

/** The tree is that of this version of this chart; undefined, or what it is instead. */
export function identityProblem(tree: SourceTree, chart: string, version: string): string | undefined {
  const file = tree.files.find((f) => f.path === 'Chart.yaml')
  if (!file) return 'has no Chart.yaml, so it is not a Helm chart'
  const about = yamlOf(file.bytes)
  if (about === undefined) return 'Chart.yaml: is invalid YAML'
  const [name, has] = [at(about, 'name'), at(about, 'version')]
  if (name !== chart) return `Chart.yaml: has name ${shown(String(name))}, requested was ${chart}`
  if (has !== version) return `Chart.yaml: has version ${shown(String(has))}, requested was ${version}`
  return undefined
}

function yamlOf(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parseYamlStream(new TextDecoder().decode(bytes))[0]
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return undefined
  }
}
