/** Many Modules on three clusters, each with a dependency on the one before it. */
import { configManifest } from '../steps.ts'
import { ready, type StartState } from './start.ts'

export const THREE: readonly string[] = ['c1', 'c2', 'c3']

export interface ManyModules extends StartState {
  readonly names: readonly string[]
}

export function manyModules(count: number): ManyModules {
  const names = Array.from({ length: count }, (_, i) => `m${String(i).padStart(2, '0')}`)
  return {
    names,
    clusters: THREE,
    async deliver(story) {
      for (const [i, m] of names.entries()) {
        await story.config(m, configManifest(m, '1'))
        await story.module(m, m, i === 0 ? {} : { dependsOn: [names[i - 1]!] })
      }
      await ready(story, ...names)
    },
  }
}
