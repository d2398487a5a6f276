/** Objects that a unit adopts by their marks: the marks name its new Inventory then, and no value of the object changes. */
import { requestErrorText } from '@lockstep/kube/client'
import { defineKind, identityOf } from '@lockstep/kube/object'
import type { WriteIntent } from '../../../api/kinds/index.ts'
import { MANAGER } from '../../../api/labels.ts'
import { marksPatch } from '../../../deliver/ownership/index.ts'
import { markedIntents } from '../../../deliver/step/index.ts'
import type { LiveObject } from '../../../fleet/connection/index.ts'
import type { UnitDeps, UnitScope } from '../unitscope.ts'

/** Intents whose objects still name the lost Inventory, as the caches show it. */
export const markedNow = (scope: UnitScope): WriteIntent[] =>
  markedIntents(scope.inventory, (intent) => liveOf(scope, intent))

function liveOf({ session }: UnitScope, intent: WriteIntent): LiveObject | undefined {
  const resource = session.served(intent.group, intent.kind)
  return resource && session.objects(resource).get(intent)
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
    c.env.log.warn('cannot adopt an object by its marks', {
      unit: label,
      cluster: cluster.name,
      object: identityOf(intent),
      error: requestErrorText(done.error),
    })
  return done.ok
}
