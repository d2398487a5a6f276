/** From a module's spec and inputs to its next revision. Decides; `modulecontroller.ts` writes. */

import { type Calendar, err, ok, type Result } from '@lockstep/kube/env'
import {
  digestOf,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type KubeObject,
  type Stored,
} from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'
import { mentioned, shadowedVariables } from '../../decisions/binding/index.ts'
import {
  type ModuleEdge,
  type ModuleRef,
  moduleCycle,
  moduleEdges,
  moduleId,
} from '../../decisions/graph/index.ts'
import { buildOrder } from '../../decisions/order/index.ts'
import { claimTextsOf } from '../../decisions/ownership/index.ts'
import { contentOfSource, contentOfSpec, revisionOf, specProblems } from '../../decisions/revision/index.ts'
import { splitCompanions } from '../../sources/clustergroup/index.ts'
import { type RefMovement, refMovementOf, unvouched } from '../../sources/git/index.ts'
import { chartMovement } from '../../sources/helmrepository/index.ts'
import {
  type Bundle,
  bundleOf,
  fault,
  faultOf,
  type HubReader,
  isSensitive,
  normalize,
  type ResolvedSource,
  type SourceFailure,
  type SourceFetcher,
} from '../../sources/intake/index.ts'
import { resolveSource } from '../../sources/registry.ts'
import { edgesOf, type NewRevision, type RevisionRecord } from '../cache/index.ts'
import {
  bindingsProblem,
  declaredIn,
  isBindingInput,
  mentionsProblem,
  placeholders,
  type SharedBindingsPart,
  type SharedValues,
  sharedPart,
} from './sharedbindings.ts'
import { sourceBehind } from './sourcebehind.ts'

export interface PublishDecisionInput {
  readonly ref: ModuleRef
  readonly module: Stored<Module>
  /** The published revision's record. */
  readonly current: RevisionRecord | undefined
  readonly find: HubReader['find']
  readonly parsed?: NonNullable<HubReader['parsed']>
  readonly outside: SourceFetcher
  /** What another module has published needs these, by `moduleId`. */
  readonly edgesOfPublished: (id: string) => readonly ModuleEdge[]
  /** Dependencies in the spec of another module, published or not. */
  readonly edgesOfSpec: (id: string) => readonly ModuleEdge[]
  readonly keyed: HubReader['keyed']
  /** What bindings are on all clusters alike. */
  readonly shared: SharedValues
  readonly nextNumber: number
  /** Wall clock, milliseconds. */
  readonly now: number
  /** For windows. */
  readonly calendar: Calendar
}

/** A change of the source since its release was frozen; `Unknown`: it cannot be read now. */
export type SourceBehind = { readonly message: string } | 'Unknown'

export type PublishDecision =
  | {
      readonly type: 'unchanged'
      readonly movement?: RefMovement
      readonly lacking?: SourceFailure
      readonly behind?: SourceBehind
    }
  /** A new revision; `bundle` undefined: the stored one of the current revision stays. */
  | {
      readonly type: 'publish'
      readonly revision: NewRevision
      readonly bundle: Bundle | undefined
      /** Values of bindings that are not stored yet. */
      readonly values: Bundle | undefined
      /** Mentions that Kubernetes would have replaced by a variable of their container. */
      readonly shadowed?: readonly string[]
      /** What people should know of what was rendered. */
      readonly warnings?: readonly string[]
      readonly movement?: RefMovement
      readonly behind?: SourceBehind
      /** A part of the source that was never published and cannot be read: this is without it. */
      readonly lacking?: SourceFailure
    }

/**
 * While `release` is set and the same, an input whose text in the spec is unchanged keeps its value: nothing moves
 * below a release until the release does.
 */
