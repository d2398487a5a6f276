/** What a bundle would change on a cluster, found out by reads and dry runs: for people who ask. */
/** What a bundle would change on a cluster, found out by reads and dry runs: for people who ask. */

import type { RequestError, ServedResource } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  apiVersionOf,
  defineKind,
  identityOf,
  type KubeObject,
  type ObjectReference,
  type Stored,
} from '@lockstep/kube/object'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { INVENTORY_ANNOTATION, MANAGER } from '../../api/labels.ts'
import { deletionAnnotationsReader } from '../../decisions/order/index.ts'
import { liveObjectOf, servedAs } from '../../fleet/connection/index.ts'
import { type Claim, claimOf, readObject, type UnitOnCluster } from '../ownership/claim.ts'
import { fieldOwnersOf, type LostField, lostFields } from '../ownership/fieldowners.ts'
import { withoutReleasedFields } from '../ownership/ignorerules.ts'
import { bodyOf } from '../write/applyobject.ts'
import { typed } from '../write/applytarget.ts'
import { refusal } from '../write/refusals.ts'
import { isWholeWrite, wholeOwners, wholeWriteBody } from '../write/wholewrite.ts'
import { desiredProblem, missingCopy } from './desiredproblem.ts'
import type { DesiredObject } from './desiredstate.ts'
import { withLiveValueCopies } from './livevaluecopies.ts'
import { withNonceAnnotation } from './nonceannotation.ts'
import { objectDiff } from './objectdiff.ts'

export interface PreviewChange {
  readonly ref: ObjectReference
  readonly action: 'create' | 'change' | 'delete' | 'refused' | 'none'
  /** Lines of a unified diff without a head. */
  readonly diff: readonly string[]
  /** Why it is refused, or what is to be known of it besides. */
  readonly message: string
  /** Fields that others have taken. */
  readonly lost: readonly LostField[]
  /** Labels of the units between which it changes hands; its uid stays. */
  readonly owner?: { readonly from: string; readonly to: string }
  /** It is not in the bundle, or not the unit's to look after any more. */
  readonly leaves?: true
}

/** Reads and dry runs at once. */
const AT_ONCE = 8

/** Each object of the bundle in the order of its delivery, then what would be deleted. An error: the cluster gives no answers. */
export async function previewUnit(unit: UnitOnCluster): Promise<Result<PreviewChange[], RequestError>> {
  const { inventory } = unit
  const desired = await withLiveValueCopies(unit.cluster, unit.desired, inventory?.objects ?? [])
  const input = { ...unit, desired }
  const wanted = desired.graph.sequence.flatMap((n) => desired.objects[n] ?? [])
  const isLeft = (o: InventoryObject): boolean => !desired.byId.has(identityOf(o))
  const isFreed = (o: InventoryObject): boolean => desired.letGo.has(identityOf(o))
  const leftovers = (inventory?.objects ?? []).filter((o) => isFreed(o) || (isLeft(o) && input.apply.prune))
  const work = [
    ...wanted.map((d) => () => previewApply(input, d)),
    ...leftovers.map((o) => () => previewLeave(input, o, isFreed(o))),
  ]
  const changes: PreviewChange[] = []
  for (let i = 0; i < work.length; i += AT_ONCE) {
    for (const done of await Promise.all(work.slice(i, i + AT_ONCE).map((run) => run()))) {
      if (!done.ok) return done
      changes.push(...done.value)
    }
  }
  return ok(changes)
}

const changeOf = (
  ref: ObjectReference,
  action: PreviewChange['action'],
  more: Partial<PreviewChange> = {},
): Result<PreviewChange[], never> => ok([{ ref, action, diff: [], message: '', lost: [], ...more }])

