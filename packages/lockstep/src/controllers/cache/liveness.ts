/** Asks clusters that have been silent, before units on others act on what was last heard of them. */
import { clusterOf, type PublishedRevision } from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleEdges } from '../../decisions/graph/index.ts'
import type { Fleet } from '../../fleet/clusters/index.ts'
import { type ObservationDeps, observationOf } from './observation.ts'

interface LivenessDeps extends Omit<ObservationDeps, 'fleet'> {
  readonly fleet: Fleet
}

/**
 * One live read of each other cluster that edges lead to, if it was silent for a minute. True if one of them does not
 * answer: nothing tells when it will.
 */
export async function confirmLiveness(
  c: LivenessDeps,
  ref: ModuleRef,
  published: PublishedRevision,
  own?: string,
): Promise<boolean> {
  const seen = observationOf(c, ref.namespace)
  // On the unit's own cluster the unit itself notices.
  const here = own ?? ''
  const others = new Set(moduleEdges(published.edges).map((e) => clusterOf(e, here, seen)))
  others.delete(here)
  const sessions = [...others].flatMap((name) => {
    const view = c.fleet.view(ref.namespace, name)
    const session = view && c.fleet.connection(view)
    return session ? [session] : []
  })
  await Promise.all(sessions.map((s) => s.hearing.confirm()))
  return sessions.some((s) => s.hearing.silence !== undefined)
}