export function decidePublish(input: PublishDecisionInput): Result<PublishDecision, SourceFailure> {
  const { ref, module, current } = input
  const problem = specProblem(input)
  if (problem) return err(problem)
  const frozen = current && isFrozen(module, current) ? current : undefined
  const shared = sharedPart(module, input.shared, input.keyed, frozen)
  if (!shared.ok) return shared
  const { find, parsed, keyed } = input
  const { namespace, name } = ref
  const reading = { namespace, name, find, keyed, ...(parsed ? { parsed } : {}) }
  const resolved = resolveSource(module.spec, reading, input.outside)
  if (frozen)
    return ok({ ...withInputsOf(input, frozen, shared.value), ...behindOf(module, frozen, resolved) })
  if (!resolved.ok) return resolved
  const lacking = lackingOf(resolved.value, current)
  if (!lacking.ok) return lacking
  const { git } = module.spec.source
  const movement = (current && movementSince(module, current, resolved.value)) ?? (git && unvouched(git.ref))
  // Versions vanish from repositories; going back is said, not found.
  if (movement?.reason === 'ResolvedOlder')
    return ok({ ...withInputsOf(input, current!, shared.value), movement })
  const inputs = [...resolved.value.inputs, ...shared.value.inputs]
  const revision = revisionOf(ref.kind, module.spec as unknown as JsonObject, inputs)
  if (current && revision === current.revision) return ok({ type: 'unchanged', ...lacking.value })
  if (current && keepsChance(module, current, resolved.value))
    return ok({ ...withInputsOf(input, current, shared.value), ...(movement ? { movement } : {}) })
  const warnings: string[] = []
  const manifests = resolved.value.manifests((line) => warnings.push(line))
  if (!manifests.ok) return manifests
  const { manifests: own, applications } = splitCompanions(manifests.value)
  const objects = rendered(module, ok(own), (line) => warnings.push(line))
  if (!objects.ok) return objects
  const sensitive = resolved.value.sensitive === true || isSensitive(objects.value)
  const digest = sensitive ? input.keyed() : ok(digestOf)
  if (!digest.ok) return digest
  const bundle = bundleOf(objects.value, sensitive, digest.value)
  const claims = claimTextsOf(objects.value, module.spec.apply.dialects)
  if (!claims.ok) return err(faultOf(claims.error))
  return ok({
    ...(movement ? { movement } : {}),
    ...lacking.value,
    type: 'publish',
    revision: newRevision(input, {
      revision,
      bundle: bundle.digest,
      inputs,
      values: shared.value.values,
      mentions: mentioned(objects.value),
      claims: claims.value,
      sourceRevision: resolved.value.sourceRevision,
      applications,
    }),
    bundle,
    values: shared.value.bundle,
    shadowed: shadowedVariables(objects.value, declaredIn(module)),
    warnings,
  })
}

function behindOf(
  module: Stored<Module>,
  frozen: RevisionRecord,
  latest: Result<ResolvedSource, SourceFailure>,
): { readonly behind?: SourceBehind } {
  if (!latest.ok) return { behind: 'Unknown' }
  const message = sourceBehind(module, frozen, latest.value)
  return message === undefined ? {} : { behind: { message } }
}

/**
 * What is delivered of a part that cannot be read any more stays, and so does all else until it can: a revision is whole.
 * What was never delivered keeps nothing else from being so.
 */
function lackingOf(
  { inputs, lacking = [] }: ResolvedSource,
  current: RevisionRecord | undefined,
): Result<{ readonly lacking?: SourceFailure }, SourceFailure> {
  const [first] = lacking
  if (!first) return ok({})
  const known = new Set(current?.inputs.map((i) => i.path))
  const delivered = lacking.find((l) => known.has(l.path))
  if (!delivered && inputs.length > 0) return ok({ lacking: first.failure })
  return err((delivered ?? first).failure)
}

/** The spec as it is now, with what the published revision was made of. */
function withInputsOf(
  input: PublishDecisionInput,
  current: RevisionRecord,
  shared: SharedBindingsPart,
): PublishDecision {
  const { ref, module } = input
  const { bundle, mentions, sourceRevision, applications } = current
  const inputs = [...current.inputs.filter((i) => !isBindingInput(i)), ...shared.inputs]
  const { values } = shared
  const revision = revisionOf(ref.kind, module.spec as unknown as JsonObject, inputs)
  if (revision === current.revision) return { type: 'unchanged' }
  return {
    type: 'publish',
    revision: newRevision(input, {
      revision,
      bundle,
      inputs,
      values,
      mentions,
      claims: hasDialectsOf(module, current) ? current.claims : undefined,
      sourceRevision,
      applications,
    }),
    bundle: undefined,
    values: shared.bundle,
  }
}

function isFrozen(module: Stored<Module>, current: RevisionRecord): boolean {
  const { release } = module.spec
  return release !== undefined && release === current.release && hasSourceOf(module, current)
}

