/** A large bundle: its edges, its shortest cycle, and one order whatever the order of its objects. */
import { describe, expect, it } from 'vitest'
import { shuffled } from '../../../../../test/arbitrary/decision.ts'
import { namesOf, refusalOf } from '../../../../../test/order.ts'
import { bundle, cyclicBundle, graphOf, SHORT_CYCLE, STEP, WAVE, webhookBundle } from './large.cases.ts'

describe('5,000 objects have few edges', () => {
  it.each([
    ['in 200 waves', 200, WAVE],
    ['in 100 steps', 100, STEP],
    ['without waves', 0, WAVE],
  ])('%s: at most four an object', (_, waves, key) => {
    const objects = bundle(550, waves, key)
    expect(objects.length).toBe(5000)
    expect(graphOf(objects).needs.flat().length).toBeLessThanOrEqual(4 * objects.length)
  })

  it('with a webhook for all of them: at most five an object', () => {
    const objects = webhookBundle()
    expect(graphOf(objects).needs.flat().length).toBeLessThanOrEqual(5 * objects.length)
  })

  it('with two cycles: the shorter cycle is reported', () => {
    expect(refusalOf(cyclicBundle())).toContain(SHORT_CYCLE)
  })
})

it('the same order for 100 shuffles', () => {
  const objects = bundle(10, 4)
  const first = graphOf(objects)
  for (let n = 1; n <= 100; n++) {
    const other = graphOf(shuffled(objects, n))
    expect(namesOf(other)).toEqual(namesOf(first))
    expect(other.needs).toEqual(first.needs)
  }
})
