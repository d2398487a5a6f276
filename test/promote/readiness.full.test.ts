/** Environments that are ready with a part of their clusters. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

describe('P7: of three clusters two are enough', () => {
  it('one that is gone keeps nothing from starting, and two stop the deadline', async () => {
    const clusters = ['asia', 'eu', 'us']
    const story = await PipelineStory.open('identity/two-of-three', { clusters })
    await story.runs('dev', '1.0.0')
    for (const cluster of clusters) await story.runs('staging', '1.0.0', { cluster })
    const promotion = { pullRequest: { autoMerge: true }, convergeDeadlineSeconds: 300 }
    await story.pipeline({ dev: {}, staging: { promotion, clusters, readiness: { minReady: 2 } } })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    const { net } = story.fleet.env
    const cut = (cluster: string) => {
      net.unserve(`https://${cluster}.test`)
      net.cut(`https://${cluster}.test`)
    }
    cut('eu')
    await story.pass(120)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    cut('us')
    await story.pass(900)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Converging', ['TargetUnreachable']])
    net.serve('https://us.test', story.fleet.clusters.get('us')!.api.handle)
    for (const cluster of ['asia', 'us']) await story.runs('staging', '2.0.0', { cluster })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    // A cluster that returns with its old revision is not a rollback: no Hold.
    net.serve('https://eu.test', story.fleet.clusters.get('eu')!.api.handle)
    await story.pass(300)
    expect([story.holds(), story.environment('staging')?.blockers?.[0]?.reason]).toEqual([
      [],
      'RevisionsDiffer',
    ])
  })
})
