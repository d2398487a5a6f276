// Writes crds/*.yaml and the numbers of their schemas from packages/lockstep/src/api. With --check it writes nothing and fails
// if they are not current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSource } from './loadsource.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const SOURCE = 'packages/lockstep/src/cli/kit/localfleet/crdfiles.ts'
const SCHEMAS = 'packages/lockstep/src/api/crd/schemas.generated.json'

function write(path, text) {
  const target = join(root, path)
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${path} is not current: npm run generate`)
    process.exitCode = 1
  }
}

const { currentSchemas } = await loadSource(SOURCE)
write(SCHEMAS, `${JSON.stringify(currentSchemas(), undefined, 2)}\n`)
// Definitions carry the numbers: they are made after the numbers are written.
const { crdFiles } = await loadSource(SOURCE)
for (const [name, text] of Object.entries(crdFiles())) write(`crds/${name}`, text)
