/** Reads what a takeover depends on: sources and bindings on the hub, and of each cluster when it was made. */

import { requestErrorText } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { configMapKind, namespaceKind, secretKind } from '@lockstep/kube/kinds'
import { type KubeObject, parseTimestampMs, type Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet, ResourceSetSourceRef } from '../../../api/kinds/index.ts'
import { bindingEntryOf, missingSource, parseSourceObjects } from '../../../decisions/resourceset/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { ClusterConnections } from '../hub/index.ts'
import { type CliFailure, type CommandContext, concurrentMap, requestFailure } from '../index.ts'
import type { SelectedSets } from './selectsets.ts'
import { bindingOf, readSetClusters, type SetClusters, selectedBy } from './setclusters.ts'
import type { TakeoverClusterFacts, TakeoverFacts, TakeoverSourceFacts } from './takeoverplan.ts'

export async function readTakeoverFacts(
  c: CommandContext,
  meant: SelectedSets,
): Promise<Result<TakeoverFacts[], CliFailure>> {
  const facts: TakeoverFacts[] = []
  for (const namespace of new Set(meant.sets.map((s) => s.metadata.namespace ?? ''))) {
    const found = await lookIn(c, meant, namespace)
    if (!found.ok) return found
    facts.push(...found.value)
  }
  return ok(facts)
}

async function lookIn(
  c: CommandContext,
  meant: SelectedSets,
  namespace: string,
): Promise<Result<TakeoverFacts[], CliFailure>> {
  const sets = meant.sets.filter((s) => (s.metadata.namespace ?? '') === namespace)
  const around = await readSetClusters(c, meant.hub, meant.kinds, namespace)
  if (!around.ok) return around
  const made = await madeTimes(c, { ...meant, sets }, around.value)
  const facts: TakeoverFacts[] = []
  for (const set of sets) {
    const sources = await sourcesOf(c, meant, set)
    if (!sources.ok) return sources
    const clusters = selectedBy(set, around.value).map((v) => clusterFacts(set, v, around.value, made))
    facts.push({ set, sources: sources.value, clusters })
  }
  return ok(facts)
}

function clusterFacts(
  set: Stored<ClusterResourceSet>,
  view: ClusterView,
  around: SetClusters,
  made: ReadonlyMap<ClusterView, number | string>,
): TakeoverClusterFacts {
  const entries = bindingEntryOf(bindingOf(around, view), set.metadata.name)?.resources ?? []
  const { objectName: cluster, paused } = view
  return { cluster, paused, entries, madeAt: made.get(view) }
}

async function sourcesOf(
  c: CommandContext,
  { hub }: SelectedSets,
  { metadata: { namespace = '' }, spec }: Stored<ClusterResourceSet>,
): Promise<Result<TakeoverSourceFacts[], CliFailure>> {
  const out: TakeoverSourceFacts[] = []
  for (const [i, ref] of (spec.resources ?? []).entries()) {
    const kind = ref.kind === 'Secret' ? secretKind : configMapKind
    const key = { namespace, name: ref.name }
    const found = await hub.client.get<KubeObject>(kind, key, { purpose: 'user', signal: c.signal })
    if (found.ok) out.push(sourceFacts(ref, found.value))
    else if (found.error.kind === 'NotFound')
      out.push({ ref, problem: `ResourceNotFound: ${missingSource(namespace, ref, i).message}` })
    else return requestFailure(found.error, hub.server)
  }
  return ok(out)
}

function sourceFacts(ref: ResourceSetSourceRef, source: KubeObject): TakeoverSourceFacts {
  const parsed = parseSourceObjects({ ...source, apiVersion: 'v1', kind: ref.kind })
  return parsed.ok
    ? { ref, hash: parsed.value.hash }
    : { ref, problem: parsed.error.map((p) => `${p.reason}: ${p.message}`).join('; ') }
}

/** Only of clusters of which a binding says something: about others there is nothing to believe. */
async function madeTimes(
  c: CommandContext,
  { hub, sets }: SelectedSets,
  around: SetClusters,
): Promise<ReadonlyMap<ClusterView, number | string>> {
  const clusters = new ClusterConnections(c, hub, around.clusters)
  const asked = around.clusters.filter((v) =>
    sets.some((s) => {
      const isSelected = selectedBy(s, { clusters: [v] }).length > 0
      return isSelected && (bindingEntryOf(bindingOf(around, v), s.metadata.name)?.resources ?? []).length > 0
    }),
  )
  const made = await concurrentMap(
    asked,
    c.signal,
    async (view) => [view, await madeAt(c, clusters, view)] as const,
  )
  await clusters.close()
  return new Map(made)
}

async function madeAt(
  c: CommandContext,
  clusters: ClusterConnections,
  view: ClusterView,
): Promise<number | string> {
  const there = await clusters.reach(view.name)
  if (typeof there === 'string') return there
  const found = await there.client.get(
    namespaceKind,
    { name: 'kube-system' },
    { purpose: 'user', signal: c.signal },
  )
  if (!found.ok) return `cannot read Namespace kube-system: ${requestErrorText(found.error)}`
  return parseTimestampMs(found.value.metadata.creationTimestamp) ?? 'kube-system has no creation time'
}
