import type { Kind } from '../object/kind.ts'
import { type Key, keyOf } from '../object/objectref.ts'
import type { KubeClient, KubeResult } from './client.ts'
import type { RequestError, Verb } from './requesterror.ts'

/** Object and verb of a write, before it is sent. */
export interface PendingWrite {
  readonly cluster: string
  readonly verb: Verb
  readonly ref: RequestError['ref']
}

/** Sends a write by `send`, or answers in its place. */
export type AroundWrite = <T>(
  write: PendingWrite,
  send: () => Promise<KubeResult<T>>,
) => Promise<KubeResult<T>>

/** A client whose writes go through a function. Clients of other users are made one by one: it has no `as`. */
export function aroundWrites(client: KubeClient, around: AroundWrite): KubeClient {
  const { as: _, ...verbs } = client as KubeClient & { readonly as?: unknown }
  const write = <T>(
    verb: Verb,
    { group, kind }: Kind,
    { namespace, name = '' }: Partial<Key>,
    send: () => Promise<KubeResult<T>>,
  ): Promise<KubeResult<T>> => {
    const ref = { group, kind, name, ...(namespace === undefined ? {} : { namespace }) }
    return around({ cluster: client.cluster, verb, ref }, send)
  }
  return {
    ...verbs,
    // Copying a getter would fix its present value.
    get serverTime() {
      return client.serverTime
    },
    create: (kind, body, o) => write('create', kind, keyOf(body), () => client.create(kind, body, o)),
    apply: (kind, body, o) => write('apply', kind, keyOf(body), () => client.apply(kind, body, o)),
    patch: (kind, key, patch, o) => write('patch', kind, key, () => client.patch(kind, key, patch, o)),
    update: (kind, body, o) => write('update', kind, keyOf(body), () => client.update(kind, body, o)),
    delete: (kind, key, o) => write('delete', kind, key, () => client.delete(kind, key, o)),
  }
}
