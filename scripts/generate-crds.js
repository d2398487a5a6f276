// Writes crds/*.yaml from the schemas in packages/lockstep/src/api. With --check it writes nothing and fails if they are not current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSource } from './loadsource.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { crdFiles } = await loadSource('packages/lockstep/src/cli/kit/localfleet/crdfiles.ts')
for (const [name, text] of Object.entries(crdFiles())) {
  const target = join(root, 'crds', name)
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`crds/${name} is not current: npm run generate`)
    process.exitCode = 1
  }
}
