/** What people do to the Pipeline itself: they delete it and make it anew, and what its status says is lost, or that of a backup. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import { type Pipeline, pipelineKind } from '../../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { must, NAMESPACE } from '../../fleet/simfleet.ts'
import { chance } from '../../simulation/scenario.ts'
import type { PipelineStory } from '../pipelinestory.ts'
import type { App } from './apps.ts'
import type { PipelinePlan } from './pipelineplan.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const

export class Operators {
  readonly did: string[] = []
  /** Told when nobody knows any more what the status said. */
  lost: () => void = () => {}
  private readonly story: PipelineStory
  private readonly plan: PipelinePlan
  private readonly app: App
  private readonly random: Random
  private backup: Pipeline['status']

  constructor(story: PipelineStory, plan: PipelinePlan, app: App) {
    this.story = story
    this.plan = plan
    this.app = app
    this.random = story.fleet.env.random.fork('operators')
  }

  /** Where there is none: one of before that is being deleted is waited for. */
  async create(): Promise<void> {
    if (this.story.seen()) return
    const { deletionPolicy } = this.plan
    await this.story.pipeline(this.plan.environments, { spec: { ...this.app.spec, deletionPolicy } })
  }

  async remove(): Promise<void> {
    this.tell('delete the pipeline')
    const gone = this.story.fleet.hub.delete(pipelineKind, { namespace: NAMESPACE, name: 'podinfo' }, WRITE)
    const done = await this.story.during(gone)
    if (!done.ok && done.error.kind !== 'NotFound') must(done)
  }

  /** For later. */
  keep(): void {
    if (chance(this.random, 0.5)) this.backup = this.story.seen()?.status
  }

  /** Erased, or as it was at some time before, also of a Pipeline that is deleted since. */
  async loseStatus(): Promise<void> {
    const seen = this.story.seen()
    if (!seen) return
    const isBackup = this.backup !== undefined && chance(this.random, 0.6)
    const restored = { ...seen, status: isBackup ? this.backup : {} }
    const o = { ...WRITE, subresource: 'status' } as const
    const done = await this.story.during(this.story.fleet.hub.update(pipelineKind, restored as never, o))
    if (!done.ok) return
    this.tell(isBackup ? 'restore the status' : 'erase the status')
    this.lost()
  }

  private tell(what: string): void {
    this.did.push(`${(this.story.fleet.env.clock.steady() / 1000).toFixed(0)} s: ${what}`)
  }
}
