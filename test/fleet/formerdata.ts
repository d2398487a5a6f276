/** Data as earlier versions stored it. The controllers must be stopped. */
import type { JsonObject, KubeObject } from '../../packages/kube/src/object/index.ts'
import { inventoryKind, moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { records } from '../../packages/lockstep/src/api/records.ts'
import { must, NAMESPACE } from './simfleet.ts'
import type { Story } from './steps.ts'

const FORMER = { purpose: 'user', manager: 'lockstep', precondition: 'any' } as const
const STATUS = { ...FORMER, subresource: 'status' } as const

/** Removes the claims of all revisions. Their data are immutable, so each is recreated. */
export async function dropClaims(story: Story): Promise<void> {
  const { hub } = story.fleet
  for (const revision of story.fleet.revisions()) {
    const key = { namespace: NAMESPACE, name: revision.metadata.name! }
    const found = must(await story.during(hub.get(records.revision, key, { purpose: 'user' })))
    must(await story.during(hub.delete(records.revision, key, FORMER)))
    const {
      uid: _u,
      resourceVersion: _v,
      creationTimestamp: _c,
      managedFields: _m,
      ...metadata
    } = found.metadata
    const { claims: _, ...data } = (found as unknown as { data: JsonObject }).data
    must(await story.during(hub.create(records.revision, { ...found, metadata, data } as never, FORMER)))
  }
}

/** Removes `existed` from all entries, and `on` from all blockers. */
export async function dropLaterFields(story: Story): Promise<void> {
  const { hub } = story.fleet
  for (const { metadata, spec } of story.fleet.inventories() as readonly (KubeObject & { spec: Entries })[]) {
    const key = { namespace: NAMESPACE, name: metadata.name! }
    const objects = (spec.objects ?? []).map(({ existed: _, ...entry }) => entry)
    must(await story.during(hub.patch(inventoryKind, key, { spec: { objects } } as never, FORMER)))
  }
  for (const [kind, objects] of [
    [inventoryKind, story.fleet.inventories()],
    [moduleKind, story.fleet.objects('modules.lockstep.dev')],
  ] as const)
    for (const o of objects as readonly (KubeObject & { status?: Blockers })[]) {
      const key = { namespace: NAMESPACE, name: o.metadata.name! }
      const blockers = (o.status?.blockers ?? []).map(({ on: _, ...blocker }) => blocker)
      must(
        await story.during(
          hub.patch(kind as typeof moduleKind, key, { status: { blockers } } as never, STATUS),
        ),
      )
    }
}

interface Entries {
  readonly objects?: readonly JsonObject[]
}

interface Blockers {
  readonly blockers?: readonly JsonObject[]
}
