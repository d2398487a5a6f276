/** Modules web and db at version 1 on three or ten clusters, five at once; version 2 is there to be published. */
import { LIFELIKE } from '../../../src/apiserver/world/world.ts'
import { deploymentManifest } from '../steps.ts'
import { ready, type StartState } from './start.ts'

export const FIVE = { rollout: { strategy: 'Replace', maxUnavailable: 5 } }

const pairOn = (many: number): StartState => ({
  clusters: Array.from({ length: many }, (_, i) => `c${i}`),
  options: { delays: LIFELIKE },
  async deliver(story) {
    for (const m of ['web', 'db'])
      for (const v of [1, 2]) await story.config(`${m}-${v}`, deploymentManifest(m, `${m}:${v}`))
    for (const m of ['web', 'db']) await story.module(m, `${m}-1`, FIVE)
    await ready(story, 'web', 'db')
  },
})

export const pairOnThree = pairOn(3)
export const pairOnTen = pairOn(10)
