import { at, type KubeObject } from '@lockstep/kube/object'
import {
  aboutOlder,
  conditionsOf,
  degraded,
  type Health,
  isOld,
  progressing,
  textOfCondition,
} from '../state/healthstate.ts'

/**
 * What holds for every kind: a status of an older generation says nothing, and `Reconciling`, `Stalled` mean what they
 * say, in the order of the list (kstatus `status.go`; that a condition may be old by itself is ours).
 */
export function genericHealth(o: KubeObject): Health | undefined {
  const stale = staleHealth(o)
  if (stale) return stale
  for (const c of conditionsOf(o)) {
    if (c.status !== 'True') continue
    if (c.type === 'Reconciling') return progressing(textOfCondition(c))
    if (c.type === 'Stalled') return isOld(o, c) ? aboutOlder(c) : degraded(textOfCondition(c))
  }
  return undefined
}

/** Not ready yet, where the status is about an older generation. */
export function staleHealth(o: KubeObject): Health | undefined {
  const observed = at(o, 'status', 'observedGeneration')
  const { generation } = o.metadata
  if (typeof observed !== 'number' || generation === undefined || observed === generation) return undefined
  return progressing(`its controller has seen generation ${observed} of ${generation}`)
}
