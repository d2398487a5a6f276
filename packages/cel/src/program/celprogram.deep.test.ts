/** The time that expressions take. */
import { describe, expect, it } from 'vitest'
import { list } from '../value/celvalue.ts'
import { billion, comparisons, growing, growth, program } from './celprogram.cases.ts'
import { freshBudget } from './celprogram.ts'
import { anything } from './celschema.ts'

/** CPU milliseconds of the shortest of some runs: other work of the machine must not count. */
function shortest(runs: number, run: () => void): number {
  const times = Array.from({ length: runs }, () => {
    const start = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

describe('limits', () => {
  it('stops in time', () => {
    const p = program(billion)
    expect(shortest(5, () => p.evaluate({}, freshBudget()))).toBeLessThan(200)
  })

  it('matches patterns in linear time', () => {
    const p = program(`'${'a'.repeat(40)}!'.matches('^(a+)+$')`)
    expect(shortest(5, () => p.evaluate({}, freshBudget()))).toBeLessThan(5)
  })

  it('fills lists in place: a map over many elements is linear', () => {
    const p = program('self.map(x, x + 1).size()', { self: anything })
    const self = list(Array.from({ length: 30_000 }, (_, i) => BigInt(i)))
    expect(shortest(3, () => p.evaluate({ self }, freshBudget()))).toBeLessThan(200)
  })

  it.each(growing)('bounds %s', (_, start, step) => {
    const p = growth(start, step)
    expect(shortest(1, () => p.evaluate({}, freshBudget()))).toBeLessThan(2000)
  })

  it('stops who compares large lists again and again', () => {
    const p = comparisons()
    const self = list(Array.from({ length: 30_000 }, () => 1n))
    expect(shortest(1, () => p.evaluate({ self }, freshBudget()))).toBeLessThan(5000)
  })
})
