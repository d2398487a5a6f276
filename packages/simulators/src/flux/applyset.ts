/** How the kustomize-controller applies and deletes (pkg/ssa): in stages, each checked as a whole before its first write. */

import type { ApiFailure } from '@lockstep/apiserver/status'
import { err, ok, type Result } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import { type FluxController, liveOf, request } from './fluxcontext.ts'
import { apiVersionOfId, type InventoryId, idOf, idShown, inApplyOrder, stageOf } from './inventoryid.ts'
import { waitForHealth } from './waitforhealth.ts'

const GROUP = 'kustomize.toolkit.fluxcd.io'
const STAGE_WAIT = { pollMs: 2000, timeoutMs: 60_000, failFast: false, rules: [] }

export interface ApplySetOwner {
  readonly name: string
  readonly namespace: string
}

export const ownerLabels = (o: ApplySetOwner) => ({
  [`${GROUP}/name`]: o.name,
  [`${GROUP}/namespace`]: o.namespace,
})

export interface ApplySetResult {
  readonly id: InventoryId
  /** Left as it is because somebody asked for that. */
  readonly skipped: boolean
}

const has = (o: KubeObject | undefined, name: string, value: string): boolean => {
  const { labels, annotations } = o?.metadata ?? {}
  const key = `${GROUP}/${name}`
  const is = (v: string | undefined): boolean => v?.toLowerCase() === value.toLowerCase()
  return is(labels?.[key]) || is(annotations?.[key])
}

const isLeftAlone = (wanted: KubeObject, live: KubeObject | undefined): boolean =>
  [wanted, live].some((o) => has(o, 'reconcile', 'disabled') || has(o, 'ssa', 'Ignore')) ||
  (live !== undefined && has(wanted, 'ssa', 'IfNotPresent'))

/** Applies all objects; the error is the message of the first that cannot be. Stages before it are applied. */
export async function applySet(
  c: FluxController,
  objects: readonly KubeObject[],
  force: boolean,
): Promise<Result<readonly ApplySetResult[], string>> {
  const done: ApplySetResult[] = []
  for (const stage of [0, 1, 2]) {
    const part = objects.filter((o) => stageOf(idOf(o)) === stage)
    const applied = await applyStage(c, part, force)
    if (!applied.ok) return applied
    done.push(...applied.value)
    if (stage === 2 || part.length === 0) continue
    const ready = await waitForHealth(c, part.map(idOf), STAGE_WAIT)
    if (!ready.ok) return err(ready.error)
  }
  return ok(done)
}

async function applyStage(
  c: FluxController,
  objects: readonly KubeObject[],
  force: boolean,
): Promise<Result<readonly ApplySetResult[], string>> {
  const sorted = [...objects].sort((a, b) => inApplyOrder(idOf(a), idOf(b)))
  const out: ApplySetResult[] = []
  for (const o of sorted) {
    const skipped = isLeftAlone(o, liveOf(c, idOf(o)))
    out.push({ id: idOf(o), skipped })
    const problem = skipped ? undefined : await dryRun(c, o, force || has(o, 'force', 'enabled'))
    if (problem !== undefined) return err(problem)
  }
  for (const [i, o] of sorted.entries()) {
    if (out[i]!.skipped) continue
    if (!(await request(c.x, c.x.settings.delays.apply))) return err('context canceled')
    const applied = c.x.api.apply(o, c.manager, { force: true })
    if (!applied.ok) return err(`${idShown(idOf(o))} apply failed: ${applied.error.message}`)
  }
  return ok(out)
}

/** Whether it could be applied; what cannot change is deleted first where that is wanted. */
async function dryRun(c: FluxController, o: KubeObject, force: boolean): Promise<string | undefined> {
  if (!(await request(c.x))) return 'context canceled'
  const tried = c.x.api.apply(o, c.manager, { force: true, dryRun: true })
  if (tried.ok) return undefined
  const id = idOf(o)
  const isImmutable = /is\simmutable|immutable\sfield/.test(tried.error.message)
  if (!force || !isImmutable || !liveOf(c, id)) return dryRunError(id, tried.error)
  const gone = remove(c, id)
  if (!gone.ok)
    return `${idShown(id)} immutable field detected, failed to delete object: ${gone.error.message}`
  while (liveOf(c, id))
    if (!(await request(c.x, STAGE_WAIT.pollMs)))
      return `${idShown(id)} immutable field detected, failed to wait for object to be deleted: context canceled`
  const again = c.x.api.apply(o, c.manager, { force: true, dryRun: true })
  return again.ok ? undefined : dryRunError(id, again.error)
}

function dryRunError(id: InventoryId, e: ApiFailure): string {
  if (e.reason === 'NotFound') return `${idShown(id)} not found: ${e.message}`
  return `${idShown(id)} dry-run failed${e.reason ? ` (${e.reason})` : ''}: ${e.message}`
}

function remove({ x, manager }: FluxController, id: InventoryId): Result<undefined, ApiFailure> {
  const resource = x.api.served(apiVersionOfId(id), id.kind)?.id ?? ''
  return x.api.delete(resource, id.namespace, id.name, manager, { propagation: 'Background' })
}

export interface DeleteSetResult {
  readonly deleted: readonly InventoryId[]
  /** Neither gone nor left alone on purpose: to be tried again. */
  readonly survivors: readonly InventoryId[]
  readonly error?: string
}

/** Deletes by name what carries the owner's labels, and nobody asked to keep. Who made it is not looked at. */
export async function deleteSet(
  c: FluxController,
  ids: readonly InventoryId[],
  owner: ApplySetOwner,
): Promise<DeleteSetResult> {
  const deleted: InventoryId[] = []
  const survivors: InventoryId[] = []
  const errors: string[] = []
  for (const id of [...ids].sort(inApplyOrder).reverse()) {
    if (!(await request(c.x, c.x.settings.delays.apply)))
      return { deleted, survivors, error: 'context canceled' }
    const now = liveOf(c, id)
    const isOurs = Object.entries(ownerLabels(owner)).every(([k, v]) => now?.metadata.labels?.[k] === v)
    const isKept =
      has(now, 'prune', 'disabled') || has(now, 'reconcile', 'disabled') || has(now, 'ssa', 'Ignore')
    if (now && (!isOurs || isKept)) continue
    const gone = now ? remove(c, id) : ok(undefined)
    if (gone.ok) deleted.push(id)
    else {
      survivors.push(id)
      errors.push(`${idShown(id)} delete failed: ${gone.error.message};`)
    }
  }
  if (errors.length === 0) return { deleted, survivors }
  return { deleted, survivors, error: `delete failed, errors: ${errors.join('')}` }
}
