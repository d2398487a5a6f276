/** ConfigMaps and Secrets as ClusterResourceSets have them: read as Cluster API reads them, told apart by its hashes. */

import { ok, type Result } from '@lockstep/kube/env'
import type { ConfigMap, Secret } from '@lockstep/kube/kinds'
import { digestOf, type KubeObject, short10 } from '@lockstep/kube/object'
import type { ModuleSpec, ResourceSetSourceRef } from '../../api/kinds/index.ts'
import { STEP_ANNOTATION } from '../../decisions/order/index.ts'
import {
  type ParsedSource,
  parseSourceObjects,
  type SourceProblem,
} from '../../decisions/resourceset/index.ts'
import type { ResolvedInput } from '../../decisions/revision/index.ts'
import { missingResource } from '../intake/missingresource.ts'
import type { SourceManifest } from '../intake/renderplain.ts'
import type { HubReader, MissingInput, ResolvedSource } from '../intake/resolvedsource.ts'
import { combined, fault, faultOf, type SourceFailure } from '../intake/sourcefailure.ts'

type ParsedResource = Result<ParsedSource, readonly SourceProblem[]>

/** By the data in its cache, which never changes: parsed once, whoever asks, and forgotten with it. */
const known = new WeakMap<object, { readonly as: string; readonly parsed: ParsedResource }>()

/** `object`: as a cache has it, which leaves out its kind. `told`: it was not known. */
export function parsedResource(
  kind: ResourceSetSourceRef['kind'],
  object: ConfigMap | Secret,
  told?: () => void,
): ParsedResource {
  const data = object.data ?? object
  // Of a Secret its type says whether it is read at all.
  const as = `${kind} ${object.type ?? ''}`
  const before = known.get(data)
  if (before?.as === as) return before.parsed
  told?.()
  const parsed = parseSourceObjects({ ...object, apiVersion: 'v1', kind } as KubeObject)
  known.set(data, { as, parsed })
  return parsed
}

/** Where the hash of a resource stands among the inputs of a revision. */
export const resourcePath = ({ kind, name }: ResourceSetSourceRef): string =>
  `source.resources[${kind}/${name}]`

/** The hash that a resource had when a revision was made; undefined: it was not in it. */
export const resourceHash = (
  inputs: readonly ResolvedInput[],
  ref: ResourceSetSourceRef,
): string | undefined => inputs.find((i) => i.path === resourcePath(ref))?.digest

interface ReadResource {
  readonly ref: ResourceSetSourceRef
  readonly at: number
  readonly parsed: ParsedSource
}

/**
 * What can be read, and beside it what cannot: a resource that was never delivered keeps no other one from being so
 * (`clusterresourceset_controller.go` goes on after a source that is not there). One without any object is taken for an
 * accident, however many objects the others have: what it has delivered is not deleted for that.
 */
export function resolveResourceSource(
  { resources = [], ordering }: ModuleSpec['source'],
  { namespace, find, parsed: told }: HubReader,
  allowEmpty = false,
): Result<ResolvedSource, SourceFailure> {
  const read: ReadResource[] = []
  const lacking: MissingInput[] = []
  for (const [at, ref] of resources.entries()) {
    const where = `spec.source.resources[${at}]`
    const found = find(ref)
    if (!found.ok) return found
    if (!found.value) {
      const failure = missingResource(where, { kind: ref.kind, namespace, name: ref.name })
      lacking.push({ path: resourcePath(ref), failure })
      continue
    }
    const parsed = parsedResource(ref.kind, found.value, told)
    if (!parsed.ok) lacking.push({ path: resourcePath(ref), failure: refusal(parsed.error) })
    else if (parsed.value.objects.length > 0 || allowEmpty) read.push({ ref, at, parsed: parsed.value })
    else {
      const object = `${ref.kind} ${namespace}/${ref.name}`
      lacking.push({ path: resourcePath(ref), failure: fault('EmptyRender', { field: where, object }, true) })
    }
  }
  const inputs = read.map(({ ref, parsed }) => ({ path: resourcePath(ref), digest: parsed.hash }))
  return ok({
    inputs,
    sourceRevision: `resources@sha256:${short10(digestOf('source/resources', inputs))}`,
    ...(resources.some((r) => r.kind === 'Secret') ? { sensitive: true } : {}),
    ...(lacking.length > 0 ? { lacking } : {}),
    manifests: () => ok(read.flatMap((r) => manifestsOf(r, ordering === 'Listed'))),
  })
}

const refusal = (problems: readonly SourceProblem[]): SourceFailure =>
  combined(problems.map((p) => faultOf(p, true)))

function manifestsOf({ ref, at, parsed }: ReadResource, isListed: boolean): SourceManifest[] {
  const secret = ref.kind === 'Secret' ? ({ secret: true } as const) : {}
  return parsed.objects.map(({ object, origin }) => ({
    object: isListed ? inStep(object, at) : object,
    origin,
    ...secret,
  }))
}

const inStep = (o: KubeObject, at: number): KubeObject => ({
  ...o,
  metadata: { ...o.metadata, annotations: { ...o.metadata.annotations, [STEP_ANNOTATION]: String(at) } },
})
