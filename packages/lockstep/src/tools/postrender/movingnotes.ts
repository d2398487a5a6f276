/** Content that moves while no object here does: no digest knows of it. */

import { textAt } from '../flux/fluxmanifest.ts'
import type { FluxSet } from '../flux/fluxset.ts'
import { movingChart, movingRef } from '../flux/fluxsource.ts'
import { type FluxEdge, type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { type PostRenderNote, postRenderNote } from './postrendernote.ts'

interface MovingPart {
  readonly what: string
  readonly ref: string
}

/** What lets a unit's content change under an equal spec. */
function movingContent(set: FluxSet, unit: FluxUnit): MovingPart | undefined {
  const chart = textAt(unit.spec, 'chart', 'spec', 'chart')
  if (chart !== undefined) {
    const strategy = textAt(unit.spec, 'chart', 'spec', 'reconcileStrategy')
    // In a Git repository or bucket the chart is whatever is there: its version is no choice.
    const version =
      unit.source?.kind === 'HelmRepository' ? textAt(unit.spec, 'chart', 'spec', 'version') : '0.0.0'
    const ref = movingChart(version, strategy)
    if (ref !== undefined) return { what: `chart ${chart} of ${unitText(unit)}`, ref }
  }
  const source = unit.source && set.source(unit.manifest, unit.source)
  const ref = source && movingRef(source)
  return ref === undefined ? undefined : { what: unitText(source!), ref }
}

/**
 * One note for each thing that moves below an edge. `endsComparison`: edges get a readyExpr, with which Flux no longer
 * compares revisions: where it would have, that is an error.
 */
export function movingNotes(set: FluxSet, endsComparison: boolean): PostRenderNote[] {
  const found = new Map<string, PostRenderNote>()
  for (const unit of set.units) {
    const isGated = unit.edges.length > 0 || set.dependants(unit).length > 0
    const moving = isGated ? movingContent(set, unit) : undefined
    if (!moving) continue
    const compared = endsComparison ? unit.edges.find((e) => isCompared(set, unit, e)) : undefined
    const values = { ...moving, unit: unitText(unit) }
    const { manifest } = unit
    const one = compared
      ? postRenderNote(
          'error',
          'PR07',
          { ...values, why: ENDS, suggestion: PIN_OR_GATE },
          manifest,
          compared.path,
        )
      : postRenderNote(
          'warning',
          'PR07',
          { ...values, why: 'no digest covers it', suggestion: PIN },
          manifest,
        )
    if (found.get(moving.what)?.level !== 'error' && (compared || !found.has(moving.what)))
      found.set(moving.what, one)
  }
  return [...found.values()]
}

const ENDS = "a readyExpr ends Flux's own comparison of revisions"
const PIN = 'set a commit or digest in the source, and an exact version of a chart'
const PIN_OR_GATE =
  'set a commit or digest in the source; or start kustomize-controller with --feature-gates=AdditiveCELDependencyCheck=true and use --additive-gate'

/** Flux compares revisions only between Kustomizations of one source. */
function isCompared(set: FluxSet, unit: FluxUnit, edge: FluxEdge): boolean {
  const [a, b] = [unit.source, set.dependency(unit, edge)?.source]
  return (
    unit.kind === 'Kustomization' &&
    a !== undefined &&
    a.kind === b?.kind &&
    a.name === b.name &&
    a.namespace === b.namespace
  )
}
