/** One module `m` on one cluster `edge`, and single objects of it: what the tests of their options share. */
import { expect } from 'vitest'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { configManifest, type ModuleOptions, type Story } from './steps.ts'

export const KEY = { name: 'x', namespace: 'default' }
export const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const

/** A ConfigMap with an annotation, or a label. */
export const said = (name: string, value: string, key: string, word: string, where = 'annotations'): string =>
  configManifest(name, value).replace(
    'namespace: default}',
    `namespace: default, ${where}: {${key}: "${word}"}}`,
  )

export const edge = (story: Story) => story.fleet.clusters.get('edge')!.client
export const liveOf = (story: Story, name = 'x') => story.live('edge', 'configmaps', name)
export const dataOf = (story: Story, name = 'x'): unknown => liveOf(story, name)?.data
export const unit = (story: Story, cluster = 'edge') => story.inventory('m', cluster)

/** Names in the Inventory. */
export const listed = (story: Story): string[] => (unit(story)?.spec.objects ?? []).map((o) => o.name).sort()

/** `Reason: message` of what the unit waits for. */
export const reasons = (story: Story, cluster = 'edge'): string[] =>
  (unit(story, cluster)?.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

export const marked = (o: KubeObject | undefined): boolean =>
  o?.metadata.labels?.[UNIT_LABEL] !== undefined ||
  o?.metadata.annotations?.[INVENTORY_ANNOTATION] !== undefined

let versions = 0

/** Publishes these manifests, and waits until that is admitted. */
export async function publish(
  story: Story,
  texts: string | readonly string[],
  more: ModuleOptions = {},
): Promise<void> {
  const name = `v${++versions}`
  await story.config(name, [texts].flat().join('---\n'))
  await story.module('m', name, more)
  await story.pass(3)
}

export const ready = async (story: Story, seconds = 120): Promise<void> =>
  expect(
    await story.until(() => story.isReady('m'), seconds),
    [...story.blockers('m'), ...reasons(story)].join('\n'),
  ).toBe(true)

/** Texts of Events about what was let go of. */
export const released = (story: Story): string[] =>
  story.fleet.commits.flatMap(({ cluster, resource, next }) =>
    cluster === 'hub' && resource.startsWith('events') && next?.reason === 'Orphaned'
      ? [(next.message ?? next.note) as string]
      : [],
  )
