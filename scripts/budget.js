// Packages that a user must install: few, small, without install scripts.
import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MOST_PACKAGES = 40
const MOST_MB = 45
/** The script of esbuild only checks that its binary exists; esbuild works without it. */
const HARMLESS_SCRIPTS = new Set(['esbuild'])

const listed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
})
// Workspaces are links: their sources are built into the program.
const folders = [...new Set(listed.trim().split('\n'))].filter(
  (path) => path.includes('node_modules') && !lstatSync(path).isSymbolicLink(),
)

function bytesOf(folder) {
  let sum = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sum += entry.name === 'node_modules' ? 0 : bytesOf(path)
    else if (entry.isFile()) sum += statSync(path).size
  }
  return sum
}

const megabytes = folders.reduce((sum, f) => sum + bytesOf(f), 0) / 1e6
const scripted = folders
  .map((f) => JSON.parse(readFileSync(join(f, 'package.json'), 'utf8')))
  .filter((p) => ['preinstall', 'install', 'postinstall'].some((s) => p.scripts?.[s] !== undefined))
  .map((p) => p.name)
  .filter((name) => !HARMLESS_SCRIPTS.has(name))

const problems = []
if (folders.length > MOST_PACKAGES) problems.push(`${folders.length} packages, the limit is ${MOST_PACKAGES}`)
if (megabytes > MOST_MB) problems.push(`${megabytes.toFixed(1)} MB, the limit is ${MOST_MB}`)
for (const name of scripted) problems.push(`${name} wants to run a script at install`)
for (const p of problems) console.error(p)
console.log(`dependencies: ${folders.length} packages, ${megabytes.toFixed(1)} MB`)
process.exitCode = problems.length > 0 ? 1 : 0
