/** One run for one set (`clusterresourceset_controller.go`, `Reconcile`), request for request. */
import { type KubeObject, type LabelSelector, matchesSelector } from '@lockstep/kube/object'
import type { After } from '../flux/fluxqueue.ts'
import { ClusterFailed, NotConnected } from './aggregateerror.ts'
import { applyToCluster } from './applytocluster.ts'
import type { ClusterApiContext } from './clusterapicontext.ts'
import type { UpstreamBehavior } from './clusterapioptions.ts'
import { patchSubject, SetSubject, setPath } from './patchsubject.ts'
import { removeFromBindings } from './removefrombindings.ts'
import { badSelector } from './setcondition.ts'
import { FINALIZER, isDeleting, isPaused, setSpec } from './setspec.ts'
import { isReason } from './upstreamclient.ts'

const MINUTE = { ms: 60_000 }
const CONFLICT = { ms: 100 }

export async function reconcileSet(x: ClusterApiContext, namespace: string, name: string): Promise<After> {
  const set = x.sets.get(namespace, name)
  if (!set) return 'done'
  const { client, ways } = x
  const clock = client.life.env.clock
  if (ways.finalizerFirst && !isDeleting(set) && !hasFinalizer(set)) {
    const finalizers = [...(set.metadata.finalizers ?? []), FINALIZER]
    return done(client.patch(setPath(ways, set), { metadata: { finalizers } }))
  }
  const s = new SetSubject(ways, set, () => clock.now())
  const latest = () => x.sets.get(namespace, name)
  if (ways.acknowledgesPause && acknowledge(s, ways))
    return done(patchSubject(client, ways, s, { latest, observesGeneration: false }))
  if (ways.acknowledgesPause && isPaused(set)) return 'done'
  let after: After | 'failed' = 'failed'
  try {
    after = await work(x, s)
  } finally {
    // A panic, too, is followed by the patch that was deferred; but none is followed by an observed generation.
    const observesGeneration = after !== 'failed' && after !== 'backoff'
    const written = await done(patchSubject(client, ways, s, { latest, observesGeneration }))
    if (written === 'backoff') after = 'backoff'
  }
  return after
}

const hasFinalizer = (set: KubeObject): boolean => set.metadata.finalizers?.includes(FINALIZER) ?? false

async function done(request: Promise<unknown>): Promise<After> {
  try {
    await request
    return 'done'
  } catch {
    return 'backoff'
  }
}

/** Whether the run ends with a patch of `Paused` (`util/paused`). */
function acknowledge(s: SetSubject, ways: UpstreamBehavior): boolean {
  const old = s.newer('Paused')
  const paused = isPaused(s.set)
  const message = paused ? 'ClusterResourceSet has the cluster.x-k8s.io/paused annotation' : ''
  const status = paused ? 'True' : 'False'
  s.setNewer('Paused', status, paused ? 'Paused' : 'NotPaused', message)
  const generation = s.set.metadata.generation ?? 0
  if (old?.status !== status || old.message !== message) return true
  return old.observedGeneration !== generation && (ways.patchesGenerations || paused)
}

async function work(x: ClusterApiContext, s: SetSubject): Promise<After> {
  const clusters = selected(x, s)
  if (!clusters) return 'backoff'
  if (isDeleting(s.set)) {
    try {
      await removeFromBindings(x, s, clusters)
    } catch {
      return 'backoff'
    }
    return 'done'
  }
  if (!hasFinalizer(s.set)) {
    s.finalizers = [...s.finalizers, FINALIZER]
    return 'done'
  }
  const failures: unknown[] = []
  for (const cluster of clusters) {
    const failed = await applyToCluster(x, s, cluster)
    if (failed) failures.push(failed)
  }
  return afterFailures(failures, x.ways)
}

/** A lone conflict is tried again soon, however else it went; being without a connection, in some versions, late. */
function afterFailures(all: readonly unknown[], ways: UpstreamBehavior): After {
  const isUnconnected = (e: unknown): boolean =>
    e instanceof ClusterFailed ? e.causes.some(isUnconnected) : e instanceof NotConnected
  const failures = ways.backsOffUnconnected ? all : all.filter((e) => !isUnconnected(e))
  if (failures.length === 0) return all.length > 0 ? MINUTE : 'done'
  const isConflict = failures.some(
    (e) => e instanceof ClusterFailed && e.causes.length === 1 && isReason(e.causes[0], 'Conflict'),
  )
  return isConflict ? CONFLICT : 'backoff'
}

/** Clusters that match and stay, in the order of the test; undefined: the selector is none. */
function selected(x: ClusterApiContext, s: SetSubject): readonly KubeObject[] | undefined {
  const selector = setSpec(s.set).clusterSelector
  const problem = selectorProblem(selector)
  if (problem !== undefined) {
    s.mark(badSelector(`unable to convert selector: ${problem}`))
    return undefined
  }
  if (isEmpty(selector)) return []
  const found = x.clusters
    .list(s.set.metadata.namespace ?? '')
    .filter((c) => !isDeleting(c) && matchesSelector(selector ?? {}, c.metadata.labels))
  const byName = new Map(found.map((c) => [c.metadata.name ?? '', c]))
  const names = x.options.order?.([...byName.keys()]) ?? [...byName.keys()]
  return names.flatMap((n) => byName.get(n) ?? [])
}

export const isEmpty = (s: LabelSelector | undefined): boolean =>
  Object.keys(s?.matchLabels ?? {}).length === 0 && (s?.matchExpressions ?? []).length === 0

/** `LabelSelectorAsSelector`. */
export function selectorProblem(s: LabelSelector | undefined): string | undefined {
  for (const { operator } of s?.matchExpressions ?? [])
    if (!['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator))
      return `"${operator}" is not a valid label selector operator`
  return undefined
}
