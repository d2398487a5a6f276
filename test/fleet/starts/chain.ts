/** One cluster with Modules a (a Deployment), b, which needs a, and c, which needs b: all at release r1. */
import { LIFELIKE } from '../../../packages/simulators/src/world/startworld.ts'
import { configManifest, deploymentManifest } from '../steps.ts'
import { ready, type StartState } from './start.ts'

export const chain: StartState = {
  clusters: ['edge'],
  options: { delays: LIFELIKE },
  async deliver(story) {
    await story.config('a-1', deploymentManifest('a', 'a:1'))
    await story.config('b-1', configManifest('b', '1'))
    await story.config('c-1', configManifest('c', '1'))
    await story.module('a', 'a-1', { release: 'r1' })
    await story.module('b', 'b-1', { release: 'r1', dependsOn: ['a'] })
    await story.module('c', 'c-1', { release: 'r1', dependsOn: ['b'] })
    await ready(story, 'a', 'b', 'c')
  },
}
