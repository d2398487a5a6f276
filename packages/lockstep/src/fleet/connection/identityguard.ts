/** A client that sends only to the cluster that was recognised: each verb waits for it, or is refused. */

import type {
  ClientCall,
  KubeClient,
  KubeResult,
  RequestError,
  Verb,
  WatchEvent,
  WatchOptions,
} from '@lockstep/kube/client'
import { err } from '@lockstep/kube/env'
import { podKind, serviceAccountKind } from '@lockstep/kube/kinds'
import { type Key, type Kind, type KubeObject, keyOf } from '@lockstep/kube/object'
import type { IdentityCheck } from './identitycheck.ts'

/** The next connection may lead elsewhere; a watch that cannot be resumed may be another server's. */
const BREAKS: ReadonlySet<RequestError['kind']> = new Set([
  'Unreachable',
  'Malformed',
  'Deadline',
  'Unauthorized',
])
const BREAKS_WATCH: ReadonlySet<RequestError['kind']> = new Set([...BREAKS, 'Expired'])

const WRITES: ReadonlySet<Verb> = new Set(['create', 'apply', 'patch', 'update', 'delete'])

/** Resolves when so many requests may be sent; also when the signal fires. */
export type RequestSlot = (requests: number, signal?: AbortSignal) => Promise<void>

/**
 * Who can be stopped waits as long as it takes; whoever else asks is refused while the cluster is not recognised. `turn`: what
 * only keeps caches as they are waits for it besides, once the cluster is recognised: what a cluster that was away is to be
 * asked comes one after the other when it is back. `wrote`: called with the outcome of each write.
 */
export function identityGuard(
  client: KubeClient,
  recognition: IdentityCheck,
  turn?: RequestSlot,
  wrote: (error: RequestError | undefined) => void = () => {},
): KubeClient {
  const recognised = async (signal?: AbortSignal): Promise<RequestError | undefined> => {
    if (recognition.isSure) return undefined
    return signal ? recognition.wait(signal) : recognition.refusal()
  }
  const enter = async (requests: number, signal?: AbortSignal): Promise<RequestError | undefined> => {
    for (let isMyTurn = requests === 0; ; ) {
      const refused = await recognised(signal)
      if (refused || isMyTurn) return refused
      await turn!(requests, signal)
      if (signal?.aborted) return recognition.aborted()
      // What was lost meanwhile waits anew, once it is back.
      isMyTurn = recognition.isSure
    }
  }
  const inTurn = ({ purpose }: ClientCall, requests: number): number =>
    turn && purpose === 'sync' ? requests : 0
  const send = async <T>(
    what: {
      verb: Verb
      kind: Pick<Kind, 'group' | 'kind'>
      key: Partial<Key>
      signal?: AbortSignal | undefined
    },
    request: () => Promise<KubeResult<T>>,
    requests = 0,
  ): Promise<KubeResult<T>> => {
    const refused = await enter(requests, what.signal)
    if (refused) return err(renamed(refused, what))
    const answer = await request()
    if (!answer.ok && BREAKS.has(answer.error.kind)) recognition.broke()
    if (WRITES.has(what.verb)) wrote(answer.ok ? undefined : answer.error)
    return answer
  }
  async function* watch<T extends KubeObject>(kind: Kind<T>, o: WatchOptions): AsyncIterable<WatchEvent<T>> {
    // One that goes on where a list has ended comes with that.
    const refused = await enter(inTurn(o, o.follows ? 0 : 1), o.signal)
    if (refused) return yield { type: 'ERROR', error: renamed(refused, { verb: 'watch', kind, key: {} }) }
    for await (const event of client.watch(kind, o)) {
      if (event.type === 'ERROR' && BREAKS_WATCH.has(event.error.kind)) recognition.broke()
      yield event
    }
  }
  return {
    ...client,
    // A getter is copied as what it says just now.
    get serverTime() {
      return client.serverTime
    },
    get: (kind, key, o) => send({ verb: 'get', kind, key }, () => client.get(kind, key, o)),
    list: (kind, o) =>
      send({ verb: 'list', kind, key: {}, signal: o.signal }, () => client.list(kind, o), inTurn(o, 1)),
    watch,
    create: (kind, body, o) =>
      send({ verb: 'create', kind, key: keyOf(body) }, () => client.create(kind, body, o)),
    apply: (kind, body, o) =>
      send({ verb: 'apply', kind, key: keyOf(body) }, () => client.apply(kind, body, o)),
    patch: (kind, key, patch, o) =>
      send({ verb: 'patch', kind, key }, () => client.patch(kind, key, patch, o)),
    update: (kind, body, o) =>
      send({ verb: 'update', kind, key: keyOf(body) }, () => client.update(kind, body, o)),
    delete: (kind, key, o) => send({ verb: 'delete', kind, key }, () => client.delete(kind, key, o)),
    token: (account, o) =>
      send({ verb: 'create', kind: serviceAccountKind, key: account }, () => client.token(account, o)),
    logs: (pod, o) => send({ verb: 'get', kind: podKind, key: pod }, () => client.logs(pod, o)),
    // Two requests.
    discover: (o) =>
      send({ verb: 'discover', kind: SERVED, key: {} }, () => client.discover(o), inTurn(o, 2)),
  }
}

const SERVED = { group: '', kind: 'APIs' }

/** The same failure, of a request that was not sent. */
function renamed(
  e: RequestError,
  { verb, kind, key }: { verb: Verb; kind: Pick<Kind, 'group' | 'kind'>; key: Partial<Key> },
): RequestError {
  const { namespace, name = '' } = key
  const ref = { group: kind.group, kind: kind.kind, name, ...(namespace === undefined ? {} : { namespace }) }
  return { ...e, verb, ref, wrote: 'no' }
}
