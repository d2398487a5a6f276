/** A ClusterResourceSet in Reconcile whose process dies amid an apply: what is there may be of either content, and nobody forgets it. */
import { expect, it } from 'vitest'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { spawn } from '../simulation/process.ts'
import { HeldWatches } from './heldwatches.ts'
import { config, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'

it('the source goes back to what was applied before while nobody is there: the cluster does, too', async () => {
  const story = await SetStory.open('set-begun', ['c1'])
  const source = (v: string) => story.source('a', { 'a.yaml': yaml(config('x', v), config('y', v)) })
  await source('1')
  await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
  expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
  story.manager.stop()
  // It dies once the cluster has taken the first object, before anything is written down of that.
  const crash = { write: 1, after: true, of: (r: NetRequest) => r.path.includes('/configmaps/x?') }
  const process = spawn(story.fleet.env, 'dies', { delayMs: 0, lossRate: 0, dropRate: 0, crash })
  story.manager = story.fleet.startController(process.env)
  await source('2')
  expect(await story.until(() => !process.alive, 60)).toBe(true)
  expect(valueOn(story, 'c1', 'x')).toBe('2')
  await source('1')
  story.manager = story.fleet.startController()
  expect(await story.until(() => valueOn(story, 'c1', 'x') === '1', 60)).toBe(true)
  expect(story.entry('c1', 'crs1')).toEqual(['ConfigMap/a applied'])
  await story.pass(5)
  const from = story.fleet.commits.length
  await story.pass(600)
  expect(story.writes('c1', from)).toEqual([])
})

it('a source whose owner a stale cache does not know survives the set all the same (D10)', async () => {
  const story = await SetStory.open('set-stale-owner', ['c1'])
  story.manager.stop()
  const network = new HeldWatches()
  story.manager = network.startController(story.fleet)
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.pass(5)
  network.hold('configmaps')
  await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
  expect(await story.until(() => story.isApplied('crs1', ['c1']), 30)).toBe(true)
  const source = () => story.fleet.objects('configmaps').find((o) => o.metadata.name === 'a')
  expect(source()?.metadata.ownerReferences).toHaveLength(1)
  await story.removeSet('crs1')
  expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
  await story.pass(60)
  expect(source()?.metadata.ownerReferences ?? []).toEqual([])
  expect(source()).toBeDefined()
})
