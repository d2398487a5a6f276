/** A Git repository of which each Module sees a commit with its own poll: one commit for all paths. No git runs. */
import { sha256Hex } from '../../packages/kube/src/object/index.ts'
import type { GitSource } from '../../packages/lockstep/src/api/kinds/module/sourcespec.ts'
import { fault } from '../../packages/lockstep/src/sources/intake/sourcefailure.ts'
import type { Requester } from '../../packages/lockstep/src/sources/intake/sourcepoller.ts'
import type { UpstreamSources } from '../../packages/lockstep/src/sources/intake/upstreams.ts'

/** By path. */
type Files = Readonly<Record<string, string>>

const NO_CHARTS = {
  state: 'Failed',
  failure: fault('SourceUnreachable', { because: 'Error', error: 'there are no charts' }),
} as const

const commitOf = (files: Files): string => sha256Hex(JSON.stringify(files)).slice(0, 40)

export class PolledRepository {
  private head: Files
  /** Head at the last poll, by Module. */
  private readonly polled = new Map<string, Files>()
  private readonly byCommit = new Map<string, Files>()
  private wake: (who: string) => void = () => {}

  constructor(files: Files) {
    this.head = files
    this.byCommit.set(commitOf(files), files)
  }

  /** No Module sees it before its poll. */
  push(files: Files): void {
    this.head = files
    this.byCommit.set(commitOf(files), files)
  }

  /** `module`: name of a Module that has read the repository. */
  poll(module: string): void {
    const who = [...this.polled.keys()].find((id) => id.endsWith(`/${module}`))
    if (who === undefined) throw new Error(`Module ${module} does not read the repository`)
    this.polled.set(who, this.head)
    this.wake(who)
  }

  /** For one process of controllers. */
  readonly open = (wake: (who: string) => void): UpstreamSources => {
    this.wake = wake
    const text = ({ path = '' }: GitSource, commit: string): string => this.byCommit.get(commit)?.[path] ?? ''
    return {
      idle: true,
      forget: (who) => void this.polled.delete(who),
      close: async () => {},
      commit: (_git, { who }: Requester) => {
        const seen = this.polled.get(who) ?? this.head
        this.polled.set(who, seen)
        return { state: 'Known', value: { commit: commitOf(seen), label: 'main' } }
      },
      tree: (git, { commit }) => {
        const bytes = new TextEncoder().encode(text(git, commit))
        return { state: 'Known', value: { files: [{ path: 'all.yaml', bytes }], warnings: [] } }
      },
      kustomized: (git, { commit }) => ({ state: 'Known', value: { text: text(git, commit), warnings: [] } }),
      templated: () => NO_CHARTS,
      chart: () => NO_CHARTS,
      chartTree: () => NO_CHARTS,
    }
  }
}
