import { z } from 'zod'
import type { Stored } from '../../api/kind.ts'
import { secretKind } from '../../api/kinds/foreign.ts'
import { CLUSTER_LABEL } from '../../api/labels.ts'
import { type RemoteAssemblage, remoteAssemblageKind } from '../../api/registry.ts'
import type { ClusterView } from '../../fleet/cluster.ts'
import { clusterOfSecret } from '../../fleet/inventories/secret.ts'
import type { Context } from '../command.ts'
import { failed, type Outcome } from '../failure.ts'
import { type Hub, listAll } from '../hub/hub.ts'
import { printTable } from '../output/columns.ts'
import { printData } from '../output/objects.ts'
import { defineReport } from '../output/report.ts'
import { ageText, nearest } from '../terminal/text.ts'

const cluster = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  state: z.string(),
  ready: z.string().describe('Units: ready, of all; empty before the first look.'),
  server: z.string().describe('Its address, or why there is none.'),
  labels: z.record(z.string(), z.string()),
  createdAt: z.string(),
})
type Row = z.output<typeof cluster>

export const clustersReport = defineReport('Clusters', { items: z.array(cluster) })

/** `lockstep get clusters`: from the Secrets that are clusters, without what is in them. */
export async function getClusters(c: Context, hub: Hub, name: string | undefined): Promise<Outcome> {
  const scope = c.globals.allNamespaces ? {} : { namespace: hub.namespace }
  const isCluster = `${CLUSTER_LABEL}=true`
  const labelSelector = c.globals.selector ? `${isCluster},${c.globals.selector}` : isCluster
  const secrets = await listAll(c, hub, secretKind, { ...scope, labelSelector })
  if (!secrets.ok) return secrets
  const assemblages = await listAll(c, hub, remoteAssemblageKind, scope)
  if (!assemblages.ok) return assemblages
  const all = secrets.value.map((s) =>
    rowOf(clusterOfSecret(s), s.metadata.creationTimestamp, assemblages.value),
  )
  const rows = name === undefined ? all : all.filter((r) => r.name === name)
  if (name !== undefined && rows.length === 0) {
    const meant = nearest(
      name,
      all.map((r) => r.name),
    )
    const suggestion = meant ? `Did you mean ${meant}?` : 'lockstep get clusters lists them.'
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
      `No clusters found in namespace ${hub.namespace}: a cluster is a Secret with the label ${isCluster}`,
    )
  else show(c, rows)
  return { ok: true, value: 0 }
}

function rowOf(view: ClusterView, createdAt: string, assemblages: readonly Stored<RemoteAssemblage>[]): Row {
  const its = assemblages.find(
    (a) => a.metadata.namespace === view.namespace && a.spec.clusterRef.name === view.name,
  )
  const { access } = view
  return {
    name: view.name,
    namespace: view.namespace,
    state: view.paused
      ? 'Paused'
      : access.type === 'Missing' || access.type === 'Refused'
        ? access.type
        : (its?.status?.cluster ?? 'Unknown'),
    ready: its?.status?.ready ?? '',
    server: access.type === 'Kubeconfig' ? access.endpoint.url : 'message' in access ? access.message : '',
    labels: Object.fromEntries(Object.entries(view.labels).filter(([k]) => k !== CLUSTER_LABEL)),
    createdAt,
  }
}

function show(c: Context, rows: readonly Row[]): void {
  const isWide = c.globals.output === 'wide'
  const labels = (r: Row): string =>
    Object.entries(r.labels)
      .map(([k, v]) => `${k}=${v}`)
      .join(',')
  const now = c.env.clock.now()
  const head = ['NAME', 'STATE', 'UNITS READY', 'LABELS', ...(isWide ? ['SERVER'] : []), 'AGE']
  const lines = rows.map((r) => [
    ...(c.globals.allNamespaces ? [r.namespace] : []),
    r.name,
    r.state,
    r.ready,
    labels(r),
    ...(isWide ? [r.server] : []),
    ageText(r.createdAt, now),
  ])
  printTable(c, [c.globals.allNamespaces ? ['NAMESPACE', ...head] : head, ...lines])
}
