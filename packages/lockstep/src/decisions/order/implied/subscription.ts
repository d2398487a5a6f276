/** Operators and Applications of a pattern: where an operator comes from, whom it may serve, what an Application belongs to. */
import { at, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { manifestName } from '../manifestvalues.ts'
import { edgesBefore, type ImpliedRule, NO_EDGES } from './impliedrule.ts'

const OLM = 'operators.coreos.com'

export const ofSubscription: ImpliedRule = (to, index) => {
  if (to.kind !== 'Subscription' || parseApiVersion(to.apiVersion).group !== OLM) return NO_EDGES
  const groups = index.all(OLM, 'OperatorGroup').filter((g) => g.metadata.namespace === to.metadata.namespace)
  const source = manifestName(at(to, 'spec', 'source'))
  const namespace = manifestName(at(to, 'spec', 'sourceNamespace'))
  const catalog = source ? index.find(OLM, 'CatalogSource', namespace, source) : undefined
  return [...edgesBefore(groups, to, 'OperatorGroup'), ...edgesBefore([catalog], to, 'CatalogSource')]
}

const ARGO = 'argoproj.io'

export const ofApplication: ImpliedRule = (to, index) => {
  if (to.kind !== 'Application' || parseApiVersion(to.apiVersion).group !== ARGO) return NO_EDGES
  const project = manifestName(at(to, 'spec', 'project'))
  return project
    ? edgesBefore([index.find(ARGO, 'AppProject', to.metadata.namespace, project)], to, 'project')
    : NO_EDGES
}

/**
 * What is gone before what when all of it is deleted: Applications before operators, since what an Application leaves behind may
 * need its operator to go.
 */
export function goneBefore(
  objects: readonly KubeObject[],
): readonly (readonly [first: KubeObject, then: KubeObject])[] {
  const of = (kinds: Readonly<Record<string, string>>): readonly KubeObject[] =>
    objects.filter(
      (o) => kinds[o.kind] !== undefined && kinds[o.kind] === parseApiVersion(o.apiVersion).group,
    )
  const operators = of({ Subscription: OLM, ClusterExtension: 'olm.operatorframework.io' })
  return operators.length === 0
    ? []
    : of({ Application: ARGO }).flatMap((a) => operators.map((s) => [a, s] as const))
}
