/** One digest a unit, of all that it is released with: its own spec, and the digests of what it depends on. */
import { type Digest, digestOf, type JsonObject } from '@lockstep/kube/object'
import type { FluxSet } from '../flux/fluxset.ts'
import type { FluxUnit } from '../flux/fluxunit.ts'
import { withoutCarrier } from './gatedexpr.ts'
import type { ManifestDraft } from './manifestdraft.ts'
import { baseNameOf } from './versionsources.ts'

/** Digests of units that come in an order in which each is behind what it depends on. */
export function gateDigests(
  set: FluxSet,
  draft: ManifestDraft,
  order: readonly FluxUnit[],
  release: string | undefined,
): ReadonlyMap<FluxUnit, Digest> {
  const digests = new Map<FluxUnit, Digest>()
  for (const unit of order) {
    const edges = unit.edges.map((edge) => {
      const to = set.dependency(unit, edge)
      return to
        ? `${to.namespace}/${baseNameOf(to)}=${digests.get(to)}`
        : `${edge.namespace}/${edge.name}=outside`
    })
    const { dependsOn: _, ...spec } = ownSpec(draft, unit)
    const facts = [unit.kind, unit.namespace, baseNameOf(unit), spec, release ?? null, edges.sort()]
    digests.set(unit, digestOf('flux-gate/1', facts))
  }
  return digests
}

/** Without what this program wrote into it: a second run over its own output finds the same. */
function ownSpec(draft: ManifestDraft, unit: FluxUnit): JsonObject {
  const { nameSuffix, ...rest } = withoutCarrier(draft.spec(unit.manifest))
  const theirs = authorsSuffix(unit, nameSuffix)
  return theirs === undefined ? rest : { ...rest, nameSuffix: theirs }
}

/** What the author of a unit appends to its objects' names, without what a renamed unit appends. */
export function authorsSuffix(unit: FluxUnit, suffix: unknown): string | undefined {
  if (typeof suffix !== 'string' || suffix === '') return undefined
  const ours = unit.name.slice(baseNameOf(unit).length)
  const theirs = ours !== '' && suffix.endsWith(ours) ? suffix.slice(0, -ours.length) : suffix
  return theirs === '' ? undefined : theirs
}
