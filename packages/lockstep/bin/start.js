// Starts the program of a clone or of an installed package. Plain JavaScript, so that every version of Node can run it and
// print a clear error. A clone builds itself at first use.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Runs the command line. `typedAs`: how printed commands start, where it is not `lockstep`. */
export async function start(argv, typedAs) {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`lockstep needs Node 20.19 or newer; this is v${process.versions.node}`)
    process.exit(2)
  }
  const home = dirname(dirname(fileURLToPath(import.meta.url)))
  const isClone = existsSync(join(home, 'src'))
  // Examples and CRDs are at the root of a clone, and beside bin/ in an installed package.
  const root = isClone ? dirname(dirname(home)) : home
  const dist = isClone ? await built(root) : join(root, 'dist')
  const { main } = await import(pathToFileURL(join(dist, 'main.js')).href).catch((e) => {
    if (e.code !== 'EMFILE' && e.code !== 'ENFILE') throw e
    console.error(`error: ${e.message}\nhint: raise the limit of open files (ulimit -n), or close programs`)
    process.exit(3)
  })
  await main(argv, { root, manifest: join(home, 'package.json'), ...(typedAs ? { typedAs } : {}) })
}

/** The folder of the built program of a clone. */
async function built(root) {
  const { buildIfNeeded, BuildRefused } = await import('./build.js')
  try {
    return await buildIfNeeded(root)
  } catch (e) {
    // The compiler has reported already where a source is wrong.
    const isKnown = e instanceof BuildRefused || Array.isArray(e.errors)
    console.error(`lockstep could not build itself: ${isKnown ? e.message.split('\n')[0] : e.stack}`)
    process.exit(3)
  }
}
