/** Hands ClusterResourceSets back to Cluster API. */
import { ok, type Result } from '@lockstep/kube/env'
import { leaseKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { CAPI_LEASE, CAPI_NAMESPACE, type ClusterResourceSet } from '../../../api/kinds/index.ts'
import { type CliFailure, type CommandContext, failed, INTERRUPTED, nameOf } from '../index.ts'
import { askManaged, type FollowSet, type FollowSetResult, followResult, followSet } from './followset.ts'
import { handbackStateOf, isHeld, lacksBack } from './handbackstate.ts'
import { type SelectedSets, selectSets } from './selectsets.ts'

/** Asks for one set, and waits until both controllers have finished. */
export async function handBackSet(
  c: CommandContext,
  meant: SelectedSets,
  set: Stored<ClusterResourceSet>,
  { timeout, isRunning }: { readonly timeout: FollowSet['timeout']; readonly isRunning: boolean },
): Promise<FollowSetResult> {
  const asked = await askManaged(c, meant, set, null)
  if (!asked.ok) return { how: 'lost', failure: asked.error }
  return followSet(c, meant, set, {
    timeout,
    lacks: (o) => lacksBack(o, meant.kinds.set.version, isRunning),
    failure: () => undefined,
    missed: 'is not handed back',
    advice: 'start the controllers of Lockstep and Cluster API; they finish the request',
  })
}

/** Whether the controller of Cluster API works. A user who may not read its Lease waits for its answer. */
export async function isUpstreamRunning(c: CommandContext, { hub }: SelectedSets): Promise<boolean> {
  const key = { namespace: CAPI_NAMESPACE, name: CAPI_LEASE }
  const lease = await hub.client.get(leaseKind, key, { purpose: 'user', signal: c.signal })
  return lease.ok ? isHeld(lease.value, c.env.clock.now()) : lease.error.kind !== 'NotFound'
}

/** Hands back every set of the hub that Lockstep manages; their number. None is changed if one cannot be handed back. */
export async function handBackAll(
  c: CommandContext,
  timeout: FollowSet['timeout'],
): Promise<Result<number, CliFailure>> {
  const whole = { ...c, globals: { ...c.globals, allNamespaces: true } }
  const meant = await selectSets(whole, ['crs'], { all: true }, { mayBeUnserved: true })
  if (!meant.ok) return meant
  const { kinds, isOwnDefinition, sets, hub } = meant.value
  const states = sets.map((set) => ({ set, ...handbackStateOf(set, kinds.set.version, isOwnDefinition) }))
  const refused = states.flatMap((s) => {
    if (s.state !== 'Refused') return []
    const ref = nameOf(kinds.set, s.set.metadata.name)
    return [failed('E_REFUSED', { ref, problem: s.message, suggestion: 'no set was changed' }).error]
  })
  const last = refused.at(-1)
  if (last) return { ok: false, error: { ...last, before: refused.slice(0, -1) } }
  const due = states.filter((s) => s.state === 'Ours')
  const isRunning = due.length > 0 && (await isUpstreamRunning(c, meant.value))
  const followed = await Promise.all(
    due.map(({ set }) => handBackSet(c, meant.value, set, { timeout, isRunning })),
  )
  const result = followResult(followed, [])
  if (!result.ok) return result
  if (result.value !== INTERRUPTED) return ok(due.length)
  return failed('E_REFUSED', {
    ref: hub.server,
    problem: 'interrupted while ClusterResourceSets are handed back',
    suggestion: 'the controllers finish the request; then run the command again',
  })
}
