/** What looks after a workload comes behind it. */
import { at, type KubeObject, matchesSelector, parseApiVersion } from '@lockstep/kube/object'
import { manifestName } from '../manifestvalues.ts'
import { edgesBefore, type ImpliedRule, NO_EDGES } from './impliedrule.ts'
import { parseSelector } from './parseselector.ts'
import { podLabelsOf } from './podspec.ts'

export const scaledByAutoscaler: ImpliedRule = (to, index) => {
  if (to.kind !== 'HorizontalPodAutoscaler') return NO_EDGES
  const target = at(to, 'spec', 'scaleTargetRef')
  const [kind, name] = [manifestName(at(target, 'kind')), manifestName(at(target, 'name'))]
  if (!kind || !name) return NO_EDGES
  const { group } = parseApiVersion(manifestName(at(target, 'apiVersion')) ?? '')
  return edgesBefore([index.find(group, kind, to.metadata.namespace, name)], to, 'scaleTargetRef')
}

export const guardedByBudget: ImpliedRule = (to, index) => {
  const selector = to.kind === 'PodDisruptionBudget' ? parseSelector(at(to, 'spec', 'selector')) : undefined
  if (!selector) return NO_EDGES
  const guarded = index.workloadsIn(to.metadata.namespace ?? '').filter((w) => isGuarded(w))
  return edgesBefore(guarded, to, 'selector of the budget')

  function isGuarded(w: KubeObject): boolean {
    return matchesSelector(selector!, podLabelsOf(w))
  }
}
