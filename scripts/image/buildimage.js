// The image of the controller: four layers for each platform.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { stagePackage } from '../pack/stagepackage.js'
import { pinnedPackages } from './debianpackages.js'
import { addSystem, selectFiles, USER, unpackAll } from './debiansystem.js'
import { FileTree } from './filetree.js'
import { addGoProgram } from './goprograms.js'
import { programsOf, readLock } from './imagelock.js'
import { addNode } from './nodeprogram.js'
import { OciLayout } from './ocilayout.js'

const HOME_OF_LOCKSTEP = '/opt/lockstep'
const HEAP_PERCENT = 70
/** The heap is a share of the memory limit of the container, so that the kernel does not end the process first. */
const LAUNCHER = `#!/bin/sh
exec /usr/bin/node --max-old-space-size-percentage=${HEAP_PERCENT} ${HOME_OF_LOCKSTEP}/bin/lockstep.js "$@"
`
const CONFIG = {
  User: `${USER}:${USER}`,
  Env: ['PATH=/usr/bin', 'HOME=/tmp', 'XDG_CACHE_HOME=/var/cache', 'LANG=C.UTF-8'],
  Entrypoint: ['/usr/bin/lockstep'],
  WorkingDir: '/tmp',
}

/**
 * Builds the image of the clone `root` and writes it to `out`. `without`: names of Go programs that it does not get.
 * `workFor` gives an empty folder at each call. Prints digest and packed size of each platform.
 */
export async function buildImage(root, { out, platforms, without }, workFor) {
  const lock = readLock(root)
  const stage = workFor()
  const { version } = await stagePackage(root, stage)
  const config = { ...CONFIG, Labels: labelsOf(version) }
  const layout = new OciLayout(workFor())
  const manifests = []
  for (const platform of platforms) {
    const trees = [
      systemTree(lock, platform, workFor),
      nodeTree(lock, platform, workFor),
      goTree(lock, platform, without, workFor),
      lockstepTree(stage),
    ]
    const layers = []
    for (const tree of trees) layers.push(await layout.layer(tree))
    const manifest = layout.manifest(platform, config, layers)
    manifests.push(manifest)
    const packed = layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0)
    console.log(`${platform} ${manifest.digest} ${(packed / 2 ** 20).toFixed(1)} MiB`)
  }
  console.log(`lockstep:${version} ${layout.index(version, manifests).digest}`)
  cpSync(layout.folder, out, { recursive: true })
}

const labelsOf = (version) => ({
  'org.opencontainers.image.title': 'lockstep',
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.licenses': 'Apache-2.0',
})

function systemTree(lock, platform, workFor) {
  const tree = new FileTree()
  const work = workFor()
  const files = pinnedPackages(lock.debian[platform], platform, work)
  const found = unpackAll(files, join(work, 'packages'))
  const selected = selectFiles(found, programsOf(lock.node, platform, workFor()), platform)
  addSystem(tree, { files, found, selected })
  return tree
}

function nodeTree(lock, platform, workFor) {
  const tree = new FileTree()
  addNode(tree, lock.node, platform, workFor())
  return tree
}

function goTree(lock, platform, without, workFor) {
  const tree = new FileTree()
  const programs = Object.entries(lock.go.programs).filter(([name]) => !without.includes(name))
  for (const [name, program] of programs)
    addGoProgram(tree, name, program, { wanted: lock.go.version, platform, work: workFor() })
  return tree
}

function lockstepTree(stage) {
  const tree = new FileTree()
  tree.copyFolder(HOME_OF_LOCKSTEP, stage)
  tree.file('/usr/bin/lockstep', LAUNCHER, 0o755)
  return tree
}
