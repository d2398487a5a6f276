/** How much of the tests a run plays. `test/config.ts` sets the variables that are read here; CONTRIBUTING.md lists the tiers. */

/** The short tier plays samples, the full tier whole tables, the deep tier every crash point too. */
export type Tier = 'short' | 'full' | 'deep' | 'real'

export const TIER = (process.env.LOCKSTEP_TIER ?? 'short') as Tier

/** Random inputs of a property: 60 in the short tier, 1,000 in the full tier, 10,000 in the deep tier. */
export const RUNS = Number(process.env.LOCKSTEP_RUNS ?? 100)

/** A crash at each write, not at a sample of the writes. */
export const EVERY_WRITE = process.env.LOCKSTEP_EVERY_WRITE === '1'

/** Rows of a table that a run plays: the first row of each rule in the short tier, all rows in the others. */
export function rowsOfTier<T>(rows: readonly T[], rule: (row: T) => string): readonly T[] {
  if (TIER !== 'short') return rows
  const rules = new Set<string>()
  return rows.filter((row) => {
    const name = rule(row)
    const isFirst = !rules.has(name)
    rules.add(name)
    return isFirst
  })
}
