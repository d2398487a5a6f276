/** What a bundle would change on a cluster, found out by reads and dry runs: for people who ask. */
import { defineKind, type Stored } from '../api/kind.ts'
import type { InventoryObject } from '../api/kinds/inventory.ts'
import type { ModuleSpec } from '../api/kinds/module.ts'
import { INVENTORY_ANNOTATION, MANAGER, UNIT_LABEL } from '../api/labels.ts'
import { err, ok, type Result } from '../env/result.ts'
import { liveOf } from '../fleet/live.ts'
import type { KubeClient, ServedResource } from '../kube/client.ts'
import type { KubeError } from '../kube/error.ts'
import { identityOf, type Key, type KubeObject, type Ref, refOf, refText } from '../object/object.ts'
import { adoptionOf, formerManagers, formerOf, stillActive } from './adopt.ts'
import type { Desired, DesiredObject, FindResource } from './desired.ts'
import { objectDiff } from './difference.ts'
import { withoutHeld } from './ignore.ts'
import { type LostField, lostFields, ownersOf } from './owners.ts'
import { failureOf } from './refused.ts'
import { bodyOf, ownerOf } from './write.ts'

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

export interface PreviewInput {
  readonly cluster: { readonly client: KubeClient; readonly served: FindOwner }
  readonly desired: Desired
  /** Undefined: nothing of the unit is there yet. */
  readonly inventory: { readonly uid: string; readonly objects: readonly InventoryObject[] } | undefined
  readonly unit: string
  readonly apply: ModuleSpec['apply']
}

type FindOwner = (
  ...of: Parameters<FindResource> | [group: string, kind: string]
) => ServedResource | undefined

/** Reads and dry runs at once. */
const AT_ONCE = 8

/** Each object of the bundle in the order of its delivery, then what would be deleted. An error: the cluster gives no answers. */
export async function previewUnit(input: PreviewInput): Promise<Result<Change[], KubeError>> {
  const { desired, inventory } = input
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

async function previewApply(input: PreviewInput, d: DesiredObject): Promise<Result<Change[], KubeError>> {
  const say = (action: Change['action'], more: Partial<Change> = {}) =>
    ok([{ ref: d.ref, action, diff: [], message: '', lost: [], ...more }])
  if (d.problem) return say('refused', { message: d.problem.message })
  if (!d.resource) {
    const message = `the cluster does not serve ${d.object.apiVersion} ${d.ref.kind} yet`
    return say('create', { message, diff: objectDiff(undefined, d.object) })
  }
  const found = await read(input, d.resource, d.ref)
  if (!found.ok) return found
  const before = found.value && typed(found.value, d.object)
  const claim = before ? await claimed(input, before) : ''
  if (typeof claim !== 'string') return say('refused', { message: claim.refused })
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
  return say(diff.length > 0 ? 'change' : 'none', { diff, message: claim, lost })
}

async function previewDelete(
  { cluster, inventory, ...input }: PreviewInput,
  entry: InventoryObject,
): Promise<Result<Change[], KubeError>> {
  const resource =
    cluster.served(entry.group, entry.kind, entry.version) ?? cluster.served(entry.group, entry.kind)
  const found = resource ? await read({ cluster, inventory, ...input }, resource, entry) : ok(undefined)
  if (!found.ok) return found
  const o = found.value && typed(found.value, { apiVersion: found.value.apiVersion, kind: entry.kind })
  const isOurs =
    o?.metadata.uid === entry.uid && o.metadata.annotations?.[INVENTORY_ANNOTATION] === inventory!.uid
  if (!o || !isOurs) return ok([])
  const { group, kind, namespace, name } = entry
  const ref = { group, kind, name, ...(namespace ? { namespace } : {}) }
  return ok([{ ref, action: 'delete', diff: objectDiff(o, undefined), message: '', lost: [] }])
}

const typed = (o: Stored, { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): Stored => ({
  ...o,
  apiVersion,
  kind,
})

async function read(
  { cluster }: PreviewInput,
  resource: ServedResource,
  key: Key,
): Promise<Result<Stored | undefined, KubeError>> {
  const found = await cluster.client.get(defineKind(resource), key, { why: 'user' })
  return found.ok || found.error.kind !== 'NotFound' ? found : ok(undefined)
}

const isNoAnswer = (e: KubeError): boolean =>
  e.kind === 'Unreachable' || e.kind === 'Deadline' || e.kind === 'Aborted' || e.kind === 'Unauthorized'

/** From whom an object would be taken over, empty if it is ours; or why it would not be. */
async function claimed(
  { cluster, inventory, apply }: PreviewInput,
  o: Stored,
): Promise<string | { readonly refused: string }> {
  const mark = o.metadata.annotations?.[INVENTORY_ANNOTATION]
  if (mark !== undefined && mark === inventory?.uid) return ''
  if (mark !== undefined)
    return { refused: `${refText(refOf(o))} belongs to ${o.metadata.labels?.[UNIT_LABEL]}` }
  if (inventory?.objects.some((e) => e.uid === o.metadata.uid)) return ''
  const adoption = adoptionOf(o, apply)
  if (adoption.type === 'refused') return { refused: adoption.message }
  if (adoption.type === 'ask') {
    const owner = await ownerOf(cluster, adoption.former)
    if (!owner.ok) return { refused: owner.error.message }
    const active = stillActive(o, adoption.former, owner.value)
    if (active !== undefined) return { refused: active }
  }
  const from = formerOf(o)?.text ?? formerManagers(o, apply.adoptFrom).join(', ')
  return from === '' ? 'is there already, and would be taken over' : `would be taken over from ${from}`
}
