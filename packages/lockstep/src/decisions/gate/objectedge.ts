/** Edges to objects. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { ModuleRef, ObjectEdge } from '../graph/moduleref.ts'
import { objectRef } from '../graph/waitref.ts'
import type { EdgeEvidence, Observation } from './observation.ts'
import { unreadiness } from './readiness.ts'

/** What one edge comes to: a blocker, or evidence, or neither where it does not count. */
export interface EdgeResult {
  readonly blocker?: NewBlocker
  readonly evidence?: EdgeEvidence
}

/** `by`: the Module that has the edge; on the hub the object is seen as its account may read it. */
export function evaluateObjectEdge(
  edge: ObjectEdge,
  by: ModuleRef,
  cluster: string,
  seen: Observation,
): EdgeResult {
  const on = [objectRef(edge.object, cluster)] as const
  const notReady = (detail: string): EdgeResult => ({
    blocker: blocked('DependencyNotReady', on, { edge: edge.id, state: 'NotReady', detail }),
  })
  const found = seen.object(edge.object, cluster, by)
  if (found.type === 'Unread')
    return found.access
      ? { blocker: blocked('Forbidden', on, { action: 'Act', access: found.access }) }
      : notReady(found.detail)
  if (found.type === 'Absent') {
    if (edge.optional) return {}
    return { blocker: blocked('DependencyMissing', on, { edge: edge.id, detail: found.detail }) }
  }
  const { object } = found
  const lacking = unreadiness(edge, object, seen.nowMs)
  if (lacking !== undefined) return notReady(lacking)
  const { uid = '', resourceVersion = '' } = object.metadata
  return { evidence: { edge: edge.id, uid, resourceVersion } }
}
