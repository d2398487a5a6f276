/** Hooks outside the graph: after a failure, before and after the unit goes. */
import type { KubeObject } from '@lockstep/kube/object'
import type { ObjectOrdering } from './annotations.ts'
import type { HookNode, HookPhase, HookSteps } from './ordergraph.ts'
import { groupsOf } from './waves.ts'

/**
 * By step and wave, and inside one by kind; without waves hooks of Helm one by one, by weight and name, before all others
 * of the step at once.
 */
export function lifecycleHooks(
  hooks: readonly HookNode[],
  phase: HookPhase,
  isWaved: boolean,
  said: ReadonlyMap<KubeObject, ObjectOrdering>,
): HookSteps {
  const own = hooks.filter((h) => h.phase === phase)
  return groupsOf(own, (h) => h.step).flatMap((step) => stepsOf(step, isWaved, said))
}

function stepsOf(
  own: readonly HookNode[],
  isWaved: boolean,
  said: ReadonlyMap<KubeObject, ObjectOrdering>,
): HookSteps {
  if (isWaved) return groupsOf(own, (h) => h.wave).flatMap((wave) => groupsOf(wave, (h) => h.kindRank))
  const weightOf = (h: HookNode): number | undefined => said.get(h.object)!.hook?.weight
  const weighed = own.filter((h) => weightOf(h) !== undefined)
  const others = own.filter((h) => weightOf(h) === undefined)
  weighed.sort((a, b) => weightOf(a)! - weightOf(b)! || byName(a, b))
  return [...weighed.map((h) => [h]), ...(others.length > 0 ? [others] : [])]
}

function byName(a: HookNode, b: HookNode): number {
  const [x, y] = [a.object.metadata.name ?? '', b.object.metadata.name ?? '']
  return x < y ? -1 : x > y ? 1 : 0
}
