/** Module web at version 1 on eight clusters, two canaries first; three other contents can be published. */
import { LIFELIKE } from '../../../packages/simulators/src/world/startworld.ts'
import { deploymentManifest } from '../steps.ts'
import { ready, type StartState } from './start.ts'

export const CLUSTERS = Array.from({ length: 8 }, (_, i) => `c${i}`)
const STAGES = [
  { name: 'canary', clusters: ['c0', 'c1'] },
  { name: 'rest', clusterSelector: {} },
]
export const ROLLOUT = { strategy: 'Staged', maxUnavailable: 2, stages: STAGES, onFailure: 'Rollback' }
export const OPTIONS = { rollout: ROLLOUT, health: { timeoutSeconds: 20 } }

const made = new Map<object, StartState>()

/** One state per rollout: a state is delivered once. */
export function eightWith(rollout: Readonly<Record<string, unknown>>): StartState {
  const known = made.get(rollout) ?? eight(rollout)
  made.set(rollout, known)
  return known
}

const eight = (rollout: Readonly<Record<string, unknown>>): StartState => ({
  clusters: CLUSTERS,
  options: { delays: LIFELIKE },
  async deliver(story) {
    for (const n of [1, 2, 3, 4]) await story.config(`v${n}`, deploymentManifest('web', `web:${n}`))
    await story.module('web', 'v1', { ...OPTIONS, rollout })
    await ready(story, 'web')
  },
})
