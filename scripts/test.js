// Runs one tier of the tests: `node scripts/test.js short|full|deep|real|changed [--package NAME] [--shard i/n] [--long] [--since REF]`.
// The short and full tiers run types and the dependency budget beside the tests, the full tier lint too. The last line is `N passed, N failed`.

import { changedFiles } from './test/changeset.js'
import { Checks } from './test/checks.js'
import { ask, Usage } from './test/options.js'
import { missingPrograms, realApiLine } from './test/real.js'
import { seedProblems } from './test/seeds.js'
import { Vitest } from './test/vitest.js'

async function short(options) {
  const checks = new Checks()
  const tests = new Vitest(options)
  // Each shard runs its part of the tests, the first shard the checks too.
  const isFirst = options.shard === undefined || options.shard.startsWith('1/')
  await Promise.all([isFirst ? checks.all(options.tier) : undefined, tests.run()])
  const real = options.tier === 'deep' ? undefined : realApiLine()
  const seeds = seedProblems(tests.report)
  const failures = [
    ...checks.failures,
    ...tests.failures,
    ...tests.reasons,
    ...seeds,
    ...(real?.failures ?? []),
  ]
  return {
    passed: checks.passed + tests.passed,
    failed:
      checks.failures.length +
      tests.failed +
      tests.reasons.length +
      seeds.length +
      (real?.failures.length ?? 0),
    failures,
    line: real?.line,
  }
}

async function deep(options) {
  const tests = new Vitest(options)
  await tests.run()
  return tests
}

async function real(options) {
  const why = missingPrograms()
  if (why !== undefined) {
    const { line, failures } = realApiLine()
    return { passed: 0, failed: failures.length, failures, line }
  }
  const tests = new Vitest(options)
  await tests.run()
  const failed = tests.failed > 0 ? `, ${tests.failed} failed` : ''
  return { ...tests, line: `real API: ${tests.passed} passed${failed}` }
}

async function changed(options) {
  const checks = new Checks()
  const tests = new Vitest({ ...options, tier: 'short' })
  const files = changedFiles(options.since)
  await Promise.all([
    checks.ofFiles(files),
    tests.run(['--changed', ...(options.since ? [options.since] : [])]),
  ])
  return {
    passed: checks.passed + tests.passed,
    failed: checks.failures.length + tests.failed,
    failures: [...checks.failures, ...tests.failures],
  }
}

/** The tests beside the code of one package; a package alone runs no checks. */
async function ofPackage(options) {
  const tests = new Vitest(options)
  await tests.run([`packages/${options.package}/`])
  return tests
}

const runs = { short, full: short, deep, real, changed }

try {
  const options = ask(process.argv.slice(2), Object.keys(runs))
  const { passed, failed, failures, line } = await (options.package ? ofPackage : runs[options.tier])(options)
  for (const failure of failures) console.log(`FAILED: ${failure}`)
  if (line !== undefined) console.log(line)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
} catch (e) {
  if (!(e instanceof Usage)) throw e
  console.error(e.message)
  process.exitCode = 2
}
