/** Seeds that once broke a test. A test replays its rows of `test/seeds.json` before anything else; a row stays as long as its test. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect } from 'vitest'
import { TIER } from './tier.ts'

interface SeedRow {
  readonly file: string
  /** Full name of the test, with ` > ` between its parts. */
  readonly name: string
  /** A number of fast-check, or the name of a simulation such as `rollout-104220`. */
  readonly seed: number | string
  /** Place of fast-check's counterexample; without it the property runs on all inputs of the seed. */
  readonly path?: string
  /** Tier or commit in which the seed broke the test. */
  readonly found: string
  readonly note: string
}

const rows: readonly SeedRow[] = JSON.parse(readFileSync(new URL('./seeds.json', import.meta.url), 'utf8'))

function currentTest(): Pick<SeedRow, 'file' | 'name'> {
  const { testPath = '', currentTestName = '' } = expect.getState()
  return { file: relative(process.cwd(), testPath), name: currentTestName }
}

/** Seeds that a longer tier or a commit of the past found are too many for the short one: their faults have tests of their own. */
const isPlayed = ({ found }: SeedRow): boolean => TIER !== 'short' || found === 'short'

/** Rows of the test that runs. Only for tests that do not run concurrently: vitest knows one current test. */
export function seedsOfTest(): readonly SeedRow[] {
  const { file, name } = currentTest()
  return rows.filter((r) => r.file === file && r.name === name && isPlayed(r))
}

/** Seeds of a simulation: first the rows of the test that runs, then the given seeds. */
export const withKnownSeeds = (seeds: readonly string[]): string[] => [
  ...new Set([...seedsOfTest().map((r) => String(r.seed)), ...seeds]),
]

/** The line that a failing run prints. */
export function rowToAdd(seed: number | string, path?: string | null): string {
  const place = path ? { path } : {}
  const row: SeedRow = { ...currentTest(), seed, ...place, found: TIER, note: '' }
  return `add to test/seeds.json: ${JSON.stringify(row)}`
}
