/** Shared by tests of handovers: objects, and their holders. */
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type FaultPlan, spawn } from '../simulation/process.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, type ModuleOptions, type Story } from './steps.ts'

export const namespaceText = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n'
export const inShop = (name: string, value: string): string =>
  configManifest(name, value).replace('namespace: default', 'namespace: shop')
export const claimText = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`
const webText = (version: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "registry.example.com/web:${version}"}]
`

export const together = (...texts: readonly string[]): string => texts.join('---\n')

/** Namespace, claim, ConfigMap, Deployment, and a ConfigMap that only this version has. */
export const shop = (version: string): string =>
  together(
    namespaceText,
    claimText,
    inShop('settings', version),
    webText(version),
    inShop(`only-${version}`, '1'),
  )

export type Place = readonly [resource: string, namespace: string, name: string]

/** Objects that all versions have. */
export const SHARED: readonly Place[] = [
  ['namespaces', '', 'shop'],
  ['persistentvolumeclaims', 'shop', 'data'],
  ['configmaps', 'shop', 'settings'],
  ['deployments.apps', 'shop', 'web'],
]

export const settings = (name: string): Place => ['configmaps', 'shop', name]

export const byRing = (ring: string): ModuleOptions => ({
  targets: { clusterSelector: { matchLabels: { ring } } },
})

export async function relabel(story: Story, cluster: string, labels: Record<string, string>): Promise<void> {
  const secret = clusterSecret(cluster, labels)
  must(await story.during(story.fleet.hub.apply(secretKind, secret, { ...USER, force: true })))
}

const liveAt = (story: Story, cluster: string, [resource, namespace, name]: Place) =>
  story.fleet.clusters.get(cluster)!.api.local.get(resource, namespace, name)

export const uidOf = (story: Story, cluster: string, place: Place): string | undefined =>
  liveAt(story, cluster, place)?.metadata.uid

export const uidsOf = (
  story: Story,
  cluster: string,
  places: readonly Place[] = SHARED,
): (string | undefined)[] => places.map((p) => uidOf(story, cluster, p))

/** Labels of the units that have the objects. */
export const holdersOf = (
  story: Story,
  cluster: string,
  places: readonly Place[] = SHARED,
): (string | undefined)[] =>
  places.map((p) => liveAt(story, cluster, p)?.metadata.labels?.['lockstep.dev/unit'])

export const deletesOn = (story: Story, cluster: string, from: number): string[] =>
  story.writes(cluster, from).filter((w) => w.startsWith('delete '))

/** Names of objects in an Inventory. */
export const listedBy = (story: Story, module: string, cluster = 'c1'): string[] =>
  (story.inventory(module, cluster)?.spec.objects ?? []).map((o) => o.name).sort()

export const condition = (story: Story, module: string, type: string): string | undefined =>
  story.see(module).status?.conditions?.find((c) => c.type === type && c.status === 'True')?.message

export const isGone = (story: Story, module: string): boolean =>
  story.manager.hub.modules.store.get({ namespace: 'platform', name: module }) === undefined

export async function hold(
  story: Story,
  module: string,
  spec: Readonly<Record<string, unknown>>,
): Promise<void> {
  const body = {
    apiVersion: API_VERSION,
    kind: 'Hold',
    metadata: { name: `hold-${module}`, namespace: NAMESPACE },
    spec: { targetRef: { kind: 'Module' as const, name: module }, reason: 'test', ...spec },
  }
  must(await story.during(story.fleet.hub.apply(holdKind, body as never, { ...USER, force: true })))
}

export async function release(story: Story, module: string): Promise<void> {
  const key = { namespace: NAMESPACE, name: `hold-${module}` }
  must(await story.during(story.fleet.hub.delete(holdKind, key, USER)))
}

/** A process of the controllers that dies as the plan says; the story sees its caches. */
export function startProcess(story: Story, name: string, crash?: NonNullable<FaultPlan['crash']>) {
  const process = spawn(story.fleet.env, name, {
    delayMs: 1,
    lossRate: 0,
    dropRate: 0,
    ...(crash ? { crash } : {}),
  })
  const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
  story.manager = startManager(process.env, createHttpClient(process.env, 'hub', hub, 'lockstep-controller'))
  return process
}
