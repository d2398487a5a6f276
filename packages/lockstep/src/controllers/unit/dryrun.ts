/** Dry runs of what is to change on a cluster, before anything of its unit is written. */

import type { RequestError } from '@lockstep/kube/client'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import { moduleId } from '../../decisions/graph/index.ts'
import type { UnitInput } from '../../deliver/state/index.ts'
import { bodyOf, refusedWrite, sendApplyRequest } from '../../deliver/write/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { recordFailure, type UnitEvaluation } from './applynode.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'

/** Dry runs of this unit before its writes. The decision for an admission stays. */
export function dryRunsOf(
  c: UnitDeps,
  scope: UnitScope,
  { dryRun }: ModuleSpec['apply'],
): UnitInput['dryRuns'] {
  if (dryRun !== 'FirstCluster') return dryRun === 'Updates' ? 'Updates' : 'None'
  const { memory, inventory } = scope
  const { serial } = inventory.spec.admitted!
  if (memory.first?.serial !== serial) memory.first = { serial, is: isFirst(c, scope) }
  return memory.first.is ? 'NewFields' : 'None'
}

/**
 * The first of several clusters that gets a revision: no other has it yet. Of several that were admitted at once, the one
 * whose name comes first; so at least one tries, whoever looks first. On an only cluster a dry run spares no other.
 */
function isFirst(c: UnitDeps, { inventory, ref }: UnitScope): boolean {
  if (c.hub.module(ref)?.status?.clusters?.total === 1) return false
  const { spec, metadata } = inventory
  const { revision } = spec.admitted!
  for (const other of c.hub.inventories.store.by('module', moduleId(ref))) {
    if (other.metadata.uid === metadata.uid || other.spec.admitted?.revision !== revision) continue
    if (other.status?.revision === revision || other.metadata.name < metadata.name) return false
  }
  return true
}

/** What the cluster refuses fails as if it had been written; what it accepts is not asked about again. */
export async function dryRunNodes(
  look: UnitEvaluation,
  { nodes, passed }: { readonly nodes: readonly number[]; readonly passed: readonly number[] },
): Promise<void> {
  const { memory } = look.scope
  for (const n of passed) {
    const d = look.input.desired.objects[n]!
    memory.dryRuns.set(d.id, d.content)
  }
  await Promise.all(nodes.map((n) => tryNode(look, n)))
}

async function tryNode(look: UnitEvaluation, n: number): Promise<void> {
  const { scope, input, evaluation } = look
  const { memory, session, label, inventory } = scope
  const state = evaluation.states[n]!
  const d = input.desired.objects[n]!
  const live: LiveObject | undefined = state.type === 'todo' ? state.live : undefined
  const body = bodyOf({ unit: label, inventoryUid: inventory.metadata.uid }, d, live, undefined)
  const { conflicts } = input.apply
  const done = await sendApplyRequest({ client: session.client, conflicts, dryRun: true }, d, body, live)
  if (done.ok || isUndecided(done.error, live)) {
    memory.dryRuns.set(d.id, d.content)
    memory.failures.delete(d.id)
    return
  }
  const refused = refusedWrite({ cluster: scope.cluster.name }, d, done.error)
  recordFailure(look, d, { ...refused, dryRun: true }, live)
}

/**
 * The write itself decides: another client was faster, or a new object may need another new one, such as the Role of its
 * RoleBinding.
 */
const isUndecided = ({ kind }: RequestError, live: LiveObject | undefined): boolean =>
  kind === 'FenceLost' || (live === undefined && kind !== 'Invalid')
