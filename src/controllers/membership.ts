/** What follows where clusters leave a module because nothing selects them any more. */
import type { NewBlocker } from '../api/blocker.ts'
import type { Stored } from '../api/kind.ts'
import { ALLOW_REMOVAL_ANNOTATION } from '../api/labels.ts'
import type { Module } from '../api/registry.ts'
import { membershipOf } from '../core/rollout/membership.ts'
import type { Context } from './context.ts'
import type { UnitFacts } from './units.ts'

/** Whoever tells of those that leave, and so many may. */
export interface Teller {
  readonly events: Pick<Context['events'], 'tell'>
  readonly maxRemoval: Context['maxRemoval']
}

/**
 * The units; those that leave are kept where they are too many, until somebody allows it. Whoever leaves is told of before
 * anything of it goes. `told`: of whom that was done.
 */
export function keptMembers(
  c: Teller,
  module: Stored<Module>,
  told: Set<string>,
  units: readonly UnitFacts[],
): readonly UnitFacts[] {
  const { leave, join, tooMany } = membershipOf(
    units.map((u) => u.view),
    c.maxRemoval,
  )
  if (leave.some((cluster) => !told.has(cluster))) {
    const who = leave.length === 1 ? '1 cluster leaves' : `${leave.length} clusters leave`
    const text = `${who}, ${join.length} join`
    c.events.tell(module, [{ type: 'Normal', reason: 'SelectorChanged', action: 'Rollout', text }])
  }
  told.clear()
  for (const cluster of leave) told.add(cluster)
  if (tooMany === undefined || isAllowed(module)) return units
  const { kind, metadata } = module
  const message = `${tooMany}; allow once with annotation ${ALLOW_REMOVAL_ANNOTATION}: "${metadata.generation}"`
  const kept: NewBlocker = { reason: 'RemovalTooLarge', message, subject: `${kind}/${metadata.name}` }
  return units.map((u) => (told.has(u.view.cluster) ? { ...u, view: { ...u.view, dependants: [kept] } } : u))
}

/**
 * It was told to leave, and is selected again before anything of it was deleted: before the cause is written down nothing
 * is.
 */
export function staysAfterAll({ view, record, inventory }: UnitFacts): boolean {
  if (record?.removal?.cause !== 'Relabelled' || !view.selected || !inventory?.spec.admitted) return false
  return !(inventory.spec.causes ?? []).some((c) => c.cause === 'Relabelled')
}

/** For this spec: another one has another number. */
const isAllowed = ({ metadata }: Stored<Module>): boolean =>
  metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION] === String(metadata.generation)
