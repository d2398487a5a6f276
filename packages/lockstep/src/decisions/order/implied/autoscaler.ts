/** What looks after a workload comes behind it. */
import {
  at,
  type KubeObject,
  matchesSelector,
  parseApiVersion,
} from '../../../../../kube/src/object/index.ts'
import { named } from '../manifestvalues.ts'
import { podLabelsOf } from './podspec.ts'
import { before, NONE, type Row } from './impliedrule.ts'
import { selectorOf } from './parseselector.ts'

export const scaledByAutoscaler: Row = (to, index) => {
  if (to.kind !== 'HorizontalPodAutoscaler') return NONE
  const target = at(to, 'spec', 'scaleTargetRef')
  const [kind, name] = [named(at(target, 'kind')), named(at(target, 'name'))]
  if (!kind || !name) return NONE
  const { group } = parseApiVersion(named(at(target, 'apiVersion')) ?? '')
  return before([index.find(group, kind, to.metadata.namespace, name)], to, 'scaleTargetRef')
}

export const guardedByBudget: Row = (to, index) => {
  const selector = to.kind === 'PodDisruptionBudget' ? selectorOf(at(to, 'spec', 'selector')) : undefined
  if (!selector) return NONE
  const guarded = index.workloadsIn(to.metadata.namespace ?? '').filter((w) => isGuarded(w))
  return before(guarded, to, 'selector of the budget')

  function isGuarded(w: KubeObject): boolean {
    return matchesSelector(selector!, podLabelsOf(w))
  }
}
