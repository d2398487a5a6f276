/** From a module's spec and inputs to its next revision. Decides; `module.ts` writes. */

import type { Stored } from '../api/kind.ts'
import type { Module } from '../api/registry.ts'
import { cycleThrough } from '../core/graph/cycle.ts'
import { type ModuleEdge, type ModuleRef, moduleEdges, moduleId } from '../core/graph/module.ts'
import { compileReady } from '../core/health/expression.ts'
import { expressionProblems, problemText } from '../core/health/rules.ts'
import { buildOrder } from '../core/order/build.ts'
import { contentOfSource } from '../core/revision/content.ts'
import { revisionOf } from '../core/revision/revision.ts'
import { err, ok, type Result } from '../env/result.ts'
import { type Digest, digestOf, type JsonObject, jsonEqual, type KubeObject } from '../object/object.ts'
import { type Bundle, bundleOf, isSensitive } from '../source/bundle.ts'
import { fault, type SourceFailure } from '../source/failure.ts'
import { type Movement, movementOf, unvouched } from '../source/git/moved.ts'
import { normalise } from '../source/normalise.ts'
import type { Outside } from '../source/outside.ts'
import { resolveSource } from '../source/resolve.ts'
import type { Reading, Resolved } from '../source/resolved.ts'
import { edgesOf, type NewRevision, type RevisionRecord } from './revisions.ts'

export interface PublishInput {
  readonly ref: ModuleRef
  readonly module: Stored<Module>
  /** The published revision's record. */
  readonly current: RevisionRecord | undefined
  readonly find: Reading['find']
  readonly outside: Outside
  /** What another module has published needs these, by `moduleId`. */
  readonly edgesOfPublished: (id: string) => readonly ModuleEdge[]
  readonly keyed: Reading['keyed']
  readonly nextNumber: number
  /** Wall clock, milliseconds. */
  readonly now: number
}

export type PublishDecision =
  | { readonly type: 'unchanged'; readonly movement?: Movement }
  /** A new revision; `bundle` undefined: the stored one of the current revision stays. */
  | {
      readonly type: 'publish'
      readonly revision: NewRevision
      readonly bundle: Bundle | undefined
      readonly movement?: Movement
    }

/**
 * While `release` is set and the same, an input whose text in the spec is unchanged keeps its value: nothing moves
 * below a release until the release does.
 */
export function decidePublish(input: PublishInput): Result<PublishDecision, SourceFailure> {
  const { ref, module, current } = input
  const problem = specProblem(input)
  if (problem) return err(problem)
  if (current && isFrozen(module, current)) return ok(withInputsOf(input, current))
  const reading = { namespace: ref.namespace, find: input.find, keyed: input.keyed }
  const resolved = resolveSource(module.spec, reading, input.outside)
  if (!resolved.ok) return resolved
  const { git } = module.spec.source
  const movement = (current && movementSince(module, current, resolved.value)) ?? (git && unvouched(git.ref))
  // Versions vanish from repositories; going back is said, not found.
  if (movement?.reason === 'ResolvedOlder') return ok({ ...withInputsOf(input, current!), movement })
  const revision = revisionOf(ref.kind, module.spec as unknown as JsonObject, resolved.value.inputs)
  if (current && revision === current.revision) return ok({ type: 'unchanged' })
  const objects = rendered(module, resolved.value.manifests())
  if (!objects.ok) return objects
  const sensitive = resolved.value.sensitive === true || isSensitive(objects.value)
  const digest = sensitive ? input.keyed() : ok(digestOf)
  if (!digest.ok) return digest
  const bundle = bundleOf(objects.value, sensitive, digest.value)
  return ok({
    ...(movement ? { movement } : {}),
    type: 'publish',
    revision: newRevision(
      input,
      revision,
      bundle.digest,
      resolved.value.inputs,
      resolved.value.sourceRevision,
    ),
    bundle,
  })
}

/** The spec as it is now, with what the published revision was made of. */
function withInputsOf(input: PublishInput, current: RevisionRecord): PublishDecision {
  const { ref, module } = input
  const { bundle, inputs, sourceRevision } = current
  const revision = revisionOf(ref.kind, module.spec as unknown as JsonObject, inputs)
  if (revision === current.revision) return { type: 'unchanged' }
  return {
    type: 'publish',
    revision: newRevision(input, revision, bundle, inputs, sourceRevision),
    bundle: undefined,
  }
}

function isFrozen(module: Stored<Module>, current: RevisionRecord): boolean {
  const { release } = module.spec
  return release !== undefined && release === current.release && hasSourceOf(module, current)
}

