/** Bindings that are the same on every cluster: inputs of a revision, like its source. Pure. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { type Digest, digestOf, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'
import { MAX_REFS } from '../../api/reasons/index.ts'
import {
  type BindingFailure,
  BUILT_IN_NAMES,
  bindingProblem,
  bindingRefs,
  mentionOutside,
  misplacedMention,
  needsSecret,
  resolveBindings,
  sharedOf,
  type ValueSources,
  type Values,
} from '../../decisions/binding/index.ts'
import type { ResolvedInput } from '../../decisions/revision/index.ts'
import {
  areSecret,
  type Bundle,
  combined,
  fault,
  faultOf,
  type HubReader,
  inField,
  type SourceFailure,
  valuesBundle,
} from '../../sources/intake/index.ts'
import type { RevisionRecord } from '../cache/index.ts'

type WithModuleSpec = Pick<Module, 'spec'>

/** As the hub has them now; all failures. */
export type SharedValues = Result<Values, readonly BindingFailure[]>

export function resolveSharedBindings({ spec }: WithModuleSpec, sources: ValueSources): SharedValues {
  const shared = sharedOf(spec.bindings ?? [])
  const names = shared.map((b) => b.name)
  return resolveBindings(shared, names, new Map(), sources)
}

/** Values that may change without a change of the spec. */
export const hasOutsideValues = ({ spec }: WithModuleSpec): boolean =>
  sharedOf(spec.bindings ?? []).some((b) => b.value === undefined)

/** What of a revision comes of its bindings. */
export interface SharedBindingsPart {
  readonly inputs: readonly ResolvedInput[]
  readonly values: Digest | undefined
  /** To be stored; undefined: it is, or there is none. */
  readonly bundle: Bundle | undefined
}

const NONE: SharedBindingsPart = { inputs: [], values: undefined, bundle: undefined }
const PATH = 'bindings'

export const isBindingInput = ({ path }: ResolvedInput): boolean => path === PATH

/** `frozen`: a revision of the same release, which keeps its values as long as the bindings say the same. */
export function sharedPart(
  { spec, metadata: { namespace = '' } }: Pick<Module, 'spec' | 'metadata'>,
  now: SharedValues,
  keyed: HubReader['keyed'],
  frozen: RevisionRecord | undefined,
): Result<SharedBindingsPart, SourceFailure> {
  const { bindings = [] } = spec
  if (frozen && jsonEqual(frozen.spec.bindings ?? [], bindings))
    return ok({ inputs: frozen.inputs.filter(isBindingInput), values: frozen.values, bundle: undefined })
  if (!now.ok) return err(failureOf(now.error, namespace))
  if (now.value.size === 0) return ok(NONE)
  const digest = areSecret(now.value) ? keyed() : ok(digestOf)
  if (!digest.ok) return digest
  const bundle = valuesBundle(now.value, digest.value)
  return ok({ inputs: [{ path: PATH, digest: bundle.digest }], values: bundle.digest, bundle })
}

function failureOf(failures: readonly BindingFailure[], namespace: string): SourceFailure {
  const refs = failures.flatMap((f) => bindingRefs(f, namespace, undefined))
  if (failures.every((f) => f.pending && !f.refused)) {
    const objects = refs.flatMap((ref) => (ref.kind === 'Object' ? [ref] : []))
    const facts = { state: 'Bindings', errors: failures.map((f) => f.message) } as const
    return fault('Fetching', facts, true, objects.slice(0, MAX_REFS))
  }
  const inSpec = ({ reason, facts, message, from }: BindingFailure): SourceFailure =>
    inField(
      faultOf({ reason, facts, message, on: bindingRefs({ from }, namespace, undefined) }, true),
      'spec.bindings',
    )
  return combined(failures.map(inSpec))
}

/** Names that manifests of the module may mention. */
export function declaredIn({ spec }: WithModuleSpec): (name: string) => boolean {
  const names = new Set((spec.bindings ?? []).map((b) => b.name))
  return (name) => names.has(name) || BUILT_IN_NAMES.has(name)
}

/** What is wrong with the bindings of a spec, and where it mentions them though nothing is replaced there. */
export function bindingsProblem({ spec }: WithModuleSpec): SourceFailure | undefined {
  const { inline: _, ...source } = spec.source
  const isDeclared = declaredIn({ spec })
  const problem =
    bindingProblem(spec.bindings ?? []) ??
    mentionOutside(source, 'spec.source', isDeclared) ??
    mentionOutside(spec.targets, 'spec.targets', isDeclared) ??
    mentionOutside(spec.dependsOn, 'spec.dependsOn', isDeclared)
  return problem === undefined ? undefined : fault('BindingInvalid', { because: 'Declaration', problem })
}

/** Mentions in rendered objects where none may be. */
export function mentionsProblem(
  { spec }: WithModuleSpec,
  objects: readonly KubeObject[],
): SourceFailure | undefined {
  const secret = needsSecret(spec.bindings ?? [])
  const problem = misplacedMention(objects, declaredIn({ spec }), (name) => secret.has(name))
  return problem === undefined ? undefined : fault('BindingInvalid', { because: 'Mention', problem })
}

/** For names that mention something: what they would be like. */
export const placeholders = ({ spec }: WithModuleSpec): Values =>
  new Map(
    [...(spec.bindings ?? []).map((b) => b.name), ...BUILT_IN_NAMES].map((name) => [name, { value: 'x' }]),
  )
