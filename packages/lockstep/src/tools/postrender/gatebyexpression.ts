/** Strategy `expr`: units keep their names; each dependant asks for the digest that its dependency was released with. */
import type { Digest } from '@lockstep/kube/object'
import type { FluxSet } from '../flux/fluxset.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { gatedExpr, withCarrier } from './gatedexpr.ts'
import type { ManifestDraft } from './manifestdraft.ts'
import { type PostRenderNote, postRenderNote } from './postrendernote.ts'

/** Versions that have `readyExpr` and `healthCheckExprs`. */
const CURRENT = { Kustomization: 'v1', HelmRelease: 'v2' } as const

/** What stands in the way of gates between these units; nothing is changed. */
export const exprNotes = (set: FluxSet): PostRenderNote[] =>
  set.units.flatMap((unit) => {
    const { version } = unit.manifest
    const isGated = unit.edges.some((e) => set.dependency(unit, e)) || set.dependants(unit).length > 0
    if (version === CURRENT[unit.kind] || !isGated) return []
    return [
      postRenderNote(
        'error',
        'PR05',
        { unit: unitText(unit), version, current: CURRENT[unit.kind] },
        unit.manifest,
      ),
    ]
  })

export function gateByExpression(
  set: FluxSet,
  draft: ManifestDraft,
  digests: ReadonlyMap<FluxUnit, Digest>,
): void {
  for (const unit of set.units) {
    const { manifest } = unit
    for (const edge of unit.edges) {
      const to = set.dependency(unit, edge)
      if (to) draft.set(manifest, [...edge.path, 'readyExpr'], gatedExpr(edge.readyExpr, digests.get(to)!))
    }
    if (set.dependants(unit).length > 0)
      draft.set(manifest, ['spec'], withCarrier(draft.spec(manifest), digests.get(unit)!))
  }
}
