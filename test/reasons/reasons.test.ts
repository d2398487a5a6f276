/** The check of the reasons that the tests of a run have created and ended. */
import { expect, it } from 'vitest'
import { problemsOf } from '../../scripts/test/reasons.js'

it('names reasons without a test, and excuses that are over', () => {
  const seen = new Set(['created Held', 'ended Held', 'created Halted'])
  const excused = [
    { reason: 'Held', not: ['ended'], because: 'x' },
    { reason: 'ClockSkew', not: ['created', 'ended'], because: 'x' },
    { reason: 'Gone', not: ['created'], because: 'x' },
  ]
  expect(problemsOf(['Held', 'Halted', 'ClockSkew'], seen, excused)).toEqual([
    'test/reasons/unseen.json: Gone is not a reason',
    'test/reasons/unseen.json: Held is ended by a test: remove it from the list',
    'reason Halted: ended by no test',
  ])
})
