/** What a hub knew at some time, and how it is made to know that again, as when its etcd is restored from a snapshot. */

import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import { must, NAMESPACE } from './simfleet.ts'
import type { Story } from './steps.ts'

export type Backup = ReadonlyMap<Kind<KubeObject>, readonly Stored[]>

const USER = { purpose: 'user', manager: 'user' } as const

/** Of these kinds all that there is now. */
export async function backup(story: Story, kinds: readonly Kind<KubeObject>[]): Promise<Backup> {
  const found = new Map<Kind<KubeObject>, readonly Stored[]>()
  for (const kind of kinds) {
    const page = await story.during(story.fleet.hub.list(kind, { purpose: 'user', namespace: NAMESPACE }))
    found.set(kind, must(page).items)
  }
  return found
}

/** What was there then is as it was, with its uid; nobody of ours may be at work meanwhile. */
export async function restore(story: Story, saved: Backup): Promise<void> {
  const { hub } = story.fleet
  for (const [kind, objects] of saved)
    for (const o of objects) {
      const now = must(await story.during(hub.get(kind, o.metadata, { purpose: 'user' })))
      const { resourceVersion } = now.metadata
      const body = { ...o, metadata: { ...o.metadata, resourceVersion } }
      const put = must(await story.during(hub.update(kind, body, USER)))
      const status = { ...body, metadata: { ...put.metadata } }
      if (!('status' in o)) continue
      must(await story.during(hub.update(kind, status, { ...USER, subresource: 'status' })))
    }
}
