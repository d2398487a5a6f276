/** A client that writes only while its process leads. Reads need no leader. */

import type { KubeClient } from '../client/client.ts'
import type { RequestError, Verb } from '../client/requesterror.ts'
import type { Meters } from '../env/env.ts'
import { err } from '../env/result.ts'
import type { Kind } from '../object/kind.ts'
import { type Key, keyOf } from '../object/objectref.ts'
import type { LeaderTerm } from './election.ts'

const MESSAGE = 'not sent: this process has not renewed its lease in time, and another one may lead'

/** What is asked for beyond the term is refused here, before anything of it is sent: `FenceLost`, and nothing was written. */
export function leaderClient(client: KubeClient, term: LeaderTerm, meters: Meters): KubeClient {
  const refusal = (verb: Verb, { group, kind }: Kind, { namespace, name = '' }: Partial<Key>) => {
    if (term.isHeld) return undefined
    meters.count('lockstep_fences_lost_total', { kind: 'lease' })
    const ref = { group, kind, name, ...(namespace === undefined ? {} : { namespace }) }
    const error: RequestError = {
      cluster: client.cluster,
      verb,
      ref,
      wrote: 'no',
      kind: 'FenceLost',
      message: MESSAGE,
    }
    return err(error)
  }
  // Clients of other users are guarded one by one.
  const { as: _, ...verbs } = client as KubeClient & { readonly as?: unknown }
  return {
    ...verbs,
    // A getter is copied as what it says just now.
    get serverTime() {
      return client.serverTime
    },
    create: async (kind, body, o) => refusal('create', kind, keyOf(body)) ?? client.create(kind, body, o),
    apply: async (kind, body, o) => refusal('apply', kind, keyOf(body)) ?? client.apply(kind, body, o),
    patch: async (kind, key, patch, o) => refusal('patch', kind, key) ?? client.patch(kind, key, patch, o),
    update: async (kind, body, o) => refusal('update', kind, keyOf(body)) ?? client.update(kind, body, o),
    delete: async (kind, key, o) => refusal('delete', kind, key) ?? client.delete(kind, key, o),
  }
}
