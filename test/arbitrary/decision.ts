/** What every decision has to hold on any input: it answers, it answers the same again, and it changes nothing. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { assertProperty } from '../property.ts'

/**
 * Asks `decide` about many random inputs, each of them twice. Whatever it was given is sealed, so that a change of it
 * throws. `rules` say by name what else has to hold of an input and its answer; all look at the same inputs, since making
 * them is most of the work.
 */
export function decidesAlike<I, O>(
  inputs: fc.Arbitrary<I>,
  decide: (input: I) => O,
  rules: Readonly<Record<string, (input: I, output: O) => void>>,
): void {
  assertProperty(
    fc.property(inputs, (given) => {
      const input = sealed(given)
      const first = decide(input)
      if (!isDeepStrictEqual(decide(input), first)) throw new Error('asked again, it decides otherwise')
      for (const [name, rule] of Object.entries(rules)) obeys(name, () => rule(input, first))
    }),
  )
}

function obeys(name: string, rule: () => void): void {
  try {
    rule()
  } catch (e) {
    throw new Error(`not so: ${name}: ${(e as Error).message}`, { cause: e })
  }
}

/** The answer to the same things in another order is the same answer. */
export function sameAnswer(first: unknown, second: unknown): void {
  if (!isDeepStrictEqual(first, second))
    throw new Error(
      `in another order it decides otherwise: ${fc.stringify(first)} and ${fc.stringify(second)}`,
    )
}

/** A list in an order that `n` determines. */
export function shuffled<T>(list: readonly T[], n: number): T[] {
  const out = [...list]
  let state = n + 1
  for (let i = out.length - 1; i > 0; i--) {
    state = (state * 48_271) % 2_147_483_647
    const j = state % (i + 1)
    ;[out[i], out[j]] = [out[j]!, out[i]!]
  }
  return out
}

/** Freezes in depth, maps and sets too. */
function sealed<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map) for (const [k, v] of value) [k, v].forEach(sealed)
  if (value instanceof Set) for (const v of value) sealed(v)
  if (value instanceof Map || value instanceof Set)
    for (const change of ['set', 'add', 'delete', 'clear'])
      Object.defineProperty(value, change, { value: () => refuse(change) })
  Object.freeze(value)
  for (const child of Object.values(value)) sealed(child)
  return value
}

function refuse(change: string): never {
  throw new TypeError(`${change} on what was only lent`)
}
