/** Modules web and db at version 1 on some clusters, five at once; version 2 can be published. */
import { LIFELIKE } from '../../../packages/simulators/src/world/startworld.ts'
import { deploymentManifest } from '../steps.ts'
import { ready, type StartState } from './start.ts'

export const FIVE = { rollout: { strategy: 'Replace', maxUnavailable: 5 } }

const made = new Map<number, StartState>()

/** One state per number of clusters: a state is delivered once. */
export function pairOn(many: number): StartState {
  const known = made.get(many) ?? pair(many)
  made.set(many, known)
  return known
}

const pair = (many: number): StartState => ({
  clusters: Array.from({ length: many }, (_, i) => `c${i}`),
  options: { delays: LIFELIKE },
  async deliver(story) {
    for (const m of ['web', 'db'])
      for (const v of [1, 2]) await story.config(`${m}-${v}`, deploymentManifest(m, `${m}:${v}`))
    for (const m of ['web', 'db']) await story.module(m, `${m}-1`, FIVE)
    await ready(story, 'web', 'db')
  },
})
