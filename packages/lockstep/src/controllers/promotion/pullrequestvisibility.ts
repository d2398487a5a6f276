/**
 * Pull requests that may be there although no list has them: lists of a host may be late. What may have been opened is not
 * opened again before it would be listed; nobody knows what a process before this one has opened.
 */

import type { Clock } from '@lockstep/kube/env'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { LISTS_BEHIND_MS, type PromotionState, promotionRef } from '../../decisions/promotion/index.ts'

/** It is looked for so often until then. */
export const RELIST_MS = 2000

export class PullRequestVisibility {
  private readonly clock: Pick<Clock, 'steady'>
  /** By promotion: until when a pull request of its branch may be there unseen, by the steady clock. */
  private readonly until = new Map<string, number>()
  /** Promotions that this process has led into Applying: nobody before it has done anything for them. */
  private readonly begun = new Set<string>()

  constructor(clock: Pick<Clock, 'steady'>) {
    this.clock = clock
  }

  begins(key: string): void {
    this.begun.add(key)
  }

  /** What this process meets once its effects may have begun may have been opened by one before it. */
  meets(key: string): void {
    if (!this.begun.has(key) && !this.until.has(key)) this.opened(key)
  }

  /**
   * Its branch was made by this process just now: nobody can have opened anything for it, unless there was another one of that name,
   * which somebody has deleted, and with which the host has closed what was opened.
   */
  pushed(key: string): void {
    if (this.begun.has(key) && !this.until.has(key)) this.until.set(key, this.clock.steady())
  }

  /** It was opened, or may have been. */
  opened(key: string): void {
    this.until.set(key, this.clock.steady() + LISTS_BEHIND_MS)
  }

  forget(key: string): void {
    this.begun.delete(key)
    // Another object of the same promotion may be made before that.
    if ((this.until.get(key) ?? 0) <= this.clock.steady()) this.until.delete(key)
  }

  /** Milliseconds for which what no list has may be there; 0: it is not. Of what this process knows nothing of they begin now. */
  leftMs(key: string): number {
    if (!this.until.has(key)) this.opened(key)
    return Math.max(0, this.until.get(key)! - this.clock.steady())
  }
}

/** Says what is waited for meanwhile. */
export const unlistedBlocker = (view: PromotionState): NewBlocker =>
  blocked('HostInconsistent', [promotionRef(view)], {
    because: 'MayBeListed',
    branch: view.status.intent?.branch,
    seconds: LISTS_BEHIND_MS / 1000,
  })
