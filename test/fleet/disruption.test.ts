/** DisruptionBudgets where a cluster is disrupted by itself. Everything else about them: disruption.full.test.ts. */
import { describe, expect, it } from 'vitest'
import { budget, readyText, seeBudget } from './budgets.ts'
import { FIVE, pairOn } from './starts/pair.ts'
import { forked } from './starts/start.ts'
import type { Story } from './steps.ts'

const begun = (name: string, clusters: readonly string[]): Promise<Story> =>
  forked(pairOn(clusters.length), name)

describe('two modules and one budget', () => {
  it('what is unwell by itself takes a place, and says so; whoever repairs it needs none', async () => {
    const story = await begun('DB unwell', ['c0', 'c1', 'c2'])
    await budget(story, 'all', { minAvailable: 2 })
    const failure = { image: 'web:1', outcome: 'CrashLoop' } as const
    story.fleet.clusters.get('c1')!.world.fail(failure)
    expect(await story.until(() => seeBudget(story, 'all').status?.use === '1/1')).toBe(true)
    await story.module('db', 'db-2', FIVE)
    await story.pass(60)
    // Where it is down already it starts, and waits for nobody.
    expect(story.see('db').status?.clusters).toMatchObject({ updated: 1, waiting: 2 })
    expect(story.blockers('db')).toContain(
      'DisruptionBudget: DisruptionBudget all 1/1 (c1) reached: 2 clusters queued',
    )
    expect(readyText(seeBudget(story, 'all'))).toBe('1/1 (c1) disrupted, of 3 clusters')
    expect(seeBudget(story, 'all').status?.waiters?.map((w) => w.module)).toEqual(['Module/db'])
    story.fleet.clusters.get('c1')!.world.heal(failure)
    expect(await story.until(() => story.isReady('db'), 300)).toBe(true)
    await story.pass(5)
    expect(seeBudget(story, 'all').status).not.toHaveProperty('waiters')
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a cluster that cannot be reached takes a place until it is back', async () => {
    const story = await begun('DB silent', ['c0', 'c1', 'c2'])
    await budget(story, 'all', { maxUnavailable: 1 })
    const { api } = story.fleet.clusters.get('c1')!
    story.fleet.env.net.unserve('https://c1.test')
    story.fleet.env.net.wire('https://c1.test', undefined)
    expect(await story.until(() => seeBudget(story, 'all').status?.use === '1/1', 400)).toBe(true)
    await story.module('web', 'web-2', { rollout: { ...FIVE.rollout, maxUnreachable: '100%' } })
    await story.pass(30)
    expect(story.blockers('web')).toContain(
      'DisruptionBudget: DisruptionBudget all 1/1 (c1) reached: 2 clusters queued',
    )
    story.fleet.env.net.serve('https://c1.test', api.handle)
    expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
