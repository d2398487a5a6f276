// Stages and packs what a user installs: npm run pack [-- FOLDER for the tarball]. The package carries the built program
// and the data it reads; the workspaces are inside the build.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildIfNeeded } from '../packages/lockstep/bin/build.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const DATA = ['crds', 'examples', 'LICENSE', 'README.md']
const target = resolve(process.argv[2] ?? root)
const stage = mkdtempSync(join(tmpdir(), 'lockstep-pack-'))
try {
  cpSync(await buildIfNeeded(root), join(stage, 'dist'), { recursive: true })
  for (const path of DATA) cpSync(join(root, path), join(stage, path), { recursive: true })
  mkdirSync(join(stage, 'bin'))
  cpSync(join(root, 'packages/lockstep/bin/lockstep.js'), join(stage, 'bin/lockstep.js'))
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`)
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', target], {
    cwd: stage,
    encoding: 'utf8',
  })
  console.log(join(target, packed.trim()))
} finally {
  rmSync(stage, { recursive: true, force: true })
}

/** The build bundles every package that the program imports, so the manifest names no dependencies. */
function manifest() {
  const text = readFileSync(join(root, 'packages/lockstep/package.json'), 'utf8')
  const { name, version, license, type, description, engines, bin } = JSON.parse(text)
  return { name, version, license, type, description, engines, bin, files: ['bin', 'dist', ...DATA] }
}
