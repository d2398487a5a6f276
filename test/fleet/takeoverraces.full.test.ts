/** Takeover while Cluster API is at work: whatever it is about to ask for, and wherever our process dies. */

import { expect, it } from 'vitest'
import type { UpstreamRequest } from '../../packages/simulators/src/clusterapi/upstreamclient.ts'
import { patience } from '../patience.ts'
import { manifest, sources, yaml } from './setstory.ts'
import { TakeoverStory } from './takeoverstory.ts'

const CLUSTERS = ['c1', 'c2']
const config = (name: string) => manifest('ConfigMap', name, { data: { v: '1' } })
/** Every so many-eth request; each of them in the deep run. */
const STEP = process.env.LOCKSTEP_EVERY_WRITE ? 1 : 4

/** Holds the `n`-th request that Cluster API makes for the set. */
class Gate {
  seen = 0
  isHeld = false
  private open: () => void = () => {}
  private readonly n: number

  constructor(n: number) {
    this.n = n
  }

  readonly hold = (_: UpstreamRequest): Promise<void> | undefined => {
    this.seen++
    if (this.seen !== this.n) return undefined
    this.isHeld = true
    return new Promise((resolve) => {
      this.open = resolve
    })
  }

  release(): void {
    this.isHeld = false
    this.open()
  }
}

it.each(['ApplyOnce', 'Reconcile'])(
  '%s: between any two requests of Cluster API nothing of ours comes before its word, and no object is written twice',
  { timeout: patience(240_000) },
  async (strategy) => {
    let isOver = false
    let played = 0
    for (let n = 1; !isOver; n += STEP) {
      const gate = new Gate(n)
      const story = await TakeoverStory.with(`race-${strategy}-${n}`, '1.9', CLUSTERS, { hold: gate.hold })
      await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
      await story.set('crs1', sources('a'), { strategy })
      isOver = !(await story.until(() => gate.isHeld, 30))
      await story.takeOver('crs1')
      await story.pass(3)
      const word = () => story.condition('crs1', 'Paused').startsWith('True')
      const isHeld = gate.isHeld
      if (isHeld && !word()) expect(CLUSTERS.flatMap((c) => story.writes(c))).toEqual([])
      gate.release()
      expect(await story.until(() => story.isTaken('crs1') && story.isApplied('crs1', CLUSTERS), 90)).toBe(
        true,
      )
      await story.pass(60)
      for (const c of CLUSTERS)
        for (const name of ['x', 'y']) {
          const writes = story.fleet.commits.filter(
            (w) => w.cluster === c && w.resource === 'configmaps' && w.key === `default/${name}`,
          )
          expect(writes.map((w) => w.verb)).toEqual(['create'])
        }
      story.upstream.kill()
      story.manager.stop()
      played++
    }
    expect(played).toBeGreaterThan(4)
  },
)

it('killed at any of its requests to the hub, the next process ends alike: nothing is applied twice', {
  timeout: patience(240_000),
}, async () => {
  let isOver = false
  let deaths = 0
  for (let n = 1; !isOver; n += STEP) {
    const story = await TakeoverStory.with(`death-${n}`, '1.9', CLUSTERS)
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    await story.appliedUpstream('crs1', sources('a'), 'Reconcile', CLUSTERS)
    const from = story.fleet.commits.length
    const dead = story.dieAt(n)
    await story.takeOver('crs1')
    isOver = !(await story.until(() => dead() || story.isTaken('crs1'), 60)) || !dead()
    story.restart()
    expect(await story.until(() => story.isTaken('crs1'), 120)).toBe(true)
    await story.pass(120)
    expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], []])
    expect(story.isApplied('crs1', CLUSTERS)).toBe(true)
    story.upstream.kill()
    story.manager.stop()
    deaths++
  }
  expect(deaths).toBeGreaterThan(2)
})
