/**
 * Whose a ClusterResourceSet is: Cluster API's controller is held off by its own pause before anything is written anywhere,
 * and has to have said so. On a hub with our own definition there is nobody else.
 */

import type { RequestError } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import type { Lease } from '@lockstep/kube/kinds'
import {
  isObject,
  type KubeObject,
  keyOf,
  parseTimestampMs,
  type Stored,
  timestamp,
} from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import {
  ADDONS_GROUP,
  CAPI_LEASE,
  CAPI_NAMESPACE,
  type ClusterResourceSet,
  resourceSetKinds,
} from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { records } from '../../api/records.ts'
import {
  type AddonsVersion,
  conditionIn,
  decideHandshake,
  isPauseRequestedAgain,
  MANAGED,
  PAUSED,
  pausePatch,
  resetPaused,
  type UpstreamLease,
} from '../../decisions/resourceset/index.ts'
import { isOwnDefinition } from '../cache/index.ts'
import { failed, hubTime, requeueAfter } from '../runtime/index.ts'
import type { SetDeps } from './setdeps.ts'

export type UpstreamHandshake =
  | { readonly type: 'clear' }
  /** Nothing is written anywhere. `blocker`: once it takes long. */
  | { readonly type: 'waits'; readonly againInMs: number; readonly blocker: NewBlocker | undefined }
  | { readonly type: 'again'; readonly outcome: ReconcileResult }

const LEASE_REF = {
  kind: 'Object',
  name: CAPI_LEASE,
  namespace: CAPI_NAMESPACE,
  object: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
} as const

/** So often Cluster API is looked at while it is waited for. */
const LOOK_MS = 5000

interface HandshakeStart {
  /** Wall clock of the hub, milliseconds: when the pause was there. */
  readonly pausedMs: number
  acknowledgedMs: number | undefined
  /** What was acknowledged before this pause counts no more. */
  isAnew: boolean
  isClear: boolean
}

export class UpstreamHandshakes {
  private readonly c: SetDeps
  private readonly begun = new Map<string, HandshakeStart>()

  constructor(c: SetDeps) {
    this.c = c
  }

  forget(uid: string): void {
    this.begun.delete(uid)
  }

  /** Cluster API is paused by us, or is not there. */
  isHeldOff(set: Stored<ClusterResourceSet>): boolean {
    return isOwnDefinition(this.c.hub) || pausePatch(set.metadata) === undefined
  }

  async look(set: Stored<ClusterResourceSet>, isAssumedInactive: boolean): Promise<UpstreamHandshake> {
    if (isOwnDefinition(this.c.hub)) return { type: 'clear' }
    const patch = pausePatch(set.metadata)
    if (patch) return this.pause(set, patch)
    const begun = this.begunFor(set)
    if (begun.isClear) return { type: 'clear' }
    if (!begun.isAnew) return this.askAnew(set, begun)
    const now = hubTime(this.c).nowMs
    if (this.condition(set, PAUSED)?.status === 'True') begun.acknowledgedMs ??= now
    const upstream = await this.upstream()
    if (!upstream.ok) return { type: 'again', outcome: failed(upstream.error, 'hub read') }
    const { pausedMs, acknowledgedMs } = begun
    const found = decideHandshake({ pausedMs, acknowledgedMs, isAssumedInactive, ...upstream.value }, now)
    if (found.kind === 'Proceed') {
      begun.isClear = true
      this.tellTaken(set, found.because)
      return { type: 'clear' }
    }
    const dueMs = found.untilMs === undefined ? LOOK_MS : Math.max(1, found.untilMs - now)
    const blocker = found.why && blocked('PreviousControllerActive', [LEASE_REF], found.why)
    return { type: 'waits', againInMs: Math.min(dueMs, LOOK_MS), blocker }
  }

  /** What has gone on before is over: with the pause the handshake begins. */
  private async pause(
    set: Stored<ClusterResourceSet>,
    annotations: Readonly<Record<string, string | null>>,
  ): Promise<UpstreamHandshake> {
    if (this.condition(set, MANAGED)?.status === 'True') this.tellRemoved(set)
    this.begun.delete(set.metadata.uid)
    const { uid, resourceVersion } = set.metadata
    const kind = this.c.hub.sets.kind ?? resourceSetKinds[0]!
    const done = await this.c.hub.own.patch(kind, keyOf(set), { metadata: { annotations } } as never, {
      purpose: 'record',
      manager: MANAGER,
      precondition: { uid, resourceVersion },
    })
    if (!done.ok) return { type: 'again', outcome: failed(done.error) }
    this.c.hub.sets.observeWrite(done.value)
    const begun = newlyBegun(hubTime(this.c).nowMs)
    // A user's pause is acknowledged by what is there.
    this.begun.set(uid, { ...begun, isAnew: !isPauseRequestedAgain(set.metadata) })
    return { type: 'again', outcome: requeueAfter(1) }
  }

