/** P7: nothing starts from an environment that cannot be read, and nothing is merged into one; `minReady` forgives some of its clusters. */

import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import type { Pipeline } from '../../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { sourceNames } from '../../../packages/lockstep/src/decisions/promotion/environmentdecision.ts'
import type { Outages } from './outages.ts'
import type { PipelinePlan } from './pipelineplan.ts'

/** Milliseconds: sources are read live before anything begins; one may take 30 s not to answer after others have, and a write its time. */
const BEGUN_MS = 45_000
/** A watch that is silent may be believed for a minute. */
const MERGED_MS = 70_000

export class Reach {
  readonly problems: string[] = []
  /** Decisions about an environment of which some cluster was out of reach. */
  tested = 0
  private readonly plan: PipelinePlan
  private readonly outages: Outages
  private readonly now: () => number
  private readonly epochs = new Map<string, number>()

  constructor(plan: PipelinePlan, outages: Outages, now: () => number) {
    this.plan = plan
    this.outages = outages
    this.now = now
  }

  see({ resource, actor, next }: CommitRecord): void {
    if (resource !== 'pipelines.lockstep.dev' || !next) return
    const { spec, status } = next as unknown as Pipeline
    for (const { name, intent } of status?.environments ?? []) {
      if (!intent || this.epochs.get(name) === intent.epoch) continue
      this.epochs.set(name, intent.epoch)
      // What somebody restored is not begun by it. A revision that is named, and the way back, need no source.
      if (actor !== 'lockstep' || intent.asked || intent.rollbackOf !== undefined) continue
      const index = spec.environments.findIndex((e) => e.name === name)
      for (const source of sourceNames(spec.environments, index))
        if (this.isLost(source, this.now(), BEGUN_MS))
          this.say(`epoch ${intent.epoch} of ${name} was begun from ${source}, which could not be read`)
    }
  }

  /** `merges`: by us, with the environments that they are of. */
  merged(merges: readonly { readonly at: number; readonly environment: string }[]): void {
    for (const { at, environment } of merges)
      if (this.isLost(environment, at, MERGED_MS))
        this.say(`we merged into ${environment}, which could not be read`)
  }

  private isLost(environment: string, at: number, afterMs: number): boolean {
    const { clusters = [], readiness } = this.plan.environments[environment]!
    const away = clusters.filter((c) => this.outages.isAway(c, at - afterMs, at))
    if (away.length === 0) return false
    this.tested++
    const { minReady = 'All' } = (readiness ?? {}) as { minReady?: number | 'All' }
    return clusters.length - away.length < (minReady === 'All' ? clusters.length : minReady)
  }

  private say(problem: string): void {
    this.problems.push(`P7: ${problem}`)
  }
}
