/**
 * Work that takes long keeps no worker: after a moment it goes on beside, and its item comes round again at its end. Of an
 * owner whose work goes on beside, more is put there at once: a webhook that is slow everywhere would take all workers in turn.
 */
import { type Env, supervise } from '@lockstep/kube/env'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Request } from '../runtime/index.ts'

const MOMENT_MS = 250

interface Going {
  readonly owner: string
  /** At its end, and not before it went on beside. */
  outcome: ReconcileResult | undefined
  /** A bug, for whoever takes the item next. */
  bug?: unknown
  /** Its item came round meanwhile: there is news. */
  isAsked: boolean
}

export class Aside {
  private readonly env: Pick<Env, 'clock' | 'supervisor'>
  private readonly again: (item: Request) => void
  private readonly going = new Map<string, Going>()
  /** How much goes on beside, by owner. */
  private readonly owners = new Map<string, number>()

  constructor(env: Pick<Env, 'clock' | 'supervisor'>, again: (item: Request) => void) {
    this.env = env
    this.again = again
  }

  /** What the item is told: that its work is under way, or what came of it. Undefined: there is none. */
  underWay({ id }: Request): ReconcileResult | undefined {
    const found = this.going.get(id)
    if (!found) return undefined
    if (!found.outcome) {
      found.isAsked = true
      return { ok: true }
    }
    this.going.delete(id)
    const { outcome, isAsked, bug } = found
    if (bug !== undefined) throw bug
    return isAsked && outcome.ok ? { ...outcome, requeueAfterMs: 1 } : outcome
  }

  /** At most a moment; then it is under way. */
  async run(item: Request, owner: string, work: () => Promise<ReconcileResult>): Promise<ReconcileResult> {
    const done = work()
    const quick = this.owners.has(owner) ? undefined : await this.within(done)
    if (quick) return quick
    const going: Going = { owner, outcome: undefined, isAsked: false }
    this.going.set(item.id, going)
    this.count(owner, 1)
    const end = (outcome: ReconcileResult): void => {
      going.outcome = outcome
      this.count(owner, -1)
      this.again(item)
    }
    const follow = () =>
      done.then(end, (bug: unknown) => {
        going.bug = bug
        end({ ok: false })
      })
    supervise(this.env, follow)
    return { ok: true }
  }

  private within(done: Promise<ReconcileResult>): Promise<ReconcileResult | undefined> {
    return new Promise((resolve, reject) => {
      const { clock } = this.env
      const cancel = clock.at(clock.steady() + MOMENT_MS, () => resolve(undefined))
      supervise(this.env, () => done.then(resolve, reject).finally(cancel))
    })
  }

  private count(owner: string, by: number): void {
    const left = (this.owners.get(owner) ?? 0) + by
    if (left > 0) this.owners.set(owner, left)
    else this.owners.delete(owner)
  }
}