  private tellRemoved(set: Stored<ClusterResourceSet>): void {
    const text =
      'cluster.x-k8s.io/paused was removed while Lockstep reconciles this ClusterResourceSet; it is set again. To give it back: lockstep handback crs'
    const of = 'cluster.x-k8s.io/paused'
    this.c.events.record(set, [{ type: 'Warning', action: 'Takeover', reason: 'PauseRemoved', text, of }])
  }

  private tellTaken(set: Stored<ClusterResourceSet>, because: keyof typeof TAKEN): void {
    const text = `Lockstep reconciles this ClusterResourceSet: ${TAKEN[because]}`
    const of = `${because} ${set.metadata.resourceVersion}`
    this.c.events.record(set, [{ type: 'Normal', action: 'Takeover', reason: 'TakenOver', text, of }])
  }

  /** A process that has just begun takes the word of the one before it, which is written down. */
  private begunFor(set: Stored<ClusterResourceSet>): HandshakeStart {
    const { uid } = set.metadata
    const known = this.begun.get(uid)
    if (known) return known
    const isClear = this.condition(set, MANAGED)?.status === 'True'
    const made = { ...newlyBegun(hubTime(this.c).nowMs), isClear }
    this.begun.set(uid, made)
    return made
  }

  private async askAnew(set: Stored<ClusterResourceSet>, begun: HandshakeStart): Promise<UpstreamHandshake> {
    const kind = this.c.hub.sets.kind ?? resourceSetKinds[0]!
    const now = timestamp(this.c.env.clock.now())
    const status = resetPaused(kind.version as AddonsVersion, set.status, now)
    if (status && status !== set.status) {
      const written = await this.c.status.update('sets', set, status)
      if (written.error) return { type: 'again', outcome: written }
    }
    begun.isAnew = true
    return { type: 'again', outcome: requeueAfter(1) }
  }

  private condition(set: Stored<ClusterResourceSet>, type: string) {
    const version = (this.c.hub.sets.kind ?? resourceSetKinds[0]!).version as AddonsVersion
    return conditionIn(version, set.status, type)
  }

  private async upstream(): Promise<Result<Upstream, RequestError>> {
    const { own } = this.c.hub
    const key = { namespace: CAPI_NAMESPACE, name: CAPI_LEASE }
    const lease = await own.get(records.lease, key, { purpose: 'reread' })
    if (!lease.ok && lease.error.kind !== 'NotFound') return lease
    const hooks = await Promise.all(records.webhooks.map((k) => own.list(k, { purpose: 'reread' })))
    for (const h of hooks) if (!h.ok) return h
    const all = hooks.flatMap((h) => (h.ok ? h.value.items : []))
    return ok({ lease: lease.ok ? leaseOf(lease.value.spec) : undefined, hasWebhooks: all.some(isOfSets) })
  }
}

/** Why nobody else does. */
const TAKEN = {
  Acknowledged: 'Cluster API has acknowledged the pause',
  Absent: 'there is no controller of Cluster API',
  Expired: "the Lease of Cluster API's controller has expired",
  AssumedInactive: 'lockstep.dev/assume-inactive says that Cluster API does not',
} as const

const newlyBegun = (pausedMs: number): HandshakeStart => ({
  pausedMs,
  acknowledgedMs: undefined,
  isAnew: false,
  isClear: false,
})

interface Upstream {
  readonly lease: UpstreamLease | undefined
  readonly hasWebhooks: boolean
}

function leaseOf(spec: Lease['spec']): UpstreamLease | undefined {
  const renewedMs = spec?.renewTime === undefined ? undefined : parseTimestampMs(spec.renewTime)
  if (renewedMs === undefined) return undefined
  return {
    name: `${CAPI_NAMESPACE}/${CAPI_LEASE}`,
    renewedMs,
    durationMs: (spec?.leaseDurationSeconds ?? 15) * 1000,
    acquiredMs: spec?.acquireTime === undefined ? undefined : parseTimestampMs(spec.acquireTime),
  }
}

/** It is asked about ClusterResourceSets. */
function isOfSets(o: KubeObject): boolean {
  const hooks = (o as { webhooks?: unknown }).webhooks
  if (!Array.isArray(hooks)) return false
  return hooks.some(
    (h) =>
      isObject(h) &&
      Array.isArray(h.rules) &&
      h.rules.some((r) => isObject(r) && includes(r.apiGroups, ADDONS_GROUP) && includes(r.resources, SETS)),
  )
}

const SETS = resourceSetKinds[0]!.plural

const includes = (list: unknown, value: string): boolean => Array.isArray(list) && list.includes(value)
