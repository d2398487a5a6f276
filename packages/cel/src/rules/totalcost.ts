import { MOST } from '../cost/costrange.ts'
import type { CelSchema } from '../program/celschema.ts'

/** What an expression of a schema may cost by estimate, and all of a schema together. */
export const RULE_LIMIT = 10_000_000n
export const SCHEMA_LIMIT = 100_000_000n

const REQUEST_BYTES = 3n * 1024n * 1024n
const MOST_NAMED = 4

/**
 * How many values of a part of the schema there can be in one object: the product of the limits above it. Undefined where
 * one of them has no limit.
 */
export function childCount(
  count: bigint | undefined,
  { type, additionalProperties, maxProperties, maxItems }: CelSchema,
): bigint | undefined {
  const limit =
    type === 'array' ? maxItems : type === 'object' && additionalProperties !== undefined ? maxProperties : 1
  return count === undefined || limit === undefined ? undefined : count * BigInt(Math.max(0, limit))
}

/** A rule runs once for each value; without a limit for as many as fit into a request. */
export function totalCost(once: bigint, count: bigint | undefined, smallest: number): bigint {
  const total = once * (count ?? REQUEST_BYTES / BigInt(smallest + 1))
  return total > MOST ? MOST : total
}

/** What is said of a cost beyond its limit, as kube-apiserver says it. */
export function costMessage(what: string, cost: bigint, limit: bigint): string {
  const ratio = Number(cost) / Number(limit)
  const factor =
    ratio > 100 ? 'more than 100x' : ratio < 1.5 ? `${ratio.toFixed(6)}x` : `${ratio.toFixed(1)}x`
  return `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

export interface Expense {
  readonly path: readonly (string | number)[]
  readonly cost: bigint
}

/** The most expensive ones, of those that take a hundredth of the limit or more. */
export function mostExpensive(all: readonly Expense[]): readonly Expense[] {
  const large = all.filter((e) => e.cost >= SCHEMA_LIMIT / 100n)
  return large.toSorted((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0)).slice(0, MOST_NAMED)
}
