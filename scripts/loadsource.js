import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { facesOf } from '../packages/lockstep/bin/faces.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
let loaded = 0

/** Imports a TypeScript source of this repository: bundled, inside the repository, so that packages are found from it. */
export async function loadSource(path) {
  const bundle = join(root, 'node_modules', `.load-${process.pid}-${++loaded}.mjs`)
  try {
    await build({
      entryPoints: [join(root, path)],
      absWorkingDir: root,
      outfile: bundle,
      alias: facesOf(root),
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'error',
    })
    return await import(pathToFileURL(bundle).href)
  } finally {
    rmSync(bundle, { force: true })
  }
}