async function previewApply(
  input: UnitOnCluster,
  d: DesiredObject,
): Promise<Result<PreviewChange[], RequestError>> {
  const problem = desiredProblem(d, input.cluster.client.cluster)
  if (problem) return changeOf(d.ref, 'refused', { message: problem.message })
  if (!d.resource) {
    const message = `the cluster does not serve ${d.object.apiVersion} ${d.ref.kind} yet`
    return changeOf(d.ref, 'create', { message, diff: objectDiff(undefined, d.object) })
  }
  const found = await readObject(input.cluster.client, d.resource, d.ref, d.object.apiVersion)
  if (!found.ok) return found
  const before = found.value
  const { mode, nonce } = d.options
  if (mode === 'Observe')
    return changeOf(d.ref, 'none', before ? {} : { message: 'does not exist, and its mode is Observe' })
  if (mode === 'IfNotPresent' && before) return changeOf(d.ref, 'none')
  const claim = before && (await claimOf(input, { ...d, resource: d.resource }, before, input.apply))
  if (claim?.refused !== undefined) return changeOf(d.ref, 'refused', { message: claim.refused })
  if (d.lack)
    return changeOf(d.ref, before ? 'none' : 'create', {
      message: missingCopy(d, d.lack, input.cluster.client.cluster).message,
      diff: before ? [] : objectDiff(undefined, d.object),
    })
  if (nonce === undefined || !before) return previewWrite(input, d, d.resource, before, claim)
  // What it would become is known only to who delivers it, and says nothing to people.
  const object = withNonceAnnotation(d.object, d.options, before.metadata.annotations?.[nonce] ?? '')
  return previewWrite(input, { ...d, object }, d.resource, before, claim)
}

async function previewWrite(
  { cluster: { client }, inventory, unit, apply, showsSecrets, handovers }: UnitOnCluster,
  d: DesiredObject,
  resource: ServedResource,
  before: Stored | undefined,
  claim: Claim | undefined,
): Promise<Result<PreviewChange[], RequestError>> {
  const live = before && liveObjectOf(before)
  const body = bodyOf({ unit, inventoryUid: inventory?.uid ?? '' }, d, live, undefined)
  const kind = defineKind(resource)
  const write = { purpose: 'user', manager: MANAGER, dryRun: true, validate: d.options.validate } as const
  const force = apply.conflicts === 'Take'
  const done = await (live && isWholeWrite(d)
    ? client.update(kind, wholeWriteBody(body, live), write)
    : client.apply(kind, body, { ...write, force, precondition: 'any' }))
  if (!done.ok) {
    // Its namespace, or its kind, is in the same bundle.
    const isEarly = !before && (done.error.kind === 'NotFound' || done.error.kind === 'KindUnknown')
    if (isEarly) return changeOf(d.ref, 'create', { diff: objectDiff(undefined, d.object) })
    return isNoAnswer(done.error)
      ? err(done.error)
      : changeOf(d.ref, 'refused', {
          message: refusal(done.error, { ...d, showsSecrets: showsSecrets === true }).message,
        })
  }
  const after = typed(done.value, d.object)
  if (!before || !live) return changeOf(d.ref, 'create', { diff: objectDiff(undefined, after) })
  const owners = isWholeWrite(d) ? wholeOwners(live) : fieldOwnersOf(live)
  const shown = (o: KubeObject): KubeObject =>
    d.ignored ? withoutReleasedFields(o, d.object, d.ignored, owners) : o
  const diff = objectDiff(shown(before), shown(after))
  const lost = owners.ours ? lostFields(d.object, owners).filter((f) => f.manager !== undefined) : []
  if (handovers && claim?.holder !== undefined)
    return changeOf(d.ref, 'change', { diff, lost, owner: { from: claim.holder, to: unit } })
  const message = claim ? takenText(claim) : ''
  return changeOf(d.ref, diff.length > 0 ? 'change' : 'none', { diff, message, lost })
}

async function previewLeave(
  { cluster, inventory, apply, unit, handovers }: UnitOnCluster,
  entry: InventoryObject,
  isFreed: boolean,
): Promise<Result<PreviewChange[], RequestError>> {
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
  const said = deletionAnnotationsReader(apply.dialects)(o)
  const change = { ref, lost: [], leaves: true } as const
  const receiver = await handovers?.receiverOf(entry, liveObjectOf(o))
  if (receiver !== undefined)
    return ok([{ ...change, action: 'change', diff: [], message: '', owner: { from: unit, to: receiver } }])
  if (isFreed || !said.prune || entry.keep?.includes('Prune'))
    return ok([{ ...change, action: 'none', diff: [], message: 'would be orphaned' }])
  const isConfirmed = said.confirm.includes('Prune') || entry.confirm?.includes('Prune')
  const message = isConfirmed ? 'is left for a person to delete' : ''
  return ok([{ ...change, action: 'delete', diff: objectDiff(o, undefined), message }])
}

const takenText = ({ from }: Claim): string =>
  from === '' ? 'exists and would be adopted' : `would be taken over from ${from}`

const isNoAnswer = (e: RequestError): boolean =>
  e.kind === 'Unreachable' ||
  e.kind === 'Malformed' ||
  e.kind === 'Deadline' ||
  e.kind === 'Aborted' ||
  e.kind === 'Unauthorized'
