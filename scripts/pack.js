// Packs the package that users install: npm run pack [-- FOLDER]. Prints the path of the tarball.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stagePackage } from './pack/stagepackage.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = resolve(process.argv[2] ?? root)
const stage = mkdtempSync(join(tmpdir(), 'lockstep-pack-'))
try {
  await stagePackage(root, stage)
  mkdirSync(target, { recursive: true })
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', target], {
    cwd: stage,
    encoding: 'utf8',
  })
  console.log(join(target, packed.trim()))
} finally {
  rmSync(stage, { recursive: true, force: true })
}
