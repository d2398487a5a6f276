/**
 * What ends the wait of a set on a cluster before its time: a kind is served, a namespace is there, the cluster answers again.
 * Nothing is asked for that: what has been missed is heard of, and looked for in the caches.
 */
import type { LookupQuery, ObjectLookup } from '../../deliver/state/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'
import { type Request, UnitWatches, type WatchIndex } from '../runtime/index.ts'

export interface AwaitedObject {
  readonly sought: LookupQuery
  /** As it was when something was refused for it; undefined: it was not there. */
  readonly before: string | undefined
}

interface Looker {
  readonly request: Request
  readonly cluster: ClusterView
  readonly session: ClusterSession
}

/** From now on a change of one of them is news for the unit. */
export function awaitAll(
  onlookers: WatchIndex,
  unit: Looker,
  sought: readonly LookupQuery[],
): readonly AwaitedObject[] {
  return looking(onlookers, unit, (look) =>
    sought.map((s) => ({ sought: s, before: stateOf(unit.session, look, s) })),
  )
}

/** Something of it is there that was not, or that is another one: what was refused may be taken now. */
export function hasCome(onlookers: WatchIndex, unit: Looker, awaited: readonly AwaitedObject[]): boolean {
  // All of them: what is not asked for in a look is not watched after it.
  return looking(onlookers, unit, (look) =>
    awaited.map(({ sought, before }) => {
      const now = stateOf(unit.session, look, sought)
      return now !== undefined && now !== before
    }),
  ).includes(true)
}

/** Nothing is awaited any more. */
export function awaitNothing(onlookers: WatchIndex, request: Request): void {
  onlookers.keep(request, new Set())
}

function looking<T>(onlookers: WatchIndex, unit: Looker, see: (look: ObjectLookup) => T): T {
  const eyes = new UnitWatches(onlookers, unit.request, unit)
  const seen = see(eyes.open())
  eyes.close()
  return seen
}

/** Of a kind, by the answer in which it is served; of an object, which one it is. Undefined: it is not there, or not known. */
function stateOf(session: ClusterSession, look: ObjectLookup, s: LookupQuery): string | undefined {
  // Whoever asks for a kind that is not served has the definitions watched.
  if (s.name === undefined)
    return session.served(s.group, s.kind, s.version) ? `${session.discoveries}` : undefined
  const found = look(s)
  const object = found.type === 'Read' ? found.objects[0] : undefined
  return object?.metadata.deletionTimestamp === undefined ? object?.metadata.uid : undefined
}
