/**
 * After a hand-back: what Lockstep has put on objects of clusters is taken off, one request an object. No controller is
 * responsible for them any more, so that the command does it itself.
 */

import {
  type KubeClient,
  listAll,
  type RequestError,
  requestErrorText,
  type ServedResource,
} from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { defineKind, type Kind, keyOf, refOf, refText, type Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet } from '../../../api/kinds/index.ts'
import { CLI_MANAGER, INVENTORY_ANNOTATION, NONCE_ANNOTATION, UNIT_LABEL } from '../../../api/labels.ts'
import { SET_KIND } from '../../../controllers/cache/index.ts'
import { bindingEntryOf } from '../../../decisions/resourceset/index.ts'
import { unitName } from '../../../deliver/plan/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { ClusterConnections } from '../hub/index.ts'
import { type CliFailure, type CommandContext, concurrentMap } from '../index.ts'
import type { SelectedSets } from './selectsets.ts'
import { bindingOf, readSetClusters, type SetClusters, selectedBy } from './setclusters.ts'
import type { StrippedCluster } from './takeoverreport.ts'

/** Changes of others between the read of an object and the write. */
const MAX_TRIES = 5

/** Each resource once, in the version that its group prefers, if it is served in that. */
export function strippable(served: readonly ServedResource[]): ServedResource[] {
  const found = new Map<string, ServedResource>()
  for (const r of served) {
    if (!r.verbs.includes('list') || !r.verbs.includes('patch')) continue
    const id = `${r.group}/${r.plural}`
    if (r.preferred || !found.has(id)) found.set(id, r)
  }
  return [...found.values()]
}

/** Clusters that it selects, and those on which it is applied by their bindings: what is not selected any more keeps its objects. */
export const clustersOf = (set: Stored<ClusterResourceSet>, around: SetClusters): ClusterView[] => {
  const selected = selectedBy(set, around)
  const isBound = (v: ClusterView): boolean =>
    v.namespace === set.metadata.namespace &&
    bindingEntryOf(bindingOf(around, v), set.metadata.name) !== undefined
  return around.clusters.filter((v) => selected.includes(v) || (!v.deleting && isBound(v)))
}

export async function stripSet(
  c: CommandContext,
  { hub, kinds }: SelectedSets,
  set: Stored<ClusterResourceSet>,
): Promise<Result<StrippedCluster[], CliFailure>> {
  const { namespace = '', name } = set.metadata
  const around = await readSetClusters(c, hub, kinds, namespace)
  if (!around.ok) return around
  const views = clustersOf(set, around.value)
  const clusters = new ClusterConnections(c, hub, views)
  const unit = unitName({ kind: SET_KIND, namespace, name })
  const done = await concurrentMap(views, c.signal, (view) => stripOn(c, clusters, view, unit))
  await clusters.close()
  return ok(done.sort((a, b) => (a.cluster < b.cluster ? -1 : 1)))
}

async function stripOn(
  c: CommandContext,
  clusters: ClusterConnections,
  { name, objectName: cluster }: ClusterView,
  unit: string,
): Promise<StrippedCluster> {
  const there = await clusters.reach(name)
  if (typeof there === 'string') return { cluster, objects: 0, problem: there }
  let objects = 0
  for (const resource of strippable(there.served)) {
    const kind = defineKind(resource)
    const found = await marked(c, there.client, kind, unit)
    if (!found.ok) {
      // A kind that is there no more, or has no list of its own, has no objects.
      if (found.error.kind === 'NotFound' || found.error.kind === 'KindUnknown') continue
      return { cluster, objects, problem: `cannot list ${resource.plural}: ${requestErrorText(found.error)}` }
    }
    for (const o of found.value) {
      const error = await takeOff(c, there.client, kind, o)
      const named = refText({ ...refOf(o), group: kind.group, kind: kind.kind })
      if (error) return { cluster, objects, problem: `${named}: ${requestErrorText(error)}` }
      objects++
    }
  }
  return { cluster, objects }
}

function marked(
  c: CommandContext,
  client: KubeClient,
  kind: Kind,
  unit: string,
): Promise<Result<Stored[], RequestError>> {
  return listAll<Stored>(client, kind as never, {
    purpose: 'user',
    signal: c.signal,
    fields: 'metadata',
    labelSelector: `${UNIT_LABEL}=${unit}`,
  })
}

const UNMARKED = {
  metadata: {
    labels: { [UNIT_LABEL]: null },
    annotations: { [INVENTORY_ANNOTATION]: null, [NONCE_ANNOTATION]: null },
  },
}

/** Whoever has changed it since, or has it for his own now, is asked first. Undefined: nothing of it is left there. */
async function takeOff(
  c: CommandContext,
  client: KubeClient,
  kind: Kind,
  listed: Stored,
): Promise<RequestError | undefined> {
  let now = listed
  for (let tries = 1; ; tries++) {
    const { uid, resourceVersion } = now.metadata
    const call = { purpose: 'user', manager: CLI_MANAGER, signal: c.signal } as const
    const done = await client.patch(kind, keyOf(now), UNMARKED, {
      ...call,
      precondition: { uid, resourceVersion },
    })
    if (done.ok || done.error.kind === 'NotFound') return undefined
    if (done.error.kind !== 'FenceLost' || tries === MAX_TRIES) return done.error
    const read = await client.get<Stored>(kind as never, keyOf(now), call)
    if (!read.ok) return read.error.kind === 'NotFound' ? undefined : read.error
    if (read.value.metadata.labels?.[UNIT_LABEL] !== listed.metadata.labels?.[UNIT_LABEL]) return undefined
    now = read.value
  }
}
