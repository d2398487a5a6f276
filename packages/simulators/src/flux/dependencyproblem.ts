/** Whether what a unit depends on lets it go: pure (`checkDependencies` of both controllers). */
import { at, type KubeObject } from '@lockstep/kube/object'
import { type ExprProblem, evaluateReady } from './exprproblem.ts'
import {
  type Dependency,
  type FluxReference,
  keyIn,
  kustomizationSpec,
  type SimulatedUnitKind,
} from './fluxkind.ts'
import { isCondition } from './fluxsubject.ts'

export interface EdgeView {
  readonly kind: SimulatedUnitKind
  readonly self: KubeObject
  /** The revision of the source's artifact, for a Kustomization. */
  readonly revision?: string
  readonly edge: Dependency
  /** As it is on the API server now, or why it could not be read. */
  readonly dependency: KubeObject | { readonly error: string }
  /** Gate AdditiveCELDependencyCheck. */
  readonly additive: boolean
}

/** The object that an edge names: in its namespace, or in that of the dependant. */
export const targetOf = (self: KubeObject, edge: Dependency): { namespace: string; name: string } => ({
  namespace: edge.namespace ?? self.metadata.namespace ?? '',
  name: edge.name,
})

/** Why an edge is closed; undefined: it is open. */
export function dependencyProblem(v: EdgeView): ExprProblem | undefined {
  const { namespace, name } = targetOf(v.self, v.edge)
  const ref = `'${keyIn(namespace, name)}'`
  const closed = (message: string): ExprProblem => ({ terminal: false, message })
  if ('error' in v.dependency)
    return closed(
      v.kind === 'Kustomization'
        ? `dependency ${ref} not found: ${v.dependency.error}`
        : `unable to get ${ref} dependency: ${v.dependency.error}`,
    )
  const dep = v.dependency as KubeObject
  const { readyExpr = '' } = v.edge
  if (readyExpr !== '') {
    const ready = evaluateReady(readyExpr, v.self, dep)
    if (!ready.ok) return ready.error
    if (!ready.value) return closed(`dependency ${ref} is not ready according to readyExpr eval`)
    if (!v.additive) return undefined
  }
  const observed = at(dep, 'status', 'observedGeneration') ?? 0
  const isReady = dep.metadata.generation === observed && isCondition(dep, 'Ready', 'True')
  if (!isReady) return closed(`dependency ${ref} is not ready`)
  if (v.kind === 'HelmRelease' || !isSameSource(v.self, dep)) return undefined
  return at(dep, 'status', 'lastAppliedRevision') === v.revision
    ? undefined
    : closed(`dependency ${ref} revision is not up to date`)
}

/** Names, kinds and effective namespaces; nothing of what the sources hold. */
function isSameSource(a: KubeObject, b: KubeObject): boolean {
  const [x, y] = [a, b].map((o) => sourceKey(o, kustomizationSpec(o).sourceRef))
  return x === y
}

export const sourceKey = (o: KubeObject, ref: FluxReference): string =>
  `${ref.kind}/${keyIn(ref.namespace ?? o.metadata.namespace, ref.name)}`

/**
 * Units so that each follows those that it depends on, as watches ask for their runs; undefined: they wait for each other in a
 * circle, and then none is asked for (pkg/runtime/dependency).
 */
export function sortedByEdges(units: readonly KubeObject[]): readonly KubeObject[] | undefined {
  const byKey = new Map(units.map((o) => [keyIn(o.metadata.namespace, o.metadata.name ?? ''), o]))
  const state = new Map<KubeObject, 'open' | 'done'>()
  const out: KubeObject[] = []
  const visit = (o: KubeObject): boolean => {
    if (state.has(o)) return state.get(o) === 'done'
    state.set(o, 'open')
    for (const edge of (o.spec as { readonly dependsOn?: readonly Dependency[] }).dependsOn ?? []) {
      const { namespace, name } = targetOf(o, edge)
      const target = byKey.get(keyIn(namespace, name))
      if (target && !visit(target)) return false
    }
    state.set(o, 'done')
    out.push(o)
    return true
  }
  return units.every(visit) ? out : undefined
}
