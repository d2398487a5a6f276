// The system of the image: git, ssh and a shell with the libraries that these and Node load. No perl, no package manager.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname, join, posix, relative } from 'node:path'
import { controlOf, fieldOf, unpack } from './debianpackages.js'
import { readElf } from './elf.js'
import { InputRefused } from './imagecache.js'

/** Packages with files that the image names; the others give libraries. */
export const SEEDS = ['base-files', 'ca-certificates', 'dash', 'git', 'libstdc++6', 'openssh-client']

/** Files of packages that the image has beside libraries. Git's own commands are links to one program. */
const WANTED = [
  /^\/etc\/os-release$/,
  /^\/usr\/lib\/os-release$/,
  /^\/usr\/bin\/(dash|sh|git|ssh)$/,
  /^\/etc\/ssh\/ssh_config$/,
  /^\/usr\/lib\/git-core\/(git|git-remote-https?)$/,
  /^\/usr\/share\/git-core\/templates\/(description|info\/exclude)$/,
]
const GIT_COMMAND = /^\/usr\/lib\/git-core\/git-[a-z-]+$/
const LIBRARY_FOLDER = /^\/usr\/lib(64|\/[\w-]+-linux-gnu)?\/[^/]+$/
/** Certificates that the Debian package installs, all of them by default. */
const CERTIFICATE = /^\/usr\/share\/ca-certificates\/.*\.crt$/
const COPYRIGHT = /^\/usr\/share\/doc\/[^/]+\/copyright$/
/** Folders that are links, as on every Debian system of today. */
const MERGED = ['bin', 'lib', 'lib64', 'sbin']

export const USER = 65532

/** Unpacked files of packages, by their path in the image. */
export function unpackAll(files, work) {
  const found = new Map()
  for (const file of files) {
    const name = fieldOf(controlOf(file), 'Package')
    const folder = join(work, 'root', name)
    mkdirSync(folder, { recursive: true })
    unpack(file, folder)
    for (const path of readdirSync(folder, { recursive: true }).sort()) {
      const from = join(folder, path)
      if (!lstatSync(from).isDirectory()) found.set(merged(`/${path}`), { from, package: name })
    }
  }
  return found
}

const merged = (path) => path.replace(new RegExp(`^/(${MERGED.join('|')})/`), '/usr/$1/')

/**
 * The paths of the image among the unpacked files: the wanted ones, and every library that they or `programs` load.
 * A program for another platform, or a library that no package has, is refused.
 */
export function selectFiles(found, programs, platform) {
  const selected = new Set([...found.keys()].filter((path) => isWanted(path, found)))
  const libraries = new Map()
  for (const path of found.keys()) if (LIBRARY_FOLDER.test(path)) libraries.set(basename(path), path)
  const waiting = [...programs, ...[...selected].map((path) => ({ path, content: contentOf(path, found) }))]
  for (const { path, content } of waiting) {
    const elf = content && readElf(content)
    if (!elf) continue
    if (elf.platform !== platform)
      throw new InputRefused(`${path} is a program for ${elf.platform}, not ${platform}`)
    for (const name of [...elf.needed, ...(elf.loader ? [basename(elf.loader)] : [])]) {
      const library = libraries.get(name)
      if (library === undefined)
        throw new InputRefused(`${path} loads ${name}, which no package of the image has`)
      for (const part of chainOf(library, found)) {
        if (selected.has(part)) continue
        selected.add(part)
        waiting.push({ path: part, content: contentOf(part, found) })
      }
    }
  }
  return selected
}

function isWanted(path, found) {
  if (WANTED.some((pattern) => pattern.test(path)) || CERTIFICATE.test(path)) return true
  return GIT_COMMAND.test(path) && targetOf(path, found) === '/usr/lib/git-core/git'
}

/** The path behind a link; undefined: a file. */
function targetOf(path, found) {
  const { from } = found.get(path)
  if (!lstatSync(from).isSymbolicLink()) return undefined
  return merged(posix.resolve(dirname(path), readlinkSync(from)))
}

/** The path, and those behind it if it is a link. */
function chainOf(path, found) {
  const target = found.has(path) ? targetOf(path, found) : undefined
  return target === undefined ? [path] : [path, ...chainOf(target, found)]
}

function contentOf(path, found) {
  const entry = found.get(path)
  return entry && !lstatSync(entry.from).isSymbolicLink() ? readFileSync(entry.from) : undefined
}

/** Adds the selected files, the bundle of certificates, the user, and what scanners read. */
export function addSystem(tree, { files, found, selected }) {
  for (const name of MERGED) tree.link(`/${name}`, `usr/${name}`)
  tree.directory('/usr/sbin')
  const certificates = []
  for (const path of [...selected].sort()) {
    const { from } = found.get(path)
    if (CERTIFICATE.test(path)) certificates.push(readFileSync(from, 'utf8').trimEnd())
    else if (targetOf(path, found)?.startsWith('/usr/') && readlinkSync(from).startsWith('/'))
      tree.link(path, relative(dirname(path), targetOf(path, found)))
    else tree.copy(path, from)
  }
  tree.file('/etc/ssl/certs/ca-certificates.crt', `${certificates.join('\n')}\n`)
  tree.directory('/tmp', 0o1777)
  tree.directory('/var/cache/lockstep')
  tree.file(
    '/etc/passwd',
    `root:x:0:0:root:/root:/sbin/nologin\nlockstep:x:${USER}:${USER}::/tmp:/sbin/nologin\n`,
  )
  tree.file('/etc/group', `root:x:0:\nlockstep:x:${USER}:\n`)
  tree.file('/etc/nsswitch.conf', 'hosts: files dns\n')
  addPackageFacts(tree, files, found)
}

/** Versions and licenses of the packages. */
function addPackageFacts(tree, files, found) {
  for (const file of files) {
    const control = controlOf(file)
    tree.file(`/var/lib/dpkg/status.d/${fieldOf(control, 'Package')}`, control)
  }
  for (const [path, { from }] of found)
    if (COPYRIGHT.test(path) && existsSync(from)) tree.file(path, readFileSync(from))
}

/** Packages that a selected file is from. */
export const packagesOf = (selected, found) => new Set([...selected].map((path) => found.get(path).package))