/** What chance has made is not made again for what it does not depend on: passwords would change with an edge. */
const keepsChance = (module: Stored<Module>, current: RevisionRecord, now: ResolvedSource): boolean =>
  module.spec.render?.helm?.allowRandom === true &&
  hasSourceOf(module, current) &&
  jsonEqual(module.spec.render as unknown as JsonValue, current.spec.render as unknown as JsonValue) &&
  jsonEqual(
    now.inputs as unknown as JsonValue,
    current.inputs.filter((i) => !isBindingInput(i)) as unknown as JsonValue,
  )

/** Annotations of other tools say which objects are hooks. */
const hasDialectsOf = ({ spec }: Stored<Module>, current: RevisionRecord): boolean =>
  jsonEqual(spec.apply.dialects ?? null, current.spec.apply.dialects ?? null)

const hasSourceOf = ({ spec }: Stored<Module>, current: RevisionRecord): boolean =>
  jsonEqual(
    contentOfSource(spec.source as unknown as JsonObject),
    current.spec.source as unknown as JsonObject,
  )

/** What is published was made of the spec as it is now; of that, what it names may have changed. */
export const isSameContent = ({ spec }: Stored<Module>, current: RevisionRecord): boolean =>
  jsonEqual(contentOfSpec(spec as unknown as JsonObject), current.spec as unknown as JsonValue)

/** Of a source whose text in the spec has not changed. */
function movementSince(
  module: Stored<Module>,
  current: RevisionRecord,
  resolved: ResolvedSource,
): RefMovement | undefined {
  const { git, helm } = module.spec.source
  if (!hasSourceOf(module, current)) return undefined
  const [before, after] = [current.sourceRevision, resolved.sourceRevision]
  if (git) return refMovementOf(git.ref, before, after)
  return helm && chartMovement(helm, before, after)
}

/** The objects of a bundle, from manifests: normalized, not empty by accident, with an order. */
export function rendered(
  module: Pick<Module, 'spec'>,
  manifests: Result<Parameters<typeof normalize>[0][number][], SourceFailure>,
  warn: (line: string) => void,
): Result<KubeObject[], SourceFailure> {
  if (!manifests.ok) return manifests
  const objects = normalize(manifests.value, placeholders(module), warn)
  if (!objects.ok) return objects
  const misplaced = mentionsProblem(module, objects.value)
  if (misplaced) return err(misplaced)
  if (objects.value.length === 0 && !module.spec.apply.allowEmpty && !module.spec.source.none) {
    return err(fault('EmptyRender', {}))
  }
  const order = buildOrder(objects.value, module.spec.apply.dialects)
  return order.ok ? objects : err(faultOf(order.error))
}

function newRevision(
  { ref, module, nextNumber, now }: PublishDecisionInput,
  made: Omit<NewRevision, 'module' | 'uid' | 'spec' | 'number' | 'now'>,
): NewRevision {
  const { uid } = module.metadata
  return { module: ref, uid, spec: module.spec, ...made, number: nextNumber, now }
}

/** What no schema says: the first of what the spec alone tells, then what it takes others to see. */
function specProblem(input: PublishDecisionInput): SourceFailure | undefined {
  const { module, calendar, now } = input
  const [first] = specProblems(module.spec, { calendar, nowMs: now })
  if (first) return fault(first.reason, { field: first.field, problem: first.problem })
  return bindingsProblem(module) ?? cycleProblem(input)
}

/**
 * New edges close a cycle with specs, so that Modules that are written at once are all refused. Edges that this Module has
 * published close one with published revisions only: the other spec is refused.
 */
function cycleProblem(input: PublishDecisionInput): SourceFailure | undefined {
  const { ref, module, current, edgesOfPublished, edgesOfSpec } = input
  const id = moduleId(ref)
  const own = moduleEdges(edgesOf(module.spec.dependsOn, ref.namespace))
  const old = new Set(moduleEdges(current?.edges ?? []).map((e) => moduleId(e.to)))
  const added = own.filter((e) => !old.has(moduleId(e.to)))
  const cycle =
    moduleCycle(id, (node) => (node === id ? own : edgesOfPublished(node))) ??
    moduleCycle(id, (node) => (node === id ? added : [...edgesOfPublished(node), ...edgesOfSpec(node)]))
  if (!cycle) return undefined
  const facts = { of: 'Modules', cycle: cycle.names } as const
  // An edge that left its spec ends with the next publication.
  const isOver = ([from, to]: readonly [string, string]): boolean =>
    from !== id && !edgesOfSpec(from).some((e) => moduleId(e.to) === to)
  return fault('CycleDetected', facts, cycle.steps.some(isOver), cycle.members)
}
