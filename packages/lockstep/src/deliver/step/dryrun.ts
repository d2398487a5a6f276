/** Objects that a cluster is asked about before it is written to: which, and what follows. Pure. */

import { at } from '@lockstep/kube/object'
import { definedKind } from '../../decisions/order/index.ts'
import { fieldOwnersOf, hasOtherFields } from '../ownership/fieldowners.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import type { Evaluation, NodeState, UnitInput } from '../state/unitinput.ts'
import { bodyOf } from '../write/applyobject.ts'

export type DryRunNext =
  /** Nothing stands in the way of writing. */
  | { readonly type: 'go' }
  /** What a dry run refused is refused: nothing of the unit is written. */
  | { readonly type: 'held' }
  /** `passed` are not asked about: their answer would be about what is to change before them. */
  | { readonly type: 'dryrun'; readonly nodes: readonly number[]; readonly passed: readonly number[] }

/** Each object gets at most one dry run for its content, before the first write. */
export function dryRunNext(input: UnitInput, e: Evaluation): DryRunNext {
  if (input.dryRuns === 'None') return { type: 'go' }
  const { memory, desired } = input
  const untried = e.states.flatMap((s, n) => {
    const d = desired.objects[n]
    return d && memory.dryRuns.get(d.id) !== d.content && isTried(input, s, d) ? [n] : []
  })
  if (untried.length > 0) {
    const isDecided = decidedElsewhere(input, e)
    const asked = untried.filter((n) => !isDecided(desired.objects[n]!))
    const passed = untried.filter((n) => !asked.includes(n))
    return { type: 'dryrun', nodes: asked.slice(0, input.apply.concurrency), passed }
  }
  const isRefused = e.states.some((s, n) => {
    const failure = memory.failures.get(desired.objects[n]?.id ?? '')
    return s.type === 'failed' && failure?.dryRun === true && failure.content === desired.objects[n]!.content
  })
  return { type: isRefused ? 'held' : 'go' }
}

function isTried({ dryRuns, unit, inventory }: UnitInput, s: NodeState, d: DesiredObject): boolean {
  if (s.type !== 'todo' || s.drift) return false
  // An installation has no earlier state that a refusal could spoil.
  if (!s.live) return dryRuns === 'NewFields' && !s.entry && (inventory.spec.objects ?? []).length > 0
  if (!s.entry || s.entry.content === '') return false
  if (dryRuns === 'Updates') return true
  const body = bodyOf({ unit, inventoryUid: inventory.metadata.uid }, d, s.live, s.live.nonce)
  return hasOtherFields(body, fieldOwnersOf(s.live))
}

/** Its kind, its Namespace, or who admits it, is written in the same pass. */
function decidedElsewhere({ desired }: UnitInput, e: Evaluation): (d: DesiredObject) => boolean {
  const open = desired.objects.flatMap((d, n) => (d && e.states[n]!.type !== 'applied' ? [d] : []))
  const isRule = ({ ref }: DesiredObject): boolean => ref.group === 'admissionregistration.k8s.io'
  const hasRules = open.some(isRule)
  const kinds = new Set(open.map(({ object }) => definedKind(object)))
  const groups = new Set(
    open.map(({ ref, object }) => ref.kind === 'APIService' && at(object, 'spec', 'group')),
  )
  const namespaces = new Set(open.map(({ ref }) => ref.kind === 'Namespace' && ref.group === '' && ref.name))
  return (d) =>
    (d.ref.namespace !== undefined && namespaces.has(d.ref.namespace)) ||
    (hasRules && !isRule(d)) ||
    kinds.has(`${d.ref.group}/${d.ref.kind}`) ||
    groups.has(d.ref.group)
}
