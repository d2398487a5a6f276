// One run of vitest: its counts, its failures, and the files that take longest.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { bin, root, run } from './process.js'
import { reasonProblems } from './reasons.js'

const UNHANDLED = join(root, 'scripts/unhandlederrors.js')
const SLOWEST = 12

export class Vitest {
  passed = 0
  failed = 0
  /** Each failed test and the first line of its message, for the end of the run. */
  failures = []
  /** Vitest's own JSON report; undefined if vitest wrote none. */
  report = undefined
  /** Reasons without a test, of a whole run of the full tier. */
  reasons = []

  constructor({ tier, shard, long }) {
    this.tier = tier
    this.shard = shard
    this.long = long
  }

  async run(more = []) {
    const folder = mkdtempSync(join(tmpdir(), 'lockstep-test-'))
    try {
      await this.#runIn(folder, more)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  async #runIn(folder, more) {
    const report = join(folder, 'report.json')
    const unhandled = join(folder, 'unhandled.json')
    const reasons = join(folder, 'reasons')
    mkdirSync(reasons)
    const args = ['run', '--reporter=dot', '--reporter=json', `--reporter=${UNHANDLED}`]
    args.push(`--outputFile.json=${report}`, '--passWithNoTests', ...more)
    if (this.shard !== undefined) args.push(`--shard=${this.shard}`)
    const env = { LOCKSTEP_TIER: this.tier, LOCKSTEP_UNHANDLED: unhandled }
    const isWhole = this.tier === 'full' && this.shard === undefined && more.length === 0
    if (isWhole) env.LOCKSTEP_REASONS = reasons
    if (this.long) env.LOCKSTEP_LONG = '1'
    const code = await run(bin('vitest'), args, { isLive: this.tier !== 'real', env })
    // Durations and names of all tests, to compare two runs: scripts/testnames.js reads it.
    if (process.env.LOCKSTEP_REPORT !== undefined && existsSync(report))
      copyFileSync(report, process.env.LOCKSTEP_REPORT)
    this.#count(code, jsonOf(report), jsonOf(unhandled) ?? [])
    if (isWhole) this.reasons = await reasonProblems(reasons)
  }

  /** A file that does not load counts as one failure, and so does an error outside of tests. */
  #count(code, report, errors) {
    this.report = report
    if (report !== undefined) {
      this.passed = report.numPassedTests
      this.failed = report.numFailedTests
      this.failures.push(...failuresIn(report))
      printSlowest(report)
    }
    this.failures.push(...errors.map((text) => `outside of tests: ${text}`))
    if (code === 0 || this.failed > 0) return
    this.failed = Math.max(errors.length, 1)
    if (errors.length === 0) this.failures.push(`vitest ended with ${code}, though no test failed`)
  }
}

const jsonOf = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined)

function printSlowest({ testResults }) {
  const files = testResults.map(({ name, startTime, endTime }) => [
    (endTime - startTime) / 1000,
    relative(root, name),
  ])
  const all = files.reduce((sum, [seconds]) => sum + seconds, 0)
  files.sort(([a], [b]) => b - a)
  const text = files.slice(0, SLOWEST).map(([seconds, file]) => `${file} ${seconds.toFixed(0)}s`)
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
