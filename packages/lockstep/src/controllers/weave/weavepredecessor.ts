/** weaveworks' own controller: while it holds its Lease, nothing is written of what it may be promoting. */

import { requestErrorText } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import { records } from '../../api/records.ts'
import { previousController, WEAVE_LEASE } from '../../decisions/weave/index.ts'
import type { HubInformers } from '../cache/index.ts'
import { hubTime } from '../runtime/index.ts'

/** What was read so long ago still counts, in milliseconds; a Lease lasts for longer. */
const COUNTS_MS = 5000

interface PredecessorDeps {
  readonly env: Env
  readonly hub: Pick<HubInformers, 'own'>
}

export class WeavePredecessor {
  private readonly c: PredecessorDeps
  private asked: { readonly atMs: number; readonly answer: Promise<string | undefined> } | undefined
  private said: string | undefined

  constructor(c: PredecessorDeps) {
    this.c = c
  }

  /** Who is at work, for people; undefined: nobody. */
  active(): Promise<string | undefined> {
    const now = this.c.env.clock.steady()
    if (!this.asked || this.asked.atMs + COUNTS_MS < now) this.asked = { atMs: now, answer: this.ask() }
    return this.asked.answer
  }

  private async ask(): Promise<string | undefined> {
    const { hub, env } = this.c
    const read = await hub.own.list(records.lease, {
      purpose: 'reread',
      fieldSelector: `metadata.name=${WEAVE_LEASE}`,
    })
    // What nobody can tell is waited for.
    const found = read.ok
      ? previousController(read.value.items, hubTime(this.c).nowMs)
      : `Lease ${WEAVE_LEASE} cannot be read: ${requestErrorText(read.error)}`
    if (found !== this.said) {
      this.said = found
      if (found === undefined)
        env.log.info('the pipeline-controller of weaveworks has stopped', {
          reason: 'PreviousControllerStopped',
        })
      else
        env.log.warn('nothing is written of Pipelines of weaveworks', {
          reason: 'PreviousControllerActive',
          by: found,
        })
    }
    return found
  }
}
