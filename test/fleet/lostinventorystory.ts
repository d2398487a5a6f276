/** A unit whose Inventory is lost, and what people see of it. */
import { expect } from 'vitest'
import { configMapKind, eventKind } from '../../packages/kube/src/kinds/types.ts'
import { type KubeObject, keyOf } from '../../packages/kube/src/object/index.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'kubectl', precondition: 'any' } as const
export const LABEL = 'm.platform.web'
export const STAMP = { namespace: 'lockstep-system', name: `lockstep-stamp-${LABEL}` }

export const manifests = (names: readonly string[]): string =>
  names.map((name) => configManifest(name, '1')).join('---\n')
export const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `config-${i}`)

/** `web` with these objects is ready on c1. */
export async function begin(name: string, names: readonly string[], more = ''): Promise<Story> {
  const story = await Story.begin(name, ['c1'])
  await story.config('v1', manifests(names) + more)
  await story.module('web', 'v1')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  // All intents have served.
  await story.pass(120)
  return story
}

/** The controller is stopped while the Inventory is stripped of its finalizer and deleted. */
export async function lose(story: Story): Promise<string> {
  story.manager.stop()
  await story.pass(1)
  const { hub } = story.fleet
  const lost = story.inventory('web', 'c1')!
  const patch = { metadata: { finalizers: null } }
  must(await story.during(hub.patch(inventoryKind, keyOf(lost), patch, USER)))
  must(await story.during(hub.delete(inventoryKind, keyOf(lost), USER)))
  return lost.metadata.uid
}

export const start = (story: Story): void => {
  story.manager = story.fleet.startController()
}

export async function onStamp(story: Story, data: Record<string, string> | undefined): Promise<void> {
  const { client } = story.fleet.clusters.get('c1')!
  if (data) must(await story.during(client.patch(configMapKind, STAMP, { data }, USER)))
  else must(await story.during(client.delete(configMapKind, STAMP, USER)))
}

/** Creates an object on c1 with the marks of the unit. */
export async function forge(story: Story, name: string, inventory: string): Promise<void> {
  const { client } = story.fleet.clusters.get('c1')!
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'default',
      labels: { [UNIT_LABEL]: LABEL },
      annotations: { [INVENTORY_ANNOTATION]: inventory },
    },
    data: { value: 'forged' },
  }
  must(await story.during(client.create(configMapKind, body, { purpose: 'user', manager: 'kubectl' })))
}

export const reasons = (story: Story): string[] =>
  (story.inventory('web', 'c1')?.status?.blockers ?? []).map((b) => b.reason)

/** An object without what says who owns it. */
const contentOf = ({ metadata, status: _, ...rest }: KubeObject & { status?: unknown }): object => ({
  ...rest,
  uid: metadata.uid,
})
export const contents = (story: Story, names: readonly string[], resource = 'configmaps'): object[] =>
  names.map((name) => contentOf(story.live('c1', resource, name)!))

export const inventoriesOf = (story: Story, names: readonly string[]): (string | undefined)[] =>
  names.map((name) => story.live('c1', 'configmaps', name)?.metadata.annotations?.[INVENTORY_ANNOTATION])

export async function eventsOf(story: Story, reason: string) {
  const found = await story.during(story.fleet.hub.list(eventKind, { purpose: 'user', namespace: NAMESPACE }))
  return must(found).items.filter((e) => e.reason === reason)
}
