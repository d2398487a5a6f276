/** Module web with ConfigMap a at v1 on six clusters; v2 and v3 can be published. */
import { configManifest } from '../steps.ts'
import { ready, type StartState } from './start.ts'

export const stages: StartState = {
  clusters: Array.from({ length: 6 }, (_, i) => `c${i}`),
  async deliver(story) {
    for (const v of ['v1', 'v2', 'v3']) await story.config(v, configManifest('a', v))
    await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
    await ready(story, 'web')
  },
}
