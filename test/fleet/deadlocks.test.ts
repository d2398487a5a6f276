/** Units that wait for each other: reported with the whole ring, and ended by each way out that is proposed. */
import { describe, expect, it } from 'vitest'
import { conditions, pairOfDeadlock, put } from './deadlockstory.ts'

describe('a deadlock', () => {
  it('of a deselected dependency and the next release: ends by a change of the dependent', async () => {
    const story = await pairOfDeadlock('deadlock deselected')
    const edge = { on: 'a', release: 'Any' } as const
    await put(story, 'b', { release: 'r1', dependsOn: [edge] })
    expect(await story.until(() => story.isReady('b'))).toBe(true)
    await put(story, 'a', { release: 'r1', targets: { clusters: ['c2'] } })
    await put(story, 'b', { release: 'r2', dependsOn: [edge] })
    expect(
      await story.until(() => ['a', 'b'].every((m) => conditions(story, m) === 'FFT Deadlock'), 70),
    ).toBe(true)
    expect(story.blockers('b')[0]).toBe(
      'Deadlock: b@c1 → a@c1 → b@c1: b waits for a (DependencyNotSelected), a for b (DependentsRemain); remove a from spec.dependsOn of b, or set optional: true on the dependency a of b',
    )
    expect(story.blockers('a')[0]).toMatch(
      /^Deadlock: a@c1 → b@c1 → a@c1: a waits for b \(DependentsRemain\)/,
    )
    await put(story, 'b', { release: 'r2', dependsOn: [{ ...edge, optional: true }] })
    expect(await story.until(() => story.isReady('a') && story.isReady('b'), 60)).toBe(true)
    expect(story.live('c1', 'configmaps', 'a')).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is reported for no wait of less than 30 seconds, and ends with the first of its waits', async () => {
    const story = await pairOfDeadlock('deadlock begins')
    await story.deleteModule('a')
    await put(story, 'b', { release: 'r2', dependsOn: ['a'] })
    await story.pass(29)
    expect(story.blockers('b')).toEqual([expect.stringMatching(/^DependencyDeleting/)])
    expect(await story.until(() => conditions(story, 'a') === 'FFT Deadlock', 41)).toBe(true)
    await put(story, 'b', { release: 'r2' })
    const { store } = story.manager.hub.modules
    const isGone = () => store.get({ namespace: 'platform', name: 'a' }) === undefined
    expect(await story.until(() => story.isReady('b', 'r2') && isGone(), 30)).toBe(true)
  })
})
