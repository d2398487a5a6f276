/** Assemblages of others: they keep the records, and get gates, executor, health and a status. Modules never write there. */

import { jsonEqual, keyOf, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { mergeConditions } from '../../api/conditions.ts'
import {
  type ExternalAssemblage,
  type ExternalAssignment,
  type Inventory,
  type RemoteAssemblage,
  type RemoteAssemblageStatus,
  remoteAssemblageKind,
  type SyncStatus,
} from '../../api/kinds/index.ts'
import { ASSEMBLAGE_FINALIZER, MANAGER } from '../../api/labels.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import {
  assignmentStatus,
  type ControllerContext,
  clusterOfExternal,
  externalAssemblageKind,
  externalAssignmentBlocker,
  externalRef,
} from '../cache/index.ts'
import { namedOrphans, orphanUnit } from '../module/index.ts'
import { failedWrite, type ObjectKey, objectKey, type Request, requestOf } from '../runtime/index.ts'

export const EXTERNAL_CONTROLLER = 'foreign'

export class ExternalReconciler {
  private readonly c: ControllerContext

  constructor(context: ControllerContext) {
    this.c = context
  }

  item(namespace: string, name: string): Request {
    return requestOf(EXTERNAL_CONTROLLER, objectKey.of({ namespace, name }))
  }

  async reconcile({ namespace, name }: ObjectKey): Promise<ReconcileResult> {
    const assemblage = this.c.hub.foreign.store.get({ namespace, name })
    if (!assemblage) return { ok: true }
    const { deletionTimestamp, finalizers = [] } = assemblage.metadata
    const isDeleting = deletionTimestamp !== undefined
    // Before anything of it exists anywhere: from now on nobody can remove it behind our back.
    if (!isDeleting && !finalizers.includes(ASSEMBLAGE_FINALIZER))
      return this.patch(assemblage, [...finalizers, ASSEMBLAGE_FINALIZER])
    const left = [...this.c.hub.inventories.store.by('owner', `${namespace}/${name}`)].filter(
      (i) => i.spec.released === undefined,
    )
    const given = isDeleting ? await this.giveUp(assemblage, left) : undefined
    if (given) return given
    if (isDeleting && left.length === 0 && finalizers.includes(ASSEMBLAGE_FINALIZER))
      return this.patch(
        assemblage,
        finalizers.filter((f) => f !== ASSEMBLAGE_FINALIZER),
      )
    return this.writeStatus(assemblage, left)
  }

  private async patch(
    assemblage: Stored<ExternalAssemblage>,
    finalizers: readonly string[],
  ): Promise<ReconcileResult> {
    const { uid, resourceVersion } = assemblage.metadata
    const done = await this.c.hub.client.patch(
      externalAssemblageKind,
      keyOf(assemblage),
      { metadata: { finalizers: [...finalizers] } },
      { purpose: 'record', manager: MANAGER, precondition: { uid, resourceVersion } },
    )
    if (!done.ok) return done.error.kind === 'NotFound' ? { ok: true } : failedWrite(this.c, done.error)
    this.c.hub.foreign.observeWrite(done.value)
    return { ok: true, requeueAfterMs: 1 }
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
      const view = this.c.fleet.view(namespace, clusterRef.name)
      if (!view) return true
      const { state } = this.c.fleet.condition(view)
      return (
        state === 'Deleting' || (named.has(clusterRef.name) && !['Connected', 'Provisioning'].includes(state))
      )
    }
    const { uid } = assemblage.metadata
    const done = await Promise.all(left.filter(isGivenUp).map((i) => orphanUnit(this.c, i, uid)))
    return done.length === 0 ? undefined : (done.find((o) => !o.ok) ?? { ok: true, requeueAfterMs: 1 })
  }

  private async writeStatus(
    assemblage: Stored<ExternalAssemblage>,
    left: readonly Stored<Inventory>[],
  ): Promise<ReconcileResult> {
    const status = this.statusOf(assemblage, left)
    if (jsonEqual(status, assemblage.status)) return { ok: true }
    const done = await this.c.hub.client.update(
      remoteAssemblageKind,
      { ...assemblage, status } as unknown as Stored<RemoteAssemblage>,
      { purpose: 'status', manager: MANAGER, subresource: 'status' },
    )
    if (!done.ok) return failedWrite(this.c, done.error)
    this.c.hub.foreign.observeWrite(done.value as unknown as Stored<ExternalAssemblage>)
    return { ok: true }
  }

  private statusOf(
    assemblage: Stored<ExternalAssemblage>,
    left: readonly Stored<Inventory>[],
  ): RemoteAssemblageStatus {
    const { fleet, env } = this.c
    const { metadata, spec } = assemblage
    const now = timestamp(env.clock.now())
    const view = clusterOfExternal(fleet, assemblage)
    const { kind, name } = spec.clusterRef
    const condition = view
      ? fleet.condition(view)
      : { state: 'Absent', message: `spec.clusterRef: there is no cluster ${kind} ${name} in this namespace` }
    const syncs = (spec.syncs ?? []).map((s) => this.syncOf(assemblage, view?.name ?? name, s, now))
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
    assemblage: Stored<ExternalAssemblage>,
    cluster: string,
    record: ExternalAssignment,
    now: string,
  ): SyncStatus {
    const ref = externalRef(assemblage, record)
    const { hub } = this.c
    const key = { namespace: ref.namespace, name: inventoryName(ref, cluster) }
    const said = assignmentStatus(record, hub.inventories.store.get(key))
    const problem = externalAssignmentBlocker(hub, assemblage, ref, record)
    if (!problem) return said
    const before = assemblage.status?.syncs?.find((s) => s.kind === record.kind && s.name === record.name)
    const since = before?.blockers?.find((b) => b.reason === problem.reason)?.since ?? now
    return { ...said, state: 'Blocked', blockers: [{ ...problem, since }] }
  }
}
