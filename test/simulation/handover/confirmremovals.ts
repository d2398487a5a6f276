/** Confirmations of a person who deletes everything. */
import { approvalKind } from '../../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { moduleKind } from '../../../packages/lockstep/src/api/kinds/module/columns.ts'
import { ALLOW_REMOVAL_ANNOTATION } from '../../../packages/lockstep/src/api/labels.ts'
import { nextAllowance } from '../../../packages/lockstep/src/controllers/module/removal/index.ts'
import { must, NAMESPACE, type SimFleet } from '../../fleet/simfleet.ts'
import type { HandoverJudge } from './handoverjudge.ts'
import { approvalBody } from './handoverobjects.ts'
import type { HandoverPlan } from './handoverplan.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

/** The number of approvals. A question about an object that Lockstep created is a problem. */
export async function confirmRemovals(
  { hub }: SimFleet,
  judge: HandoverJudge,
  plan: HandoverPlan,
  during: <T>(work: Promise<T>) => Promise<T>,
): Promise<number> {
  for (const m of judge.modules()) {
    if (!m.status?.blockers?.some((b) => b.reason === 'RemovalTooLarge')) continue
    const annotations = { [ALLOW_REMOVAL_ANNOTATION]: nextAllowance(m as never) }
    const key = { namespace: NAMESPACE, name: m.metadata.name! }
    must(await during(hub.patch(moduleKind, key, { metadata: { annotations } }, WRITE)))
  }
  let approved = 0
  for (const i of judge.inventories()) {
    const asked = (i.status?.blockers ?? []).filter((b) => b.reason === 'PruneConfirmation')
    for (const b of asked)
      if (!b.on?.some((ref) => plan.existing.includes(ref.name)))
        judge.problems.push(`a person is asked about an object that Lockstep created: ${b.message}`)
    if (asked.length === 0) continue
    const { name } = i.spec.moduleRef
    // The revision that `lockstep rollout approve` names.
    const { rollout, currentRevision } = judge.module(name)?.status ?? {}
    const revision = rollout?.revision ?? currentRevision
    if (revision === undefined) {
      judge.problems.push(`${name} asks a person, and no revision can be approved`)
      continue
    }
    const done = await during(hub.create(approvalKind, approvalBody(name, revision), WRITE))
    if (!done.ok && done.error.kind !== 'AlreadyExists') must(done)
    approved++
  }
  return approved
}
