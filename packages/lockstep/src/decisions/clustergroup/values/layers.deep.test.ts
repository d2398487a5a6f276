/** The time that values files at the limits take. */
import { describe, expect, it } from 'vitest'
import { made, refusal } from '../clustergroup.cases.ts'
import { largestValues, noValuesFiles } from './layers.cases.ts'

describe('values files are read in time', () => {
  it.each(noValuesFiles)('%s', (_, text) => {
    const before = performance.now()
    refusal(text)
    expect(performance.now() - before).toBeLessThan(3000)
  })

  it('the largest', () => {
    const text = largestValues()
    const before = performance.now()
    expect(made(text).objects).toHaveLength(1600)
    expect(performance.now() - before).toBeLessThan(5000)
  })
})