const hasSourceOf = ({ spec }: Stored<Module>, current: RevisionRecord): boolean =>
  jsonEqual(
    contentOfSource(spec.source as unknown as JsonObject),
    current.spec.source as unknown as JsonObject,
  )

/** Of a source whose text in the spec has not changed. */
function movementSince(
  module: Stored<Module>,
  current: RevisionRecord,
  resolved: Resolved,
): Movement | undefined {
  const { git } = module.spec.source
  return git && hasSourceOf(module, current)
    ? movementOf(git.ref, current.sourceRevision, resolved.sourceRevision)
    : undefined
}

/** The objects of a bundle, from manifests: normalised, not empty by accident, with an order. */
export function rendered(
  module: Pick<Module, 'spec'>,
  manifests: Result<Parameters<typeof normalise>[0][number][], SourceFailure>,
): Result<KubeObject[], SourceFailure> {
  if (!manifests.ok) return manifests
  const objects = normalise(manifests.value)
  if (!objects.ok) return objects
  if (objects.value.length === 0 && !module.spec.apply.allowEmpty && !module.spec.source.none) {
    return err(
      fault(
        'EmptyRender',
        'the bundle has no objects and apply.allowEmpty is false; what is delivered is kept',
      ),
    )
  }
  const order = buildOrder(objects.value, module.spec.apply.dialects)
  return order.ok ? objects : err(fault(order.error.reason, order.error.message))
}

function newRevision(
  input: PublishInput,
  revision: Digest,
  bundle: Digest,
  inputs: NewRevision['inputs'],
  sourceRevision: string,
): NewRevision {
  const { ref, module } = input
  return {
    module: ref,
    uid: module.metadata.uid,
    spec: module.spec,
    inputs,
    revision,
    bundle,
    sourceRevision,
    number: input.nextNumber,
    now: input.now,
  }
}

/** What no schema says: cycles over modules, impossible budgets, rules that say nothing. */
function specProblem(input: PublishInput): SourceFailure | undefined {
  const { module } = input
  const { rollout, targets, apply } = module.spec
  if (rollout.maxUnavailable === 0 || rollout.maxUnavailable === '0%' || rollout.maxUnavailable === '0') {
    return fault('InvalidSpec', 'spec.rollout.maxUnavailable: 0 would never start anything; give at least 1')
  }
  const { hub, ...others } = targets ?? {}
  if (hub === true && Object.values(others).some((x) => x !== undefined))
    return fault(
      'InvalidSpec',
      'spec.targets.hub: excludes clusterSelector, clusters, exclude, inventories and properties',
    )
  const idle = (apply.ignore ?? []).findIndex((r) => !r.paths?.length && !r.managers?.length)
  if (idle >= 0) return fault('InvalidSpec', `spec.apply.ignore[${idle}]: give paths, managers or both`)
  const [expression] = expressionProblems(module.spec.health.expressions)
  if (expression !== undefined) return fault('InvalidExpression', expression)
  return checkProblem(module) ?? edgeProblem(module) ?? cycleProblem(input)
}

function checkProblem({ spec }: Stored<Module>): SourceFailure | undefined {
  const entries = spec.source.none ? (spec.health.expressions ?? []) : []
  const i = entries.findIndex((e) => e.kind === undefined)
  if (i < 0) return undefined
  return fault('InvalidSpec', `spec.health.expressions[${i}].kind: a checkpoint selects objects of one kind`)
}

function edgeProblem(module: Stored<Module>): SourceFailure | undefined {
  for (const [i, { readyExpr }] of (module.spec.dependsOn ?? []).entries()) {
    const ready = readyExpr === undefined ? undefined : compileReady(readyExpr)
    if (ready && !ready.ok)
      return fault('InvalidExpression', `spec.dependsOn[${i}].readyExpr: ${problemText(ready.error)}`)
  }
  return undefined
}

function cycleProblem(input: PublishInput): SourceFailure | undefined {
  const { ref, module } = input
  const id = moduleId(ref)
  const own = moduleEdges(edgesOf(module.spec.dependsOn, ref.namespace))
  const edges = (node: string) => (node === id ? own : input.edgesOfPublished(node))
  const cycle = cycleThrough(id, (node) => edges(node).map((e) => moduleId(e.to)))
  if (!cycle) return undefined
  const steps = cycle.slice(1).map((to, i) => {
    const edge = edges(cycle[i]!).find((e) => moduleId(e.to) === to)!
    return `${edge.to.name}${edge.cluster === undefined ? '' : `@${edge.cluster}`}`
  })
  // It ends where it begins.
  const names = [steps.at(-1), ...steps].join(' → ')
  return fault('CycleDetected', `spec.dependsOn: ${names}; remove one of these edges`)
}
