/** Process memory of a delivery: the time since each object has its state. */

import { identityOf } from '@lockstep/kube/object'
import type { InventoryObject } from '../../../api/kinds/index.ts'
import { afterLook } from '../../../deliver/drift/index.ts'
import { observedWaits } from '../../../deliver/plan/index.ts'
import {
  absentKey,
  type Evaluation,
  healthySince,
  troubleSince,
  type UnitInput,
} from '../../../deliver/state/index.ts'
import type { UnitScope } from '../unitscope.ts'

type MemoryScope = Pick<UnitScope, 'inventory' | 'memory'>

export function rememberStates(scope: MemoryScope, input: UnitInput, e: Evaluation): void {
  const { memory } = scope
  memory.waits = observedWaits(input, e)
  for (const [n, state] of e.states.entries()) {
    const d = input.desired.objects[n]
    const id = d?.id
    if (d && (d.ref.kind === 'Job' || d.ref.kind === 'Pod')) rememberEnd(scope, input, d.id)
    if (id === undefined) continue
    if (state.type === 'applied') memory.since.delete(absentKey(id))
    else if (input.desired.letGo.has(id) && !memory.since.has(absentKey(id)))
      memory.since.set(absentKey(id), input.steady)
    if (state.type !== 'applied') continue
    if (state.health.state !== 'Healthy') memory.healthySince.delete(id)
    else memory.healthySince.set(id, healthySince(input, id))
    const trouble = troubleSince(input, d!)
    const isHealthy = state.health.state === 'Healthy'
    if (!memory.since.has(id))
      memory.since.set(id, isHealthy ? input.steady : (trouble.waited ?? input.steady))
    if (state.health.state !== 'Degraded') memory.degradedSince.delete(id)
    else memory.degradedSince.set(id, trouble.degraded ?? input.steady)
  }
}

/** Objects that others have deleted since this process created them. */
export function rememberDeletions({ memory }: Pick<MemoryScope, 'memory'>, input: UnitInput): void {
  for (const [id, record] of memory.creates) {
    const d = input.desired.objects[input.desired.byId.get(id) ?? -1]
    const live = d && !memory.deleted.has(id) ? input.live(d) : undefined
    if (live === 'unknown') continue
    const next = d && !memory.deleted.has(id) ? afterLook(record, live, input.steady) : undefined
    if (next) memory.creates.set(id, next)
    else memory.creates.delete(id)
  }
}

/** The next record contains the end of a Job or Pod, so that it does not run again after a restart. */
function rememberEnd(scope: MemoryScope, input: UnitInput, id: string): void {
  const entry = entryOf(scope, id)
  if (entry && !entry.ended && input.ended(entry.uid)) scope.memory.applied.set(id, { ...entry, ended: true })
}

const entryOf = ({ memory, inventory }: MemoryScope, id: string): InventoryObject | undefined =>
  memory.applied.get(id) ?? inventory.spec.objects?.find((o) => identityOf(o) === id)
