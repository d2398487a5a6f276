/**
 * Holds removals of a Module back: while the deletion of its kind or Namespace is unconfirmed, and beyond the limit of the hub.
 * Removals are stored before they begin, so that a new leader continues the count.
 */
import type { KubeResult } from '@lockstep/kube/client'
import { type Env, ok } from '@lockstep/kube/env'
import type { ConfigMap } from '@lockstep/kube/kinds'
import { parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { Module } from '../../../api/kinds/index.ts'
import { CONFIRM_DELETION_ANNOTATION, MANAGER, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { records } from '../../../api/records.ts'
import { type ModuleRef, moduleId, namedModule, refOfId } from '../../../decisions/graph/index.ts'
import {
  areTooManyRemovals,
  countedRemovals,
  FEW_UNITS,
  type HubRemovals,
  withBegun,
} from '../../../decisions/rollout/index.ts'
import type { Fleet } from '../../../fleet/clusters/index.ts'
import { type HubInformers, moduleRequest } from '../../cache/index.ts'
import { failed, hubTime, type RequestQueue, requeueAfter } from '../../runtime/index.ts'
import { isDeleted, isOrphaned, type LeavingUnits, leavingModules, leavingUnits } from './leavingunits.ts'
import { isRemovalAllowed } from './removalpolicy.ts'
import { type Termination, Terminations } from './terminations.ts'

const RECORD = { namespace: SYSTEM_NAMESPACE, name: 'lockstep-removals' }
const READ = { purpose: 'record' } as const
const WRITE = { purpose: 'record', manager: MANAGER } as const
/** Milliseconds between a change of the count and the requeue of the Modules that it holds back. */
const TELL_MS = 1000

export interface RemovalGuardDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  /** Requeues Modules that wait. */
  readonly requests: RequestQueue
}

/** Reasons to hold the removals of a Module back. */
export interface RemovalVerdict {
  /** Its kind or its Namespace is being deleted without a confirmation. */
  readonly unconfirmed?: NewBlocker
  /** The limit of the hub; an allowance of the Module overrides it. */
  readonly tooMany?: NewBlocker
}

export class RemovalGuard {
  private readonly d: RemovalGuardDeps
  private readonly terminations: Terminations
  /** Steady milliseconds, by Module id, at which the Module was first seen as deleted. */
  private readonly deletedSince = new Map<string, number>()
  /** Modules, not deleted, with deselected clusters. */
  private readonly deselecting = new Set<string>()
  private readonly heldBack = new Set<string>()
  /** Confirmed deletions of a kind or Namespace, by the id of each Module that they delete. */
  private readonly confirmed = new Map<string, readonly Termination[]>()
  /** The stored record; undefined before the first read. */
  private record: { readonly stored: Stored<ConfigMap> | undefined } | undefined
  /** Removals that the next write stores. */
  private due = 0
  private writing: Promise<unknown> = Promise.resolve()
  private next: Promise<ReconcileResult | undefined> | undefined
  private told = ''

  constructor(d: RemovalGuardDeps) {
    this.d = d
    this.terminations = new Terminations(d.env, d.hub.own)
  }

  /** Call it before the decision about the units of a Module. */
  async look(ref: ModuleRef, module: Stored<Module>): Promise<KubeResult<RemovalVerdict>> {
    const isWhole = isDeleted(module)
    const own = leavingUnits(this.d, { module, isWhole })
    const count = own.clusters.size
    this.note(moduleId(ref), isWhole, count)
    const unconfirmed = isWhole && count + own.lost > 0 ? await this.unconfirmed(ref, own) : ok(undefined)
    if (!unconfirmed.ok) return unconfirmed
    if (unconfirmed.value) return ok({ unconfirmed: unconfirmed.value })
    if (count === 0) return ok({})
    const known = await this.load()
    if (!known.ok) return known
    const tooMany = this.tooMany(ref)
    return ok(tooMany ? { tooMany } : {})
  }

  /** The Module is gone. */
  forget(ref: ModuleRef): void {
    this.note(moduleId(ref), false, 0)
  }

  /**
   * Call it before the ledger with `count` removals more is written. Undefined: they are stored. Allowed removals, and those
   * that orphan the objects, are not counted.
   */
  begin(module: Stored<Module>, count: number): Promise<ReconcileResult | undefined> {
    const isCounted = count > 0 && this.units > FEW_UNITS && !isRemovalAllowed(module) && !isOrphaned(module)
    if (!isCounted) return Promise.resolve(undefined)
    this.due += count
    this.next ??= this.writeNext()
    return this.next
  }

  /** Stores all removals that are due when the previous write has ended. */
  private async writeNext(): Promise<ReconcileResult | undefined> {
    await this.writing
    const count = this.due
    this.due = 0
    this.next = undefined
    const written = this.write(count)
    this.writing = written
    return written
  }

  private async write(count: number): Promise<ReconcileResult | undefined> {
    const input = { ...this.counted(), waiting: count }
    // Other removals have begun since the decision.
    if (areTooManyRemovals(input)) return requeueAfter(TELL_MS)
    const done = await this.save(withBegun(input, count))
    if (!done.ok) {
      // Another writer changed the record: read it before the next removal.
      this.record = undefined
      return failed(done.error)
    }
    this.record = { stored: done.value }
    return undefined
  }

  private async save({ sinceMs, of, begun }: HubRemovals): Promise<KubeResult<Stored<ConfigMap>>> {
    const { own } = this.d.hub
    const data = { since: timestamp(sinceMs), of: String(of), begun: String(begun) }
    const stored = this.record?.stored
    if (stored) return own.update(records.removals, { ...stored, data }, WRITE)
    const body: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...RECORD }, data }
    const made = await own.create(records.removals, body, WRITE)
    if (made.ok || made.error.kind !== 'NotFound') return made
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } }
    const there = await own.create(records.namespace, namespace, WRITE)
    if (!there.ok && there.error.kind !== 'AlreadyExists') return there
    return own.create(records.removals, body, WRITE)
  }

  private async load(): Promise<KubeResult<void>> {
    if (this.record || this.units <= FEW_UNITS) return ok(undefined)
    const found = await this.d.hub.own.get(records.removals, RECORD, READ)
    if (!found.ok && found.error.kind !== 'NotFound') return found
    this.record ??= { stored: found.ok ? found.value : undefined }
    return ok(undefined)
  }

  private get units(): number {
    return this.d.hub.inventories.store.size
  }

  private counted() {
    const { nowMs } = hubTime(this.d)
    return { units: this.units, removals: removalsOf(this.record?.stored), nowMs }
  }

  private async unconfirmed(ref: ModuleRef, own: LeavingUnits): Promise<KubeResult<NewBlocker | undefined>> {
    const found = await this.terminations.of(ref, this.deletedSince.get(moduleId(ref)) ?? 0)
    if (!found.ok) return found
    this.confirmed.set(
      moduleId(ref),
      found.value.filter((t) => t.isConfirmed),
    )
    const open = found.value.find((t) => !t.isConfirmed)
    if (!open) return ok(undefined)
    const { kind, name, uid } = open
    const apiVersion = kind === 'Namespace' ? 'v1' : 'apiextensions.k8s.io/v1'
    const on = [{ kind: 'Object', name, object: { apiVersion, kind } }] as const
    const units = own.clusters.size + own.lost
    return ok(blocked('DeletionUnconfirmed', on, { annotation: CONFIRM_DELETION_ANNOTATION, uid, units }))
  }

  private tooMany(ref: ModuleRef): NewBlocker | undefined {
    if (this.units <= FEW_UNITS) return undefined
    const id = moduleId(ref)
    const leaving = leavingModules(this.d.hub, this.deselecting, [...this.confirmed.values()].flat())
      .filter(({ module }) => !isRemovalAllowed(module))
      .map((l) => leavingUnits(this.d, l))
      .filter((l) => l.clusters.size > 0)
    const waiting = leaving.reduce((n, l) => n + l.clusters.size, 0)
    const input = { ...this.counted(), waiting }
    const isOver = areTooManyRemovals(input)
    this.tell(isOver ? `${waiting} ${leaving.length}` : '')
    if (!isOver) {
      this.heldBack.delete(id)
      return undefined
    }
    this.heldBack.add(id)
    const clusters = new Set(leaving.flatMap((l) => [...l.clusters]))
    return blocked('RemovalTooLarge', [namedModule(`${ref.kind}/${ref.name}`)], {
      because: 'Hub',
      removals: waiting,
      modules: leaving.length,
      total: clusters.size,
      begun: countedRemovals(input)?.begun ?? 0,
      namespace: ref.namespace,
    })
  }

  private note(id: string, isDeleting: boolean, count: number): void {
    if (!isDeleting) {
      this.deletedSince.delete(id)
      this.confirmed.delete(id)
    }
    if (isDeleting && !this.deletedSince.has(id)) this.deletedSince.set(id, this.d.env.clock.steady())
    const isDeselecting = !isDeleting && count > 0
    if (isDeselecting) this.deselecting.add(id)
    else this.deselecting.delete(id)
    // Other Modules may continue without this one.
    if (count === 0 && this.heldBack.delete(id)) this.tell('')
  }

  /** Requeues the Modules that the count holds back, if it has changed. */
  private tell(count: string): void {
    if (count === this.told) return
    this.told = count
    const { clock } = this.d.env
    clock.at(clock.steady() + TELL_MS, () => {
      for (const id of this.heldBack) this.d.requests.add(moduleRequest(refOfId(id)), 'gate')
    })
  }
}

function removalsOf(stored: Stored<ConfigMap> | undefined): HubRemovals | undefined {
  const { since, of, begun } = stored?.data ?? {}
  const sinceMs = parseTimestampMs(since ?? '')
  const [all, gone] = [Number(of ?? ''), Number(begun ?? '')]
  // A record that another writer broke is replaced.
  if (sinceMs === undefined || !Number.isSafeInteger(all) || !Number.isSafeInteger(gone)) return undefined
  return { sinceMs, of: all, begun: gone }
}
