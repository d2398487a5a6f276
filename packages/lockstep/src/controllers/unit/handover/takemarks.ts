/** Objects that a unit adopts by their marks: the marks name its new Inventory then, and no value of the object changes. */
import { requestErrorText } from '@lockstep/kube/client'
import { defineKind, identityOf } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { WriteIntent } from '../../../api/kinds/index.ts'
import { MANAGER } from '../../../api/labels.ts'
import { isOfForeignUnit, marksPatch } from '../../../deliver/ownership/index.ts'
import type { DesiredObject } from '../../../deliver/plan/index.ts'
import type { UnitInput } from '../../../deliver/state/index.ts'
import { markedIntents } from '../../../deliver/step/index.ts'
import type { LiveObject } from '../../../fleet/connection/index.ts'
import { requeueAfter } from '../../runtime/index.ts'
import type { UnitDeps, UnitScope } from '../unitscope.ts'
import { stampFirst } from '../unitstatus.ts'

/** Intents whose objects still name the lost Inventory, as the caches show it. */
export const markedNow = (scope: UnitScope): WriteIntent[] =>
  markedIntents(scope.inventory, (intent) => liveOf(scope, intent))

function liveOf({ session }: UnitScope, intent: WriteIntent): LiveObject | undefined {
  const resource = session.served(intent.group, intent.kind)
  return resource && session.objects(resource).get(intent)
}

/** Objects of a bundle with the marks of a lost Inventory. */
export function markedInput(
  scope: UnitScope,
  { objects }: UnitInput['desired'],
  live: UnitInput['live'],
): Pick<UnitInput, 'marked' | 'unconfirmed'> {
  const marked = new Set(markedNow(scope).map(identityOf))
  const isUnconfirmed = (d: DesiredObject): boolean => {
    const o = live(d)
    if (o === undefined || o === 'unknown' || marked.has(d.id)) return false
    return o.unit === scope.label && isOfForeignUnit(o, scope.inventory.metadata.uid)
  }
  return { marked, unconfirmed: objects.filter((d) => d && isUnconfirmed(d)).length }
}

/** Modes in which nothing is written to an object that exists. */
const UNWRITTEN: ReadonlySet<string> = new Set(['IfNotPresent', 'Observe', 'Ignore'])

/** Objects that the bundle lacks become entries; those of the bundle do with their write. Undefined: there are none. */
export async function takeLeftMarks(
  c: UnitDeps,
  scope: UnitScope,
  { desired }: UnitInput,
): Promise<ReconcileResult | undefined> {
  const { byId, objects, contentDigest } = desired
  const left = markedNow(scope).filter((intent) => {
    const d = objects[byId.get(identityOf(intent)) ?? -1]
    return d === undefined || UNWRITTEN.has(d.options.mode)
  })
  return takeStampedMarks(c, scope, left, contentDigest)
}

/** All objects with the former marks, for a removal. Undefined: there are none. */
export const takeLeavingMarks = (c: UnitDeps, scope: UnitScope): Promise<ReconcileResult | undefined> =>
  takeStampedMarks(c, scope, markedNow(scope), undefined)

async function takeStampedMarks(
  c: UnitDeps,
  scope: UnitScope,
  intents: readonly WriteIntent[],
  contentDigest: string | undefined,
): Promise<ReconcileResult | undefined> {
  if (intents.length === 0) return undefined
  const unstamped = await stampFirst(c, scope, contentDigest)
  if (unstamped) return unstamped
  return (await takeMarks(c, scope, intents)) > 0 ? requeueAfter(1) : undefined
}

/** The number of objects with the new marks. A refused object keeps its marks and is tried again with the next look. */
export async function takeMarks(
  c: UnitDeps,
  scope: UnitScope,
  intents: readonly WriteIntent[],
): Promise<number> {
  const taken = await Promise.all(intents.map((intent) => takeOne(c, scope, intent)))
  return taken.filter((is) => is).length
}

async function takeOne(c: UnitDeps, scope: UnitScope, intent: WriteIntent): Promise<boolean> {
  const { session, label, inventory, cluster } = scope
  const resource = session.served(intent.group, intent.kind)
  const live = liveOf(scope, intent)
  if (!resource || !live) return false
  const marks = { unit: label, inventoryUid: inventory.metadata.uid, nonce: intent.nonce }
  const done = await session.client.patch(defineKind(resource), intent, marksPatch(live.object, marks), {
    purpose: 'adopt',
    manager: MANAGER,
    precondition: { uid: live.uid, resourceVersion: live.resourceVersion },
  })
  if (done.ok) session.wrote(resource, done.value)
  else
    c.env.log.debug('cannot adopt an object by its marks', {
      unit: label,
      cluster: cluster.name,
      object: identityOf(intent),
      err: requestErrorText(done.error),
    })
  return done.ok
}
