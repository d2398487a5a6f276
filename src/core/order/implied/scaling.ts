/** What looks after a workload comes behind it. */
import { at, type KubeObject, matchesSelector, parseApiVersion } from '../../../object/object.ts'
import { named } from '../values.ts'
import { podLabelsOf } from './podspec.ts'
import { before, NONE, type Row } from './row.ts'
import { selectorOf } from './selector.ts'

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

const OLM = 'operators.coreos.com'

/** Operator Lifecycle Manager: where an operator comes from, and whom it may serve. */
export const ofSubscription: Row = (to, index) => {
  if (to.kind !== 'Subscription' || parseApiVersion(to.apiVersion).group !== OLM) return NONE
  const groups = index.all(OLM, 'OperatorGroup').filter((g) => g.metadata.namespace === to.metadata.namespace)
  const source = named(at(to, 'spec', 'source'))
  const namespace = named(at(to, 'spec', 'sourceNamespace'))
  const catalog = source ? index.find(OLM, 'CatalogSource', namespace, source) : undefined
  return [...before(groups, to, 'OperatorGroup'), ...before([catalog], to, 'CatalogSource')]
}
