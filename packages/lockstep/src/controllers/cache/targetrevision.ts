/** Which revision a module's fleet is to be at, out of the caches. */
import type { Stored } from '@lockstep/kube/object'
import type { Module, ModuleStatus } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleEdges, moduleId, moduleText } from '../../decisions/graph/index.ts'
import {
  type DependencyRollback,
  fleetRevision,
  type HistoryRevision,
  isRolledBack,
  lastComplete,
  type TargetRevision,
  targetRevisionOf,
} from '../../decisions/rollout/index.ts'
import type { HubCaches } from './hubcaches.ts'
import { type RevisionRecord, revisionName } from './revisions.ts'

/** The wish of a person, of a failure or of a dependency, or what is published. */
export function targetRevisionFor(
  hub: HubCaches,
  ref: ModuleRef,
  module: Stored<Module>,
  current: RevisionRecord,
  retry: boolean,
): TargetRevision {
  return targetRevisionOf({
    module: `${ref.kind}/${ref.name}`,
    published: current.revision,
    policy: module.spec.rollout,
    history: [...hub.revisions.store.by('module', moduleId(ref))].map((r) => keptOf(hub, r)),
    begun: module.status?.rollout ?? {},
    retry,
    isStuck:
      isIdle(module.status) ||
      isLeftBehind(hub, findRevisionRecord(hub, ref, module.status?.rollout?.revision)),
    below: moduleEdges(current.edges).flatMap((e) => (e.release === 'Same' ? belowOf(hub, e.to) : [])),
  })
}

const keptOf = (hub: HubCaches, r: RevisionRecord): HistoryRevision => ({
  revision: r.revision,
  release: r.release,
  completedAtMs: r.completedAt,
  get isUsable() {
    return [...hub.shards.store.by('bundle', `${r.namespace} ${r.bundle}`)].length > 0
  },
})

/** Nothing of it is in flight, and it waits for others, or has failed wherever it has been. */
const isIdle = (status: ModuleStatus | undefined): boolean =>
  ((status?.clusters?.blocked ?? 0) > 0 || hasNothingToShow(status)) &&
  !(status?.rollout?.ledger ?? []).some((e) => e.failed === undefined)

/** All of the fleet, or all of a stage, has failed and is tolerated: nothing there will ever be done. */
const hasNothingToShow = (status: ModuleStatus | undefined): boolean =>
  [status?.clusters, ...(status?.rollout?.stages ?? [])].some(
    (of) => of !== undefined && of.failed > 0 && of.failed === of.total,
  )

/** A release that something it needs has left, or will not come to: what is in flight is never verified. */
const isLeftBehind = (hub: HubCaches, of: RevisionRecord | undefined): boolean =>
  of?.release !== undefined &&
  moduleEdges(of.edges).some(({ to, release }) => {
    const wanted = findRevisionRecord(hub, to, fleetRevision(hub.published(to)?.status))?.release
    return release === 'Same' && wanted !== undefined && wanted !== of.release
  })

/** A dependency that is led back, and takes along whoever wants its release. */
function belowOf(hub: HubCaches, ref: ModuleRef): DependencyRollback[] {
  const module = hub.published(ref)
  const { rollout, currentRevision } = module?.status ?? {}
  if (!module || !rollout?.cause || !isRolledBack(rollout.cause)) return []
  if (module.spec.rollout.rollback?.withDependents === false) return []
  const published = findRevisionRecord(hub, ref, currentRevision)?.release
  return [
    { module: moduleText(ref), published, wanted: findRevisionRecord(hub, ref, rollout.revision)?.release },
  ]
}

/** What was complete last, but for one. */
export const lastCompleteRevision = (hub: HubCaches, ref: ModuleRef, but: string): string | undefined =>
  lastComplete(
    [...hub.revisions.store.by('module', moduleId(ref))].map((r) => keptOf(hub, r)),
    but,
  )?.revision

/** What the history of a module says of a revision. */
export function findRevisionRecord(
  hub: HubCaches,
  ref: ModuleRef,
  revision: string | undefined,
): RevisionRecord | undefined {
  if (revision === undefined) return undefined
  const found = hub.revisions.store.get({ namespace: ref.namespace, name: revisionName(ref, revision) })
  return found?.revision === revision ? found : undefined
}
