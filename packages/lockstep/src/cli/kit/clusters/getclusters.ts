import type { Stored } from '@lockstep/kube/object'
import { z } from 'zod'
import { isOfCluster } from '../../../api/blocker.ts'
import {
  type Module,
  moduleKind,
  type RemoteAssemblage,
  remoteAssemblageKind,
} from '../../../api/kinds/index.ts'
import { CLUSTER_LABEL } from '../../../api/labels.ts'
import type { ClusterView, InventoryKind } from '../../../fleet/clusters/index.ts'
import { ARGOCD_LABEL } from '../../../fleet/inventories/index.ts'
import { type HubConnection, listAll, listClusters, withUniqueNames } from '../hub/index.ts'
import { type CommandContext, type CommandResult, failed } from '../index.ts'
import { defineReport, printData, printTable } from '../output/index.ts'
import { byKeeper } from '../snapshot/index.ts'
import { ageText, nearest } from '../terminal/index.ts'
import { credentialEnd, expiresText } from './credentialend.ts'

const cluster = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  inventory: z.string().describe('Inventory of the cluster: ClusterAPI, ClusterProfile, ArgoCD or Secret.'),
  state: z.string(),
  ready: z.string().describe('Ready units of all; empty before the first report.'),
  server: z.string().describe('Address, or the reason why it is missing.'),
  labels: z.record(z.string(), z.string()),
  createdAt: z.string(),
  expires: z.string().describe('Time at which the credential in the object ends; never, or unknown.'),
  renewal: z.string().describe('Renewal of the credential: automatic (by the controller), provider or none.'),
})
type ClusterRow = z.output<typeof cluster>

export const clustersReport = defineReport('Clusters', { items: z.array(cluster) })

/** `lockstep get clusters`: from all inventories, without credentials. `withEnds`: the table tells when credentials end. */
export async function getClusters(
  c: CommandContext,
  hub: HubConnection,
  name: string | undefined,
  withEnds = false,
): Promise<CommandResult> {
  const scope = c.globals.allNamespaces ? {} : { namespace: hub.namespace }
  const { selector } = c.globals
  const clusters = await listClusters(c, hub, {
    ...scope,
    ...(selector === undefined ? {} : { labelSelector: selector }),
  })
  if (!clusters.ok) return clusters
  const listed = await listAll(c, hub, remoteAssemblageKind, scope)
  if (!listed.ok) return listed
  const { assemblages } = byKeeper(listed.value)
  const modules = await listAll(c, hub, moduleKind, scope)
  if (!modules.ok) return modules
  const createdAt = new Map(clusters.value.map((x) => [objectOf(x.view), x.createdAt]))
  const all = withUniqueNames(
    clusters.value.map((x) => x.view),
    assemblages,
  ).map((v) => rowOf(v, createdAt.get(objectOf(v)) ?? '', assemblages, modules.value))
  const rows = name === undefined ? all : all.filter((r) => r.name === name)
  if (name !== undefined && rows.length === 0) {
    const meant = nearest(
      name,
      all.map((r) => r.name),
    )
    const suggestion = meant ? `did you mean ${meant}?` : 'to list clusters, use lockstep get clusters'
    return failed('E_NOT_FOUND', { kind: 'cluster', name, namespace: hub.namespace, suggestion })
  }
  if (
    printData(
      c,
      clustersReport.fill({ items: rows }),
      rows.map((r) => `cluster/${r.name}`),
    )
  )
    return { ok: true, value: 0 }
  if (rows.length === 0)
    c.terminal.talk(
      `No clusters found in namespace ${hub.namespace}. A cluster is a Cluster of Cluster API, a ClusterProfile, a cluster Secret of Argo CD, or a Secret with a kubeconfig and the label lockstep.dev/cluster=true`,
    )
  else {
    show(c, rows, withEnds)
    if (rows.some((r) => r.state === 'Unknown'))
      c.terminal.talk('Unknown: Lockstep connects when a Module targets the cluster.')
  }
  return { ok: true, value: 0 }
}

const objectOf = (v: ClusterView): string => `${v.kind} ${v.namespace}/${v.objectName}`

function rowOf(
  view: ClusterView,
  createdAt: string,
  assemblages: readonly Stored<RemoteAssemblage>[],
  modules: readonly Stored<Module>[],
): ClusterRow {
  const its = assemblages.find(
    (a) => a.metadata.namespace === view.namespace && a.spec.clusterRef.name === view.name,
  )
  const { access } = view
  return {
    name: view.name,
    namespace: view.namespace,
    inventory: view.kind satisfies InventoryKind,
    state:
      view.paused !== undefined
        ? 'Paused'
        : access.type === 'Missing' || access.type === 'Refused'
          ? access.type
          : (its?.status?.cluster ?? saidOf(view, modules) ?? 'Unknown'),
    ready: its?.status?.ready ?? '',
    server: access.type === 'Source' ? access.source.endpoint.url : 'message' in access ? access.message : '',
    labels: Object.fromEntries(Object.entries(view.labels).filter(([k]) => !OF_INVENTORIES.includes(k))),
    createdAt,
    ...credentialEnd(view),
  }
}

/** Labels by which an object is a cluster. */
const OF_INVENTORIES: readonly string[] = [CLUSTER_LABEL, ARGOCD_LABEL]

/** Nothing was delivered there: why, as a module says that selects it. */
const saidOf = ({ namespace, name }: ClusterView, modules: readonly Stored<Module>[]): string | undefined =>
  modules
    .filter((m) => m.metadata.namespace === namespace)
    .flatMap((m) => m.status?.blockers ?? [])
    .find((b) => isOfCluster(b, name))?.reason

function show(c: CommandContext, rows: readonly ClusterRow[], withEnds: boolean): void {
  const isWide = c.globals.output === 'wide'
  const labels = (r: ClusterRow): string =>
    Object.entries(r.labels)
      .map(([k, v]) => `${k}=${v}`)
      .join(',')
  const now = c.env.clock.now()
  const head = [
    ...['NAME', 'STATE', 'UNITS READY'],
    ...(withEnds ? ['EXPIRES', 'RENEWAL'] : []),
    'LABELS',
    ...(isWide ? ['INVENTORY', 'SERVER'] : []),
    'AGE',
  ]
  const lines = rows.map((r) => [
    ...(c.globals.allNamespaces ? [r.namespace] : []),
    r.name,
    r.state,
    r.ready,
    ...(withEnds ? [expiresText(r.expires, now), r.renewal] : []),
    labels(r),
    ...(isWide ? [r.inventory, r.server] : []),
    ageText(r.createdAt, now),
  ])
  printTable(c, [c.globals.allNamespaces ? ['NAMESPACE', ...head] : head, ...lines])
}
