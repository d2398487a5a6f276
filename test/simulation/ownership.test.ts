/** Random Modules that are edited and deleted while units hand objects over and processes die, without clusters (acceptance 35). */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertAsyncProperty, expectSeen, inputsOf } from '../property.ts'
import { TIER } from '../tier.ts'
import { modelInputs } from './ownership/modelinputs.ts'
import { runModel } from './ownership/runmodel.ts'

const MINUTES = 60_000
/** Half of the inputs take a second in the short tier. */
const PART = TIER === 'short' ? 1 / 2 : 1

it('an object that another unit keeps or uses keeps its uid, and nothing is left after all Modules are deleted', {
  timeout: 30 * MINUTES,
}, async () => {
  let handed = 0
  await assertAsyncProperty(
    fc.asyncProperty(modelInputs, async (input) => {
      const result = await runModel(input)
      expect(result.problems, result.trace.join('\n')).toEqual([])
      if (result.handed > 0) handed++
    }),
    { part: PART },
  )
  expectSeen(handed, 0.6, inputsOf(PART))
})
