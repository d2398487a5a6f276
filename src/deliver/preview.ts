/** What a bundle would change on a cluster, found out by reads and dry runs: for people who ask. */
import { defineKind } from '../api/kind.ts'
import type { InventoryObject } from '../api/kinds/inventory.ts'
import { INVENTORY_ANNOTATION, MANAGER } from '../api/labels.ts'
import { err, ok, type Result } from '../env/result.ts'
import { liveOf } from '../fleet/live.ts'
import { servedAs } from '../fleet/served.ts'
import type { KubeError } from '../kube/error.ts'
import { apiVersionOf, identityOf, type KubeObject, type Ref } from '../object/object.ts'
import { type Claim, claimOf, readObject, type UnitOnCluster } from './claim.ts'
import type { DesiredObject } from './desired.ts'
import { objectDiff } from './difference.ts'
import { withoutHeld } from './ignore.ts'
import { withLiveCopies } from './livecopies.ts'
import { type LostField, lostFields, ownersOf } from './owners.ts'
import { failureOf } from './refused.ts'
import { bodyOf, typed } from './write.ts'

export interface Change {
  readonly ref: Ref
  readonly action: 'create' | 'change' | 'delete' | 'refused' | 'none'
  /** Lines of a unified diff without a head. */
  readonly diff: readonly string[]
  /** Why it is refused, or what is to be known of it besides. */
  readonly message: string
  /** Fields that others have taken. */
  readonly lost: readonly LostField[]
}

/** Reads and dry runs at once. */
const AT_ONCE = 8

/** Each object of the bundle in the order of its delivery, then what would be deleted. An error: the cluster gives no answers. */
export async function previewUnit(unit: UnitOnCluster): Promise<Result<Change[], KubeError>> {
  const { inventory } = unit
  const desired = await withLiveCopies(unit.cluster, unit.desired, inventory?.objects ?? [])
  const input = { ...unit, desired }
  const wanted = desired.graph.sequence.flatMap((n) => desired.objects[n] ?? [])
  const leftovers = (inventory?.objects ?? []).filter((o) => !desired.byId.has(identityOf(o)))
  const work = [
    ...wanted.map((d) => () => previewApply(input, d)),
    ...(input.apply.prune ? leftovers.map((o) => () => previewDelete(input, o)) : []),
  ]
  const changes: Change[] = []
  for (let i = 0; i < work.length; i += AT_ONCE) {
    for (const done of await Promise.all(work.slice(i, i + AT_ONCE).map((run) => run()))) {
      if (!done.ok) return done
      changes.push(...done.value)
    }
  }
  return ok(changes)
}

async function previewApply(input: UnitOnCluster, d: DesiredObject): Promise<Result<Change[], KubeError>> {
  const say = (action: Change['action'], more: Partial<Change> = {}) =>
    ok([{ ref: d.ref, action, diff: [], message: '', lost: [], ...more }])
  if (d.problem) return say('refused', { message: d.problem.message })
  if (!d.resource) {
    const message = `the cluster does not serve ${d.object.apiVersion} ${d.ref.kind} yet`
    return say('create', { message, diff: objectDiff(undefined, d.object) })
  }
  const found = await readObject(input.cluster.client, d.resource, d.ref, d.object.apiVersion)
  if (!found.ok) return found
  const before = found.value
  const claim = before && (await claimOf(input, d.resource, before, input.apply))
  if (claim?.refused !== undefined) return say('refused', { message: claim.refused })
  if (d.lack)
    return say(before ? 'none' : 'create', {
      message: d.lack.message,
      diff: before ? [] : objectDiff(undefined, d.object),
    })
  const live = before && liveOf(before)
  const uid = input.inventory?.uid ?? ''
  const body = bodyOf({ unit: input.unit, inventoryUid: uid }, d, live, undefined)
  const done = await input.cluster.client.apply(defineKind(d.resource), body, {
    why: 'user',
    manager: MANAGER,
    dryRun: true,
    force: input.apply.conflicts === 'Take',
    validate: 'Strict',
    fence: 'any',
  })
  if (!done.ok) {
    // Its namespace, or its kind, is in the same bundle.
    const isEarly = !before && (done.error.kind === 'NotFound' || done.error.kind === 'KindUnknown')
    if (isEarly) return say('create', { diff: objectDiff(undefined, d.object) })
    return isNoAnswer(done.error)
      ? err(done.error)
      : say('refused', { message: failureOf(done.error, d.ref).message })
  }
  if (!before || !live) return say('create', { diff: objectDiff(undefined, typed(done.value, d.object)) })
  const owners = ownersOf(live)
  const shown = (o: KubeObject): KubeObject => (d.ignored ? withoutHeld(o, d.object, d.ignored, owners) : o)
  const diff = objectDiff(shown(before), shown(typed(done.value, d.object)))
  const lost = owners.ours ? lostFields(d.object, owners).filter((f) => f.manager !== undefined) : []
  return say(diff.length > 0 ? 'change' : 'none', { diff, message: claim ? takenText(claim) : '', lost })
}

async function previewDelete(
  { cluster, inventory }: UnitOnCluster,
  entry: InventoryObject,
): Promise<Result<Change[], KubeError>> {
  const resource = servedAs(cluster, entry)
  if (!resource) return ok([])
  const found = await readObject(cluster.client, resource, entry, apiVersionOf(resource))
  if (!found.ok) return found
  const o = found.value
  const isOurs =
    o?.metadata.uid === entry.uid && o.metadata.annotations?.[INVENTORY_ANNOTATION] === inventory!.uid
  if (!o || !isOurs) return ok([])
  const { group, kind, namespace, name } = entry
  const ref = { group, kind, name, ...(namespace ? { namespace } : {}) }
  return ok([{ ref, action: 'delete', diff: objectDiff(o, undefined), message: '', lost: [] }])
}

const takenText = ({ from }: Claim): string =>
  from === '' ? 'is there already, and would be taken over' : `would be taken over from ${from}`

const isNoAnswer = (e: KubeError): boolean =>
  e.kind === 'Unreachable' || e.kind === 'Deadline' || e.kind === 'Aborted' || e.kind === 'Unauthorized'
