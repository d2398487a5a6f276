/** How properties run: on the seeds of `test/seeds.json`, then on as many random inputs as the tier asks for. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { rowToAdd, seedsOfTest } from './seeds.ts'
import { RUNS } from './tier.ts'

/** fast-check prints the seed and the path of what fails; `LOCKSTEP_SEED` tries other inputs. */
export const SEED = Number(process.env.LOCKSTEP_SEED ?? 20_261)

interface Options<T> {
  /** For a property whose inputs are expensive: the part of the tier's inputs that it runs on. */
  readonly part?: number
  readonly examples?: T[]
}

/** Inputs of a property that runs on a part of the tier's inputs. */
export const inputsOf = (part = 1): number => Math.max(1, Math.ceil(RUNS * part))

/** Throws with the row to add to `test/seeds.json` if the property fails. */
export function assertProperty<T>(property: fc.IProperty<T>, options: Options<T> = {}): void {
  for (const run of runsOf(options)) report(fc.check(property, run))
}

/** The same for a property that waits. */
export async function assertAsyncProperty<T>(
  property: fc.IAsyncProperty<T>,
  options: Options<T> = {},
): Promise<void> {
  for (const run of runsOf(options)) report(await fc.check(property, run))
}

function runsOf<T>({ part = 1, examples = [] }: Options<T>): fc.Parameters<T>[] {
  const numRuns = inputsOf(part)
  const known = seedsOfTest().map(({ seed, path }) => {
    const replay = path === undefined ? { numRuns } : { numRuns: 1, path, endOnFailure: true }
    return { ...replay, seed: Number(seed) }
  })
  return [...known, { numRuns, seed: SEED, examples }]
}

function report<T>(details: fc.RunDetails<T>): void {
  if (!details.failed) return
  const message = fc.defaultReportMessage(details) ?? 'the property failed'
  throw new Error(`${message}\n${rowToAdd(details.seed, details.counterexamplePath)}`, {
    cause: details.errorInstance,
  })
}

const NEGLIGIBLE = 1e-6

/**
 * Asserts that random inputs reach what a property is about. `share`: part of the inputs that reaches it at least; half of it is
 * asserted, and nothing where so few inputs may reach nothing.
 */
export function expectSeen(count: number, share: number, inputs = RUNS): void {
  const none = (1 - share) ** inputs
  if (none < NEGLIGIBLE) expect(count).toBeGreaterThan((inputs * share) / 2)
  else process.stdout.write(`\nnot asserted at ${inputs} inputs: ${expect.getState().currentTestName}\n`)
}
