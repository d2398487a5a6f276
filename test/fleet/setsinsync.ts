/** ClusterResourceSets that are Continuous, on a hub with our own definitions: what their tests have in common. */
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { manifest, type SetStory, type StorySetOptions } from './setstory.ts'
import { NAMESPACE } from './simfleet.ts'
import { setInSync } from './starts/sets.ts'
import { forked } from './starts/start.ts'

export const CONTINUOUS = { strategy: 'Continuous' }

export const continuous = (annotations: Readonly<Record<string, string>> = {}): StorySetOptions => ({
  ...CONTINUOUS,
  annotations,
})

export const config = (name: string, v = '1') => manifest('ConfigMap', name, { data: { v } })

export const ofFiveKinds = (v = '1') => [
  config('x', v),
  manifest('ServiceAccount', 'x'),
  manifest('Secret', 'x', { type: 'Opaque' }),
  manifest('Service', 'x', { spec: { ports: [{ port: 80 }] } }),
  manifest('LimitRange', 'x', { spec: { limits: [] } }),
]

export const valueOn = (story: SetStory, cluster: string, name: string): unknown =>
  (story.live(cluster, 'configmaps', name) as { data?: { v?: string } } | undefined)?.data?.v

export const convergedOf = (story: SetStory, set = 'crs1'): string =>
  story.said(set, 'lockstep.dev/Converged')

export const isInSync = (story: SetStory, set = 'crs1'): boolean =>
  convergedOf(story, set).startsWith('True/InSync') && story.said(set, 'Ready').startsWith('True/')

/** One set with two objects of one source, in sync on all of the clusters. */
export const inSync = (
  name: string,
  clusters: readonly string[],
  annotations: Readonly<Record<string, string>> = {},
): Promise<SetStory> => forked(setInSync(clusters, annotations), name)

export const moduleOf = (story: SetStory, set = 'crs1'): Stored<Module> | undefined =>
  story.manager.hub.modules.store.get({ namespace: NAMESPACE, name: `crs-${set}` })

/** What the Module of the set has on a cluster. */
export const deliveredOn = (story: SetStory, cluster: string, set = 'crs1'): Stored<Inventory> | undefined =>
  story.inventory(`crs-${set}`, cluster)
