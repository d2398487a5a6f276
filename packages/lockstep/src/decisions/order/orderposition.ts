/** Where each object stands among steps, phases and waves. */
import type { KubeObject } from '@lockstep/kube/object'
import type { ObjectOrdering } from './annotations.ts'
import type { ImpliedEdge } from './implied/impliedrule.ts'
import type { OrderPosition, SyncPhase } from './ordergraph.ts'

export const SYNC_PHASES: readonly SyncPhase[] = ['PreSync', 'Sync', 'PostSync']

/** As numbers are compared. */
export const compareOrderPositions = (a: OrderPosition, b: OrderPosition): number =>
  a.step - b.step || SYNC_PHASES.indexOf(a.phase) - SYNC_PHASES.indexOf(b.phase) || a.wave - b.wave

export const isMainPhase = (phase: string): phase is SyncPhase => SYNC_PHASES.includes(phase as SyncPhase)

/**
 * The earliest place of each object. A Namespace or CustomResourceDefinition that is no hook, and whose content comes
 * earlier, is pulled there (gitops-engine `adjustDeps`).
 */
export function orderPositionsOf(
  said: ReadonlyMap<KubeObject, ObjectOrdering>,
  implied: readonly ImpliedEdge[],
): ReadonlyMap<KubeObject, OrderPosition> {
  const places = new Map<KubeObject, OrderPosition>()
  for (const [o, s] of said) {
    const phases: readonly SyncPhase[] = s.hook
      ? s.hook.runs.map((r) => r.phase).filter(isMainPhase)
      : ['Sync']
    const phase = SYNC_PHASES.find((p) => phases.includes(p))
    if (phase && s.options.mode !== 'Ignore') places.set(o, { step: s.step, phase, wave: s.wave })
  }
  const content = implied.filter((e) => e.strength === 'Required')
  // Content of a definition pulls the definition, which may have pulled nothing yet itself: two rounds suffice.
  for (let round = 0; round < 2; round++) for (const e of content) pull(e, places, said)
  return places
}

function pull(
  { from, to }: ImpliedEdge,
  places: Map<KubeObject, OrderPosition>,
  said: ReadonlyMap<KubeObject, ObjectOrdering>,
): void {
  for (const home of from) {
    const here = places.get(home)
    if (!here || said.get(home)?.hook) continue
    for (const o of to) {
      const there = places.get(o)
      if (there && compareOrderPositions(there, places.get(home)!) < 0) places.set(home, there)
    }
  }
}
