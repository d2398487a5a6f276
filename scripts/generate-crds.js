// Writes crds/lockstep.yaml from the schemas in src/api. With --check it writes nothing and fails if that is not current.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = join(root, 'crds', 'lockstep.yaml')
// Inside the repository, so that packages are found from it.
const bundle = join(root, 'node_modules', `.generate-crds-${process.pid}.mjs`)

try {
  await build({
    entryPoints: [join(root, 'src/cli/local/crds.ts')],
    absWorkingDir: root,
    outfile: bundle,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  })
  const { crdsYaml } = await import(pathToFileURL(bundle).href)
  const text = crdsYaml()
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (readFileSync(target, 'utf8') !== text) {
    console.error('crds/lockstep.yaml is not current: npm run generate')
    process.exitCode = 1
  }
} finally {
  rmSync(bundle, { force: true })
}
