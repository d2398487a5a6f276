// Types, lint and the dependency budget: each is one check, passed or failed.
import { join } from 'node:path'
import { bin, root, run } from './process.js'

/** The compiler that only checks: `typescript` has the API that scripts read sources with (ADR 0117). */
const TYPES = join(root, 'node_modules/typescript7/bin/tsc')

export class Checks {
  passed = 0
  failures = []

  /** Lint is a command of its own beside the short tier: together they take more than five minutes. */
  all(tier) {
    const lint = tier === 'full' ? [this.check('lint', 'npm', ['run', '--silent', 'lint'])] : []
    return Promise.all([
      this.types(),
      ...lint,
      this.check('budget of dependencies', 'node', ['scripts/budget.js']),
    ])
  }

  /** Types as a whole, lint of these files. */
  ofFiles(files) {
    const linted =
      files.length > 0
        ? [this.check('lint', bin('biome'), ['check', '--no-errors-on-unmatched', ...files])]
        : []
    return Promise.all([this.types(), ...linted, this.check('clocks', 'node', ['scripts/clocks.js'])])
  }

  types() {
    return this.check('types', process.execPath, [TYPES, '-p', '.'])
  }

  async check(name, command, args) {
    const started = Date.now()
    const code = await run(command, args)
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name} (${seconds}s)`)
    if (code === 0) this.passed++
    else this.failures.push(`${name}: its output is above`)
  }
}
