// What `npm test` runs: types, lint, all tests; the real API too where its programs are. Ends with one line of sums.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const REAL = ['etcd', 'kube-apiserver', 'kube-controller-manager']
const UNHANDLED = join(root, 'scripts/unhandled.js')
const folder = mkdtempSync(join(tmpdir(), 'lockstep-test-'))
let passed = 0
let failed = 0
/** What failed and what it said first: told again at the end, where it is looked for. */
const failures = []

/** What a child prints goes through as it comes if it is live, else when it has ended. */
function run(command, args, isLive = false) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: isLive ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => said.push(bytes))
    const end = (code) => {
      process.stdout.write(Buffer.concat(said))
      resolve(code)
    }
    child.on('error', () => end(127))
    child.on('close', (code) => end(code ?? 1))
  })
}

const bin = (name) => join(root, 'node_modules/.bin', name)

async function check(name, command, args) {
  const started = Date.now()
  const code = await run(command, args)
  console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name} (${((Date.now() - started) / 1000).toFixed(1)}s)`)
  if (code === 0) passed++
  else {
    failed++
    failures.push(`${name}: see what it printed above`)
  }
}

/**
 * Runs tests; how many passed and failed. A file that cannot even be loaded is one that failed, and so is an error that
 * no test waited for.
 */
async function vitest(config, isLive) {
  const report = join(folder, `${config}.json`)
  const unhandled = join(folder, `${config}.unhandled.json`)
  const args = ['run', `--config=${config}`, '--reporter=dot', '--reporter=json', `--reporter=${UNHANDLED}`]
  process.env.LOCKSTEP_UNHANDLED = unhandled
  const code = await run(bin('vitest'), [...args, `--outputFile.json=${report}`], isLive)
  const counts = { passed: 0, failed: 0 }
  if (existsSync(report)) {
    const found = JSON.parse(readFileSync(report, 'utf8'))
    counts.passed = found.numPassedTests
    counts.failed = found.numFailedTests
    failures.push(...failuresIn(found))
    slowest(found)
  }
  const errors = existsSync(unhandled) ? JSON.parse(readFileSync(unhandled, 'utf8')) : []
  failures.push(...errors.map((text) => `outside of tests: ${text}`))
  if (code !== 0 && counts.failed === 0) {
    counts.failed = Math.max(errors.length, 1)
    if (errors.length === 0) failures.push(`${config}: vitest ended with ${code}, though no test failed`)
  }
  passed += counts.passed
  failed += counts.failed
  return counts
}

const SHOWN = 12

/** Where the time has gone. */
function slowest({ testResults }) {
  const files = testResults.map(({ name, startTime, endTime }) => [
    (endTime - startTime) / 1000,
    relative(root, name),
  ])
  const all = files.reduce((sum, [seconds]) => sum + seconds, 0)
  files.sort(([a], [b]) => b - a)
  const text = files.slice(0, SHOWN).map(([seconds, file]) => `${file} ${seconds.toFixed(0)}s`)
  console.log(`\n${all.toFixed(0)}s in ${files.length} files, most of it in ${text.join(', ')}`)
}

function failuresIn(report) {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name)
    const tests = assertionResults.filter((t) => t.status === 'failed')
    if (tests.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : []
    return tests.map((t) => `${file}: ${t.fullName}: ${firstLine(t.failureMessages[0])}`)
  })
}

const firstLine = (text = '') => text.split('\n', 1)[0]

/** Why the real API cannot be tested here; undefined if it can. */
function missing() {
  const folders = [process.env.KUBEBUILDER_ASSETS, '/usr/local/kubebuilder/bin'].filter(
    (f) => f !== undefined,
  )
  const lacks = folders.map((f) => REAL.filter((p) => !existsSync(join(f, p))))
  if (lacks.some((l) => l.length === 0)) return undefined
  return `no ${lacks[0].join(', ')} in ${folders.join(' or ')}`
}

async function realApi() {
  const why = missing()
  if (why === undefined) {
    const counts = await vitest('vitest.real.config.ts', false)
    return counts.failed === 0
      ? `real API: ${counts.passed} passed`
      : `real API: ${counts.passed} passed, ${counts.failed} failed`
  }
  if (process.env.LOCKSTEP_REQUIRE_REAL !== '1') return `real API: skipped (${why})`
  failed++
  return `real API: not run (${why}), and LOCKSTEP_REQUIRE_REAL=1`
}

try {
  await Promise.all([
    check('types', bin('tsc'), ['-p', '.']),
    check('lint', 'npm', ['run', '--silent', 'lint']),
    check('budget of dependencies', 'node', ['scripts/budget.js']),
  ])
  await vitest('vitest.config.ts', true)
  // By themselves: three servers for each test want the machine.
  const real = await realApi()
  for (const failure of failures) console.log(`FAILED: ${failure}`)
  console.log(real)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
