/** A Git repository that modules are made of, where no git runs: one text for each path, whatever the reference. */

import { sha256Hex } from '../../packages/kube/src/object/index.ts'
import type { GitSource } from '../../packages/lockstep/src/api/kinds/module/sourcespec.ts'
import { fault } from '../../packages/lockstep/src/sources/intake/sourcefailure.ts'
import type { Requester } from '../../packages/lockstep/src/sources/intake/sourcepoller.ts'
import type { UpstreamSources } from '../../packages/lockstep/src/sources/intake/upstreams.ts'

const NO_CHARTS = {
  state: 'Failed',
  failure: fault('SourceUnreachable', { because: 'Error', error: 'there are no charts' }),
} as const

/** Outlives the processes that ask it. */
export class SimSources {
  private readonly texts = new Map<string, string>()
  private readonly askers = new Set<string>()
  private wake: (who: string) => void = () => {}

  /** Pushed; whoever has asked is told at once. */
  push(path: string, text: string): void {
    this.texts.set(path, text)
    for (const who of this.askers) this.wake(who)
  }

  /** For one process of controllers. */
  readonly open = (wake: (who: string) => void): UpstreamSources => {
    this.wake = wake
    const text = (git: GitSource): string => this.texts.get(git.path ?? '') ?? ''
    return {
      idle: true,
      forget: (who) => void this.askers.delete(who),
      close: async () => {},
      commit: (git, { who }: Requester) => {
        this.askers.add(who)
        const said = JSON.stringify([git.ref, text(git)])
        return { state: 'Known', value: { commit: sha256Hex(said).slice(0, 40), label: 'main' } }
      },
      tree: (git) => {
        const bytes = new TextEncoder().encode(text(git))
        return { state: 'Known', value: { files: [{ path: 'all.yaml', bytes }], warnings: [] } }
      },
      kustomized: (git) => ({ state: 'Known', value: { text: text(git), warnings: [] } }),
      templated: () => NO_CHARTS,
      chart: () => NO_CHARTS,
      chartTree: () => NO_CHARTS,
    }
  }
}
