/**
 * A fleet at rest of which anything changes but what is published: objects fail and recover, clusters fall silent, are held
 * and pinned. After each change the status of a module is compared with a count of its units one by one.
 */

import type { Random } from '../../packages/kube/src/env/env.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { type Hold, holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import {
  type RemoteAssemblage,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/remoteassemblage/columns.ts'
import { observationOf } from '../../packages/lockstep/src/controllers/cache/observation.ts'
import { findRevisionRecord } from '../../packages/lockstep/src/controllers/cache/targetrevision.ts'
import { emptyRollout, type SchedulerDeps } from '../../packages/lockstep/src/controllers/module/schedule.ts'
import { FleetCopy } from '../../packages/lockstep/src/controllers/plan/fleetcopy.ts'
import type { FleetPlanInput } from '../../packages/lockstep/src/controllers/plan/planfleet.ts'
import {
  type RollForwardInput,
  rollForward,
} from '../../packages/lockstep/src/controllers/plan/rollforward.ts'
import {
  healthyInventory,
  simulateSuccess,
} from '../../packages/lockstep/src/controllers/plan/simulatesuccess.ts'
import { moduleId } from '../../packages/lockstep/src/decisions/graph/moduleref.ts'
import { inventoryName, moduleRefOf } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'

type Counts = Record<string, number>

export class Recount {
  private readonly copy: FleetCopy
  private readonly c: SchedulerDeps
  private readonly modules: readonly RollForwardInput[]
  private readonly clusters: readonly string[]
  private readonly silent = new Set<string>()
  private readonly holds = new Map<string, Stored<Hold>>()
  private readonly input: FleetPlanInput
  private names = 0

  constructor(input: FleetPlanInput) {
    this.input = input
    this.copy = new FleetCopy(input, () => 0)
    this.clusters = input.clusters.map((c) => c.name)
    const clock = { now: () => 0, steady: () => 0, at: () => () => {} }
    this.c = {
      hub: this.copy,
      fleet: this.copy.fleet,
      maxRemoval: '50%',
      env: { clock, calendar: input.calendar },
      events: { record: () => {} },
    }
    this.modules = this.copy.allModules().map((m): RollForwardInput => {
      const ref = moduleRefOf(m)
      const current = findRevisionRecord(this.copy, ref, input.publishes.get(moduleId(ref)))
      return { ref, current, memory: emptyRollout(), known: new Map() }
    })
  }

  /** Everything is delivered everywhere. */
  deliver(): void {
    for (let isNews = true; isNews; ) {
      isNews = false
      for (const m of this.modules) {
        m.known.clear()
        if (rollForward(this.copy, this.c, m).isNews) isNews = true
        const seen = observationOf(this.c, m.ref.namespace)
        for (const cluster of this.clusters)
          if (simulateSuccess(this.copy, seen, m.ref, cluster)) isNews = true
      }
    }
  }

  /** So many things change. */
  change(random: Random, times: number): void {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)]!
    for (let i = 0; i < times; i++) {
      const cluster = pick(this.clusters)
      const x = random.next()
      if (x < 0.6) this.health(pick(this.modules), cluster, random.next() < 0.5)
      else if (x < 0.8) this.silence(cluster)
      else this.hold(pick(this.modules), cluster, random.next() < 0.5)
    }
  }

  private health({ ref }: RollForwardInput, cluster: string, isWell: boolean): void {
    const key = { namespace: ref.namespace, name: inventoryName(ref, cluster) }
    const known = this.copy.inventories.store.get(key)!
    const sick: Stored<Inventory> = { ...known, status: { ...known.status!, health: 'Progressing' } }
    this.copy.inventories.put(isWell ? healthyInventory(known) : sick)
  }

  /** Or it answers again. */
  private silence(cluster: string): void {
    const isSilent = !this.silent.delete(cluster)
    if (isSilent) this.silent.add(cluster)
    const { namespace } = this.input
    const metadata = {
      name: cluster,
      namespace,
      uid: cluster,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    }
    const known: Stored<RemoteAssemblage> = this.copy.assemblages.store.get({ namespace, name: cluster }) ?? {
      apiVersion: API_VERSION,
      kind: remoteAssemblageKind.kind,
      metadata,
      spec: { clusterRef: { kind: 'Secret', name: cluster } },
    }
    const status = { ...known.status, cluster: isSilent ? ('Unreachable' as const) : ('Connected' as const) }
    this.copy.assemblages.put({ ...known, status })
  }

  /** Paused, or pinned where it is; or let go. */
  private hold({ ref }: RollForwardInput, cluster: string, isPin: boolean): void {
    const id = `${ref.name}@${cluster}`
    const known = this.holds.get(id)
    if (known) {
      this.holds.delete(id)
      this.copy.holds.drop(known)
      return
    }
    const { revision } = this.modules.find((m) => m.ref.name === ref.name)!.current!
    const name = `h${++this.names}`
    const hold: Stored<Hold> = {
      apiVersion: API_VERSION,
      kind: holdKind.kind,
      metadata: {
        name,
        namespace: ref.namespace,
        uid: name,
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: {
        targetRef: { kind: 'Module' as const, name: ref.name },
        clusters: [cluster],
        reason: 'because',
        ...(isPin ? { action: 'Pin' as const, revision } : { action: 'Suspend' as const }),
      },
    }
    this.holds.set(id, hold)
    this.copy.holds.put(hold)
  }

  /** What the status of one module says, and what a count of its units says. */
  compare(random: Random): { readonly said: Counts; readonly counted: Counts; readonly inFlight: number } {
    const m = this.modules[Math.floor(random.next() * this.modules.length)]!
    m.known.clear()
    const { rollout } = rollForward(this.copy, this.c, m)
    const said = { ...this.copy.module(m.ref)!.status!.clusters! }
    return { said, counted: this.count(m), inFlight: rollout.ledger.length }
  }

  private count({ ref, current }: RollForwardInput): Counts {
    const out: Counts = {
      total: 0,
      updated: 0,
      ready: 0,
      updating: 0,
      blocked: 0,
      waiting: 0,
      failed: 0,
      unreachable: 0,
      paused: 0,
      pinned: 0,
      provisioning: 0,
    }
    for (const cluster of this.clusters) {
      const inventory = this.copy.inventories.store.get({
        namespace: ref.namespace,
        name: inventoryName(ref, cluster),
      })!
      const held = this.holds.get(`${ref.name}@${cluster}`)?.spec.action
      out.total!++
      if (inventory.spec.admitted?.revision === current!.revision) out.updated!++
      const state =
        held === 'Pin'
          ? 'pinned'
          : held === 'Suspend'
            ? 'paused'
            : this.silent.has(cluster)
              ? 'unreachable'
              : inventory.status?.health === 'Healthy'
                ? 'ready'
                : 'updating'
      out[state]!++
    }
    return out
  }
}
