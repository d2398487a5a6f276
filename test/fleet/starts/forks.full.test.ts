/** A fork behaves as the fleet that it was forked from: 30 simulations, from a fork and from a delivery. */
import { describe, expect, it } from 'vitest'
import { restartCases } from './forks.cases.ts'
import { CHANGES, objectsOf, SUBJECTS } from './forksubjects.ts'
import { delivered, forked } from './start.ts'

restartCases(SUBJECTS.filter(({ isLarge }) => isLarge))

describe.each(SUBJECTS)('a fork of $name', (subject) => {
  it.each(CHANGES)('ends with the objects of a delivery after %s', async (_, change) => {
    const ends: string[][] = []
    for (const begin of [delivered, forked]) {
      const story = await begin(subject.state, 'start')
      await change(story, subject)
      await story.pass(900)
      expect(story.fleet.oracles.violations).toEqual([])
      ends.push(objectsOf(story))
    }
    expect(ends[1]).toEqual(ends[0])
  })
})
