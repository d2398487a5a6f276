/** Records and admissions by what the bindings of a unit are. */

import { ok } from '@lockstep/kube/env'
import type { Digest } from '@lockstep/kube/object'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { TargetBundle, UnitStart } from '../../decisions/rollout/index.ts'
import { type NewAssignment, newAssignment, type RevisionRecord } from '../cache/index.ts'
import { revisionOfUnit } from '../unit/index.ts'
import type { ModuleDeps } from './moduledeps.ts'
import type { UnitFacts } from './unitviews.ts'

interface StartStage {
  readonly stage: string
  readonly target: TargetBundle | undefined
}

/** What a unit is assigned. Its values are kept before anything names them. Undefined: not now, it is tried again. */
export async function assignUnit(
  c: ModuleDeps,
  ref: ModuleRef,
  unit: UnitFacts,
  start: UnitStart,
  place: StartStage,
): Promise<NewAssignment | undefined> {
  const { revision = '' } = start
  const found = revisionOfUnit(c, ref, revision)
  const { values, blockers, isPending } = unit.wanted(revision)
  // Without its values a manifest would be deployed with the names of its bindings in it.
  if (found && found.mentions.length > 0 && (isPending || blockers.length > 0)) return undefined
  const stored = values ? await c.publishing.content.bundles.put(ref.namespace, values) : ok(undefined)
  if (!stored.ok) c.env.log.debug('values of bindings are not kept', { err: stored.error.message })
  return found && stored.ok
    ? assignmentOfStart(start, unit, { ...place, found, values: values?.digest })
    : undefined
}

/** What a start assigns. */
export function assignmentOfStart(
  { kind, revision }: UnitStart,
  unit: UnitFacts,
  {
    found,
    values,
    stage,
    target,
  }: StartStage & { readonly found: RevisionRecord; readonly values: Digest | undefined },
): NewAssignment {
  const record = newAssignment(found, values, stage)
  const moved = unit.view.hold ? 'Pinned' : 'Joined'
  const apart = kind === 'Rebind' ? unit.record?.apart : moved
  return revision === target?.revision || apart === undefined ? record : { ...record, apart }
}
