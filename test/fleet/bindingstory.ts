/** Modules with bindings: their sources and inputs, and the objects on their clusters. */
import type { CommitRecord } from '../../packages/apiserver/src/server/tracewrites.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

export const REGION = 'topology.kubernetes.io/region'
export const FORCE = { ...USER, force: true } as const

export const objects = (...all: readonly object[]) => ({ inline: { objects: all } })
export const config = (data: Readonly<Record<string, unknown>>, name = 'a') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
})
export const region = { name: 'region', cluster: { label: REGION } }

export async function label(story: Story, cluster: string, labels: Record<string, string>): Promise<void> {
  const secret = clusterSecret(cluster, { env: 'prod', ...labels })
  must(await story.during(story.fleet.hub.apply(secretKind, secret, FORCE)))
}

export async function map(story: Story, name: string, data: Record<string, string>): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE }, data }
  must(await story.during(story.fleet.hub.apply(configMapKind, body, FORCE)))
}

export async function password(story: Story, name: string, text: string): Promise<void> {
  const data = { password: Buffer.from(text).toString('base64') }
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE }, data }
  must(await story.during(story.fleet.hub.apply(secretKind, body, FORCE)))
}

export const dataOf = (story: Story, cluster: string, name = 'a') =>
  story.live(cluster, 'configmaps', name)?.data as Readonly<Record<string, string>> | undefined

/** Clusters with a write after commit number `since`. */
export const written = (story: Story, since: number): string[] => [
  ...new Set(story.fleet.commits.slice(since).map((c) => c.cluster)),
]
export const blockers = (story: Story) =>
  (story.see('web').status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

/** The clusters in flight in a write of the status of the Module. */
export const ledgerIn = (c: CommitRecord) =>
  c.resource === 'modules.lockstep.dev' && c.next
    ? [(c.next as unknown as Module).status?.rollout?.ledger ?? []]
    : []

export const clusters = (n: number): string[] => Array.from({ length: n }, (_, i) => `c${i}`)
export const REPLACE = { rollout: { strategy: 'Replace' } }

/** A Module on clusters that each have a region of their own. */
export async function begun(
  name: string,
  names: readonly string[],
  source: object,
  more: object,
): Promise<Story> {
  const story = await Story.begin(name, names)
  for (const n of names) await label(story, n, { [REGION]: `eu-${n}` })
  await story.module('web', source, { ...REPLACE, ...more })
  return story
}
