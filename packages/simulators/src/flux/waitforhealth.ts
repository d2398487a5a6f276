/** Waiting for health as Flux does (pkg/ssa `WaitForSet`): kstatus, Jobs by their end, a user's rules first; polled. */

import { kstatusOf } from '@lockstep/health/health'
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, isArray, type KubeObject } from '@lockstep/kube/object'
import { ruleStatus } from './exprproblem.ts'
import { type FluxController, liveOf, request } from './fluxcontext.ts'
import type { HealthCheckExpr } from './fluxkind.ts'
import { type InventoryId, idShown, idText } from './inventoryid.ts'

type WaitStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound' | 'Unknown'

interface ObservedHealth {
  readonly status: WaitStatus
  readonly error?: string
}

export interface WaitOptions {
  readonly pollMs: number
  readonly timeoutMs: number
  /** One that has failed ends the wait for the others. */
  readonly failFast: boolean
  readonly rules: readonly HealthCheckExpr[]
  /** Jobs that go by themselves: one that is gone has ended well. */
  readonly expiring?: ReadonlySet<string>
}

/** Waits until all are Current; the error says which are not. */
export async function waitForHealth(
  c: FluxController,
  ids: readonly InventoryId[],
  o: WaitOptions,
): Promise<Result<undefined, string>> {
  const { clock } = c.x.env
  const deadline = clock.steady() + o.timeoutMs
  for (;;) {
    const seen = ids.map((id) => ({ id, ...statusOf(c, id, o) }))
    const isGood = ({ id, status }: ObservedHealth & { id: InventoryId }): boolean =>
      status === 'Current' || (status === 'NotFound' && o.expiring?.has(idText(id)) === true)
    if (seen.every(isGood)) return ok(undefined)
    const failed = seen.filter((s) => s.status === 'Failed')
    const isOver = seen.every((s) => s.status === 'Failed' || isGood(s))
    if (failed.length > 0 && (o.failFast || isOver))
      return err(`failed early due to stalled resources: [${failed.map(shown).join(', ')}]`)
    const left = deadline - clock.steady()
    if (left <= 0)
      return err(
        `timeout waiting for: [${seen
          .filter((s) => !isGood(s))
          .map(shown)
          .join(', ')}]`,
      )
    if (!(await request(c.x, Math.min(o.pollMs, left)))) return err('context canceled')
  }
}

const shown = ({ id, status, error }: ObservedHealth & { id: InventoryId }): string =>
  `${idShown(id)} status: '${status}'${error === undefined ? '' : `: ${error}`}`

function statusOf(c: FluxController, id: InventoryId, { rules }: WaitOptions): ObservedHealth {
  const o = liveOf(c, id)
  if (!o) return { status: 'NotFound' }
  const ruled = o.metadata.deletionTimestamp === undefined ? ruleStatus(rules, o) : undefined
  if (ruled) return ruled.ok ? { status: ruled.value } : { status: 'Unknown', error: ruled.error }
  const { status } = kstatusOf(o, c.x.env.clock.now())
  return { status: status === 'Current' && isUnfinishedJob(o) ? 'InProgress' : status }
}

/** Flux waits for the end of a Job, kstatus for its start (pkg/runtime/statusreaders). */
function isUnfinishedJob(o: KubeObject): boolean {
  if (o.kind !== 'Job' || at(o, 'spec', 'suspend') === true) return false
  const list = at(o, 'status', 'conditions')
  return !(isArray(list) && list.some((x) => at(x, 'type') === 'Complete' && at(x, 'status') === 'True'))
}
