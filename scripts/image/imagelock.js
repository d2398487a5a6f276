// image.lock.json: the inputs of the image by version and SHA-256.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { controlOf, dependenciesOf, downloadPackages, fieldOf, updateApt } from './debianpackages.js'
import { packagesOf, SEEDS, selectFiles, unpackAll } from './debiansystem.js'
import { FileTree } from './filetree.js'
import { buildGoProgram, GO_PROGRAMS, goVersion } from './goprograms.js'
import { cacheFile, InputRefused } from './imagecache.js'
import { addNode, fetchNode } from './nodeprogram.js'

export const PLATFORMS = ['linux/amd64', 'linux/arm64']

const pathIn = (root) => join(root, 'image.lock.json')

export const readLock = (root) => JSON.parse(readFileSync(pathIn(root), 'utf8'))

/** Pins the versions of Node and of Go's programs that the file names, and the newest Debian packages. */
export function updateLock(root, workFor) {
  const { node, go } = readLock(root)
  if (goVersion() === undefined) throw new InputRefused('go is not on the PATH: the lock pins what Go builds')
  const lock = {
    node: { version: node.version, sha256: {} },
    go: { version: goVersion(), programs: {} },
    debian: {},
  }
  for (const name of Object.keys(GO_PROGRAMS)) {
    const { version } = go.programs[name]
    lock.go.programs[name] = { version, sha256: {} }
    for (const platform of PLATFORMS)
      lock.go.programs[name].sha256[platform] = cacheFile(buildGoProgram(name, version, platform, workFor()))
  }
  for (const platform of PLATFORMS) {
    lock.node.sha256[platform] = cacheFile(fetchNode(platform, node.version, workFor()))
    lock.debian[platform] = debianLock(lock.node, platform, workFor())
  }
  writeFileSync(pathIn(root), `${JSON.stringify(lock, undefined, 2)}\n`)
}

/** The packages among all dependencies that a file of the image is from. */
function debianLock(node, platform, work) {
  const options = updateApt(platform, work)
  const files = downloadPackages(dependenciesOf(SEEDS, options, work), options, work)
  const found = unpackAll(files, work)
  const wanted = packagesOf(selectFiles(found, programsOf(node, platform, work), platform), found)
  return files
    .map((file) => ({ file, control: controlOf(file) }))
    .filter(({ control }) => wanted.has(fieldOf(control, 'Package')))
    .map(({ file, control }) => ({
      name: fieldOf(control, 'Package'),
      version: fieldOf(control, 'Version'),
      sha256: cacheFile(file),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The programs of another layer that load libraries of Debian. */
export function programsOf(node, platform, work) {
  const tree = new FileTree()
  addNode(tree, node, platform, work)
  return tree.entries.map(([path, { content }]) => ({ path, content }))
}
