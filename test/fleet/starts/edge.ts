/** One cluster `edge` with Module x: ConfigMap x, whose value is `ours`. */
import { configManifest } from '../steps.ts'
import { ready, type StartState } from './start.ts'

export const edge: StartState = {
  clusters: ['edge'],
  async deliver(story) {
    await story.config('x', configManifest('x', 'ours'))
    await story.module('x', 'x')
    await ready(story, 'x')
  },
}
