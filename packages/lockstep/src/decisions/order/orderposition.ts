/** Where each object stands among steps, phases and waves. */
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import type { Phase, Place } from './ordergraph.ts'
import type { Implied } from './implied/impliedrule.ts'
import type { Said } from './annotations.ts'

export const PHASES: readonly Phase[] = ['PreSync', 'Sync', 'PostSync']

/** As numbers are compared. */
export const comparePlaces = (a: Place, b: Place): number =>
  a.step - b.step || PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) || a.wave - b.wave

export const isMainPhase = (phase: string): phase is Phase => PHASES.includes(phase as Phase)

/**
 * The earliest place of each object. A Namespace or CustomResourceDefinition that is no hook, and whose content comes
 * earlier, is pulled there (gitops-engine `adjustDeps`).
 */
export function placesOf(
  said: ReadonlyMap<KubeObject, Said>,
  implied: readonly Implied[],
): ReadonlyMap<KubeObject, Place> {
  const places = new Map<KubeObject, Place>()
  for (const [o, s] of said) {
    const phases: readonly Phase[] = s.hook ? s.hook.runs.map((r) => r.phase).filter(isMainPhase) : ['Sync']
    const phase = PHASES.find((p) => phases.includes(p))
    if (phase && s.options.mode !== 'Ignore') places.set(o, { step: s.step, phase, wave: s.wave })
  }
  const content = implied.filter((e) => e.strength === 'Required')
  // Content of a definition pulls the definition, which may have pulled nothing yet itself: two rounds suffice.
  for (let round = 0; round < 2; round++) for (const e of content) pull(e, places, said)
  return places
}

function pull(
  { from, to }: Implied,
  places: Map<KubeObject, Place>,
  said: ReadonlyMap<KubeObject, Said>,
): void {
  for (const home of from) {
    const here = places.get(home)
    if (!here || said.get(home)?.hook) continue
    for (const o of to) {
      const there = places.get(o)
      if (there && comparePlaces(there, places.get(home)!) < 0) places.set(home, there)
    }
  }
}
