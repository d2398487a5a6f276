/** Assemblages of others: they keep the records, and get gates, executor, health and a status. Modules never write there. */

import type { Env } from '@lockstep/kube/env'
import { keyText, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { mergeConditions } from '../../api/conditions.ts'
import {
  type ExternalAssemblage,
  type ExternalAssignment,
  type Inventory,
  type RemoteAssemblageStatus,
  remoteAssemblageKind,
  type SyncStatus,
} from '../../api/kinds/index.ts'
import { ASSEMBLAGE_FINALIZER } from '../../api/labels.ts'
import type { Fleet } from '../../fleet/clusters/index.ts'
import {
  clusterOfExternal,
  externalAssignmentBlocker,
  externalRef,
  type HubInformers,
  recordedHub,
  unitSummary,
} from '../cache/index.ts'
import { namedOrphans, orphanUnit } from '../module/index.ts'
import {
  always,
  type Controller,
  defineController,
  done,
  ensureFinalizer,
  type FinalizersTarget,
  hasFinalizer,
  type ObjectKey,
  objectKey,
  on,
  type RequestReads,
  removeFinalizer,
  requeueAfter,
  type StatusWriter,
} from '../runtime/index.ts'
import { externalWatches } from './watches.ts'

export interface ExternalDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly status: StatusWriter
}

export function externalController(d: ExternalDeps): Controller<ObjectKey> {
  const reconciler = new ExternalReconciler(d)
  return defineController({
    name: 'foreign',
    key: objectKey,
    for: on('foreign', always),
    watches: externalWatches(d),
    reconcile: (key, reads) => reconciler.reconcile(key, reads),
  })
}

/** A record, the name under which units know its cluster, and the time of the report. */
interface ReportedRecord {
  readonly record: ExternalAssignment
  readonly cluster: string
  readonly now: string
}

class ExternalReconciler {
  private readonly d: ExternalDeps

  constructor(d: ExternalDeps) {
    this.d = d
  }

  async reconcile(key: ObjectKey, reads: RequestReads): Promise<ReconcileResult> {
    const assemblage = this.d.hub.foreign.store.get(key)
    if (!assemblage) return done
    const isDeleting = assemblage.metadata.deletionTimestamp !== undefined
    const { hub } = this.d
    const target: FinalizersTarget<ExternalAssemblage> = {
      own: hub.own,
      kind: remoteAssemblageKind,
      purpose: 'record',
      observeWrite: (o) => hub.foreign.observeWrite(o),
    }
    // Before anything of it exists anywhere: from now on nobody can remove it behind our back.
    const kept = isDeleting ? undefined : await ensureFinalizer(target, assemblage, ASSEMBLAGE_FINALIZER)
    if (kept) return kept.object ? requeueAfter(1) : kept
    const left = [...hub.inventories.store.by('owner', keyText(key))].filter(
      (i) => i.spec.released === undefined,
    )
    const given = isDeleting ? await this.giveUp(assemblage, left) : undefined
    if (given) return given
    if (isDeleting && left.length === 0 && hasFinalizer(assemblage, ASSEMBLAGE_FINALIZER)) {
      const freed = await removeFinalizer(target, assemblage, ASSEMBLAGE_FINALIZER)
      return freed.object ? requeueAfter(1) : freed
    }
    return this.d.status.update('foreign', assemblage, this.statusOf(assemblage, left, reads))
  }

  /** As of a deleted module: clusters that nobody knows any more, and those that a person names and that cannot be worked on. */
  private async giveUp(
    assemblage: Stored<ExternalAssemblage>,
    left: readonly Stored<Inventory>[],
  ): Promise<ReconcileResult | undefined> {
    const named = namedOrphans(assemblage)
    const isGivenUp = ({
      metadata: { namespace = '' },
      spec: { clusterRef },
    }: Stored<Inventory>): boolean => {
      const view = this.d.fleet.view(namespace, clusterRef.name)
      if (!view) return true
      const { state } = this.d.fleet.condition(view)
      return (
        state === 'Deleting' ||
        (named.has(clusterRef.name) && !['Connected', 'Connecting', 'Provisioning'].includes(state))
      )
    }
    const { uid } = assemblage.metadata
    const given = await Promise.all(left.filter(isGivenUp).map((i) => orphanUnit(this.d, i, uid)))
    return given.length === 0 ? undefined : (given.find((o) => !o.ok) ?? requeueAfter(1))
  }

  private statusOf(
    assemblage: Stored<ExternalAssemblage>,
    left: readonly Stored<Inventory>[],
    reads: RequestReads,
  ): RemoteAssemblageStatus {
    const { fleet, env } = this.d
    const hub = recordedHub(this.d.hub, { reads, own: undefined, breadth: 'Fleet' })
    const { metadata, spec } = assemblage
    const now = timestamp(env.clock.now())
    const view = clusterOfExternal(fleet, assemblage)
    const { kind, name } = spec.clusterRef
    const condition = view
      ? fleet.condition(view)
      : { state: 'Absent', message: `spec.clusterRef: there is no cluster ${kind} ${name} in this namespace` }
    const syncs = (spec.syncs ?? []).map((s) =>
      this.syncOf(hub, assemblage, { record: s, cluster: view?.name ?? name, now }),
    )
    const ready = syncs.filter((s) => s.state === 'Ready').length
    const isDeleting = metadata.deletionTimestamp !== undefined
    const leaving = isDeleting ? left.length : left.length - syncs.filter((s) => s.revision).length
    const first = syncs.find((s) => s.state !== 'Ready')
    const why = first?.blockers?.[0]
    const isReady = !isDeleting && condition.state === 'Connected' && ready === syncs.length && leaving <= 0
    const rest = isDeleting
      ? `it is deleted: ${left.length} units are still on ${name}`
      : first
        ? `${first.kind}/${first.name} is ${first.state}${why ? `: ${why.message}` : ''}`
        : `${ready} of ${syncs.length} records ready`
    const message = condition.message || rest
    const generation = metadata.generation ?? 0
    const reason = isReady
      ? 'Ready'
      : condition.state !== 'Connected'
        ? condition.state
        : isDeleting
          ? 'Removing'
          : (why?.reason ?? 'Applying')
    return {
      observedGeneration: generation,
      cluster: condition.state,
      ready: `${ready}/${syncs.length}`,
      syncs,
      conditions: mergeConditions(
        assemblage.status?.conditions,
        [
          {
            type: 'Ready',
            status: isReady ? 'True' : 'False',
            reason,
            message: message.slice(0, 30_000),
            observedGeneration: generation,
          },
        ],
        now,
      ),
    }
  }

  /** As its Inventory says; of what cannot be delivered, why. */
  private syncOf(
    hub: HubInformers,
    assemblage: Stored<ExternalAssemblage>,
    { record, cluster, now }: ReportedRecord,
  ): SyncStatus {
    const ref = externalRef(assemblage, record)
    const said = unitSummary(record, hub.unit(ref, cluster))
    const problem = externalAssignmentBlocker(hub, assemblage, ref, record)
    if (!problem) return said
    const before = assemblage.status?.syncs?.find((s) => s.kind === record.kind && s.name === record.name)
    const since = before?.blockers?.find((b) => b.reason === problem.reason)?.since ?? now
    return { ...said, state: 'Blocked', blockers: [{ ...problem, since }] }
  }
}
