/** ClusterResourceSets while one of them is slow: whoever has nothing to do with it is not kept waiting. */
import { expect, it } from 'vitest'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { config, isInSync, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'

const named = (n: number): string[] => Array.from({ length: n }, (_, i) => `c${i}`)

async function withSets(
  name: string,
  clusters: readonly string[],
  strategy: string,
  sets: readonly string[],
) {
  const story = await SetStory.open(name, clusters)
  for (const s of sets) {
    await story.source(`a-${s}`, { 'a.yaml': yaml(config(s)) })
    const annotations = { [SET.maxUnavailable]: '100%' }
    await story.set(s, sources(`a-${s}`), { strategy, annotations })
  }
  const isDone = (s: string) =>
    strategy === 'Continuous' ? isInSync(story, s) : story.isApplied(s, clusters)
  expect(await story.until(() => sets.every(isDone), 300)).toBe(true)
  await story.pass(60)
  return story
}

const changed = (story: SetStory, set: string, v: string) =>
  story.source(`a-${set}`, { 'a.yaml': yaml(config(set, v)) })

/** A webhook takes a minute over whatever is written to an object of this name. */
function slowOver(story: SetStory, clusters: readonly string[], name: string): void {
  const { env } = story.fleet
  for (const c of clusters)
    env.net.wire(`https://${c}.test`, {
      before: async ({ method, path }) => {
        if (method !== 'GET' && path.includes(`/configmaps/${name}`)) await sleep(env.clock, 60_000)
        return undefined
      },
    })
}

it.each(['Reconcile', 'Continuous'])(
  '%s: a webhook that takes a minute over one set, everywhere, keeps no other set waiting for a second',
  async (strategy) => {
    // More than there are workers.
    const clusters = named(34)
    const story = await withSets(`slow ${strategy}`, clusters, strategy, ['slow', 'quick'])
    const everywhere = (v: string) => () => clusters.every((c) => valueOn(story, c, 'quick') === v)
    const seconds = async (v: string): Promise<number> => {
      const from = story.fleet.env.clock.steady()
      await changed(story, 'quick', v)
      expect(await story.until(everywhere(v), 300)).toBe(true)
      return (story.fleet.env.clock.steady() - from) / 1000
    }
    const alone = await seconds('2')
    slowOver(story, clusters, 'slow')
    await changed(story, 'slow', '2')
    await story.pass(10)
    expect(await seconds('3')).toBeLessThanOrEqual(alone + 1)
    // None of the slow ones is written yet.
    expect(clusters.some((c) => valueOn(story, c, 'slow') === '2')).toBe(false)
  },
  120_000,
)
