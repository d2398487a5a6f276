// Writes crds/*.yaml from the schemas in packages/lockstep/src/api. With --check it writes nothing and fails if they are not current.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { facesOf } from '../packages/lockstep/bin/faces.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// Inside the repository, so that packages are found from it.
const bundle = join(root, 'node_modules', `.generate-crds-${process.pid}.mjs`)

try {
  await build({
    entryPoints: [join(root, 'packages/lockstep/src/cli/kit/localfleet/crdfiles.ts')],
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
  const { crdFiles } = await import(pathToFileURL(bundle).href)
  for (const [name, text] of Object.entries(crdFiles())) {
    const target = join(root, 'crds', name)
    if (!process.argv.includes('--check')) writeFileSync(target, text)
    else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
      console.error(`crds/${name} is not current: npm run generate`)
      process.exitCode = 1
    }
  }
} finally {
  rmSync(bundle, { force: true })
}
