/** Somebody takes `cluster.x-k8s.io/paused` off while Lockstep applies: it stops, holds Cluster API off again, and goes on. */
import { expect, it } from 'vitest'
import {
  CAPI_PAUSED,
  PAUSED_BY_US,
  SET,
} from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { config, valueOn } from './setsinsync.ts'
import { sources, yaml } from './setstory.ts'
import { TakeoverStory } from './takeoverstory.ts'

const CLUSTERS = ['c1', 'c2']
const NAMES = Array.from({ length: 20 }, (_, i) => `n${i}`)
const SLOW_MS = 300

/** Clusters that one of our writes has been sent to, each time; every one of them takes its time. */
function slowWrites(story: TakeoverStory): string[] {
  const begun: string[] = []
  const { net, clock } = story.fleet.env
  for (const c of CLUSTERS)
    net.wire(`https://${c}.test`, {
      before: async ({ method, headers }) => {
        if (method === 'GET' || !String(headers['user-agent'] ?? '').startsWith('lockstep')) return undefined
        begun.push(c)
        await new Promise<void>((resolve) => clock.at(clock.steady() + SLOW_MS, resolve))
        return undefined
      },
    })
  return begun
}

// What upstream sees of the set is late, so that it would not be heard to heed the pause by chance.
const LATE = { lagMs: (what: string) => (what === 'clusterresourcesets' ? 3000 : 0) }

it.each(['ApplyOnce', 'Reconcile'])(
  '%s: at most one more request a cluster, the pause is back, and in the end there is one content, whole',
  async (strategy) => {
    const story = await TakeoverStory.with(`pause-amid-${strategy}`, '1.13', CLUSTERS, LATE)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.appliedUpstream('crs1', sources('a'), strategy, CLUSTERS)
    await story.takeOver('crs1')
    expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
    await story.pass(10)
    const begun = slowWrites(story)
    const fresh = NAMES.map((n) => config(n))
    if (strategy === 'Reconcile') await story.source('a', { 'a.yaml': yaml(config('x', '2'), ...fresh) })
    else {
      await story.source('b', { 'b.yaml': yaml(...fresh) })
      const annotations = { [SET.managed]: 'true', [CAPI_PAUSED]: PAUSED_BY_US }
      await story.set('crs1', sources('a', 'b'), { strategy, annotations })
    }
    expect(await story.until(() => begun.length > 5, 30)).toBe(true)
    const before = begun.length
    await story.annotate('crs1', { [CAPI_PAUSED]: null })
    expect(await story.until(() => story.pauseOf('crs1') === PAUSED_BY_US, 5)).toBe(true)
    // Nothing goes on before Cluster API has answered once more, which takes it seconds here.
    await story.pass(1)
    const more = begun.slice(before)
    for (const c of CLUSTERS) expect(more.filter((b) => b === c).length).toBeLessThanOrEqual(1)
    const isWhole = () => CLUSTERS.every((c) => NAMES.every((n) => valueOn(story, c, n) === '1'))
    expect(await story.until(() => isWhole() && story.said('crs1').startsWith('True/'), 60)).toBe(true)
    expect(story.isTaken('crs1')).toBe(true)
    for (const c of CLUSTERS) expect(valueOn(story, c, 'x')).toBe(strategy === 'Reconcile' ? '2' : '1')
  },
)
