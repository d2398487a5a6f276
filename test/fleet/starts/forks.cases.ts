/** A start state survives a restart of everything that stores nothing: forks rely on that. */
import { describe, expect, it } from 'vitest'
import { objectsOf, requestsOf, type Subject } from './forksubjects.ts'
import { delivered, forked } from './start.ts'

/**
 * A process sends these when it starts: they open its watches, and write Events that a former leader may not have written in the
 * last hour.
 */
const OPENING = ['discover', 'list', 'watch', 'event']

const total = (requests: ReadonlyMap<string, number>, without: readonly string[] = []): number =>
  [...requests].reduce((sum, [verb, n]) => (without.includes(verb) ? sum : sum + n), 0)

export function restartCases(subjects: readonly Subject[]): void {
  describe.each(subjects)('a fork of $name', ({ state }) => {
    it('is at rest: new controllers and simulators write nothing', async () => {
      const story = await forked(state, 'rest')
      const [from, objects] = [story.fleet.commits.length, objectsOf(story)]
      await story.pass(300)
      expect(story.fleet.commits.slice(from)).toEqual([])
      expect(objectsOf(story)).toEqual(objects)
      expect(story.fleet.oracles.violations).toEqual([])
    })

    it('sends at most 5 % of the requests of its delivery beside those of a start', async () => {
      const whole = total(requestsOf(await delivered(state, 'whole')))
      const sent = requestsOf(await forked(state, 'requests'))
      expect(total(sent, OPENING)).toBeLessThanOrEqual(whole * 0.05)
      expect(total(sent)).toBeLessThan(whole)
    })
  })
}
