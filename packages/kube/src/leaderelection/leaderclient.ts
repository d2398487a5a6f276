/** A client that writes only while its process leads. Reads need no leader. */

import { aroundWrites } from '../client/aroundwrites.ts'
import type { KubeClient } from '../client/client.ts'
import type { Meters } from '../env/env.ts'
import { err } from '../env/result.ts'
import type { LeaderTerm } from './election.ts'

const MESSAGE = 'not sent: this process has not renewed its lease in time, and another one may lead'

/** What is asked for beyond the term is refused here, before anything of it is sent: `FenceLost`, and nothing was written. */
export const leaderClient = (client: KubeClient, term: LeaderTerm, meters: Meters): KubeClient =>
  aroundWrites(client, async (write, send) => {
    if (term.isHeld) return send()
    meters.count('lockstep_fences_lost_total', { kind: 'lease' })
    return err({ ...write, wrote: 'no', kind: 'FenceLost', message: MESSAGE })
  })
