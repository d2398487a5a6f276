/** Two processes of controllers on one hub: whoever holds the Lease works, and when it dies the other one does. */
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type SimProcess, spawn } from '../simulation/process.ts'
import { type Manage, stand } from '../simulation/simreplicas.ts'
import type { Story } from './steps.ts'

/** Nothing goes wrong with them but that they die. */
const WELL = { delayMs: 0, lossRate: 0, dropRate: 0 }
/** Longer than a Lease lasts of which nobody hears any more. */
const SOON_S = 60

export class Failover {
  private readonly story: Story
  private readonly processes = new Map<string, SimProcess>()
  private leader: string | undefined
  private starts = 0

  private constructor(story: Story) {
    this.story = story
  }

  /** In the place of the process that the story has had, which ends. */
  static async begin(story: Story): Promise<Failover> {
    story.manager.stop()
    const both = new Failover(story)
    both.start()
    both.start()
    await both.elected()
    return both
  }

  /** Whoever leads dies; resolves when the other one begins. One more stands by from then on. */
  async fail(): Promise<void> {
    const dead = this.leader!
    this.leader = undefined
    this.processes.get(dead)!.kill()
    this.processes.delete(dead)
    await this.elected()
    this.start()
  }

  private async elected(): Promise<void> {
    if (!(await this.story.until(() => this.leader !== undefined, SOON_S))) throw new Error('nobody leads')
  }

  private start(): void {
    const name = `process-${++this.starts}`
    const process = spawn(this.story.fleet.env, name, WELL)
    this.processes.set(name, process)
    const manage: Manage = (env, client, { term }) => {
      this.leader = name
      this.story.manager = startManager(env, client, { term })
      return this.story.manager
    }
    void stand(process.env, name, manage)
  }
}
