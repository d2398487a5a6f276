/** `dependsOn`: edges to the Modules that the units become. */
import { isArray, type JsonObject, valuePathText } from '@lockstep/kube/object'
import type { FluxSet } from '../flux/fluxset.ts'
import { type FluxEdge, type FluxUnit, unitText } from '../flux/fluxunit.ts'
import type { ModuleDraft } from './moduledraft.ts'
import { clusterOf } from './readmetadata.ts'

const PATH = ['spec', 'dependsOn']

/** `moduleOf`: the name of the Module that a unit becomes. `isImported`: whether it becomes one. */
export interface ImportSet {
  readonly set: FluxSet
  moduleOf(name: string): string
  isImported(unit: FluxUnit): boolean
}

/** An edge that is lost holds the Module back: it would act too early. */
export function readEdges(draft: ModuleDraft, others: ImportSet): void {
  const { unit, reading } = draft
  const made = new Map<string, JsonObject>()
  for (const edge of unit.edges) {
    for (const field of ['name', 'namespace']) reading.settle([...edge.path, field])
    offerExpression(draft, edge)
    const lost = problemOf(unit, edge)
    if (lost) {
      reading.lose(edge.path, lost.why, lost.todo, true)
      continue
    }
    const id = others.moduleOf(edge.name)
    if (made.has(id)) reading.note(edge.path, `a dependency on ${id} exists already`, 'Nothing.')
    else made.set(id, edgeOf(draft, edge, id, others))
  }
  if (made.size > 0 && isArray(reading.value(PATH))) draft.gather(['dependsOn'], [...made.values()], PATH)
}

function edgeOf(
  { unit, reading }: ModuleDraft,
  edge: FluxEdge,
  id: string,
  { set, isImported }: ImportSet,
): JsonObject {
  const to = set.dependency(unit, edge)
  const waits = `the dependency is not ready until a Module ${id} is ready`
  if (!to)
    reading.note(
      edge.path,
      `${unitText(edge)} is not in the files: ${waits}`,
      'Import them together, or write it.',
    )
  else if (!isImported(to))
    reading.note(
      edge.path,
      `${unitText(to)} is not imported: ${waits}`,
      'Write it, or remove this dependency.',
    )
  const cluster = to && clusterOf(to)
  const isElsewhere = cluster !== undefined && cluster !== clusterOf(unit)
  const module = { kind: 'Module', name: id, ...(isElsewhere ? { clusterRef: { name: cluster } } : {}) }
  return { id, module }
}

function problemOf(
  unit: FluxUnit,
  edge: FluxEdge,
): { readonly why: string; readonly todo: string } | undefined {
  if (edge.namespace !== unit.namespace)
    return {
      why: `${unitText(edge)} is in another namespace, and a dependency must be in the same namespace`,
      todo: `Move both Modules to one namespace, or write a dependency with object. Then add spec.targets.`,
    }
  if (edge.name === unit.name)
    return { why: 'a Module cannot wait for itself', todo: 'Remove this dependency.' }
  return undefined
}

function offerExpression({ reading }: ModuleDraft, edge: FluxEdge): void {
  if (edge.readyExpr === undefined) return
  reading.lose(
    [...edge.path, 'readyExpr'],
    'a Module is ready when it is verified at its release; expressions are for dependencies on objects',
    `${offerOf(edge)} Then add spec.targets.`,
    true,
  )
}

function offerOf(edge: FluxEdge): string {
  const expr = edge.readyExpr!.trim()
  if (/\bself\b/.test(expr)) return 'Compare releases (spec.release) instead: self is not known here.'
  const object = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: edge.kind,
    namespace: edge.namespace,
    name: edge.name,
  }
  const offered = { id: `${edge.name}-object`, object, readyExpr: expr.replace(/\bdep\b/g, 'object') }
  return `To check the ${edge.kind} itself in ${valuePathText(PATH)} while Flux manages it: ${JSON.stringify(offered)}.`
}
