/** Edges to objects. */
import type { NewBlocker } from '../../api/blocker.ts'
import { type ObjectEdge, objectText } from '../graph/moduleref.ts'
import type { EdgeEvidence, Observation } from './observation.ts'
import { unreadiness } from './readiness.ts'

/** What one edge comes to: a blocker, or evidence, or neither where it does not count. */
export interface EdgeResult {
  readonly blocker?: NewBlocker
  readonly evidence?: EdgeEvidence
}

export function evaluateObjectEdge(edge: ObjectEdge, cluster: string, seen: Observation): EdgeResult {
  const named = objectText(edge.object)
  const closed = (reason: NewBlocker['reason'], text: string): EdgeResult => ({
    blocker: {
      reason,
      message: `${edge.id}: ${named} ${text}`,
      subject: `${edge.object.kind}/${edge.object.name}@${cluster}`,
    },
  })
  const found = seen.object(edge.object, cluster)
  if (found.type === 'Unread') return closed('DependencyNotReady', `on ${cluster}: ${found.detail}`)
  if (found.type === 'Absent') {
    if (edge.optional) return {}
    return closed(
      'DependencyMissing',
      `does not exist on ${cluster}${found.detail === undefined ? '' : `: ${found.detail}`}`,
    )
  }
  const { object } = found
  const lacking = unreadiness(edge, object, seen.nowMs)
  if (lacking !== undefined) return closed('DependencyNotReady', `on ${cluster}: ${lacking}`)
  const { uid = '', resourceVersion = '' } = object.metadata
  return { evidence: { edge: edge.id, uid, resourceVersion } }
}
