/** Checks of objects that change hands, by the servers and the plan of the person. */
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import type { WaitRef } from '../../../packages/lockstep/src/api/reasons/index.ts'
import { NAMESPACE, type SimFleet } from '../../fleet/simfleet.ts'
import { type HandoverModule, type HandoverPlan, selects } from './handoverplan.ts'

const UNIT = 'lockstep.dev/unit'
const INVENTORY = 'lockstep.dev/inventory'
/** Milliseconds that an object is kept before it is followed: an earlier deletion may be in progress. */
const FOLLOWED_MS = 20_000

interface FoundBlocker {
  readonly reason: string
  readonly message: string
  readonly on?: readonly WaitRef[]
}

export interface FoundModule extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly message: string
    }[]
    readonly blockers?: readonly FoundBlocker[]
    readonly currentRevision?: string
    readonly rollout?: {
      readonly phase: string
      readonly revision?: string
      readonly ledger?: readonly object[]
    }
  }
}

export interface FoundInventory extends KubeObject {
  readonly spec: {
    readonly moduleRef: { readonly name: string }
    readonly clusterRef: { readonly name: string }
    readonly admitted?: { readonly revision: string }
    readonly objects?: readonly {
      readonly kind: string
      readonly name: string
      readonly uid: string
      readonly content: string
    }[]
    readonly intents?: readonly object[]
  }
  readonly status?: { readonly blockers?: readonly FoundBlocker[] }
}

interface Followed {
  readonly since: number
  uid: string | undefined
}

export class HandoverJudge {
  readonly problems: string[] = []
  /** Objects that kept their uid while their owner changed. */
  handed = 0
  private readonly fleet: SimFleet
  private plan: HandoverPlan
  private readonly followed = new Map<string, Followed>()
  private readonly owners = new Map<string, string>()

  constructor(fleet: SimFleet, plan: HandoverPlan) {
    this.fleet = fleet
    this.plan = plan
  }

  modules(): readonly FoundModule[] {
    return this.fleet.objects('modules.lockstep.dev') as readonly FoundModule[]
  }

  module(name: string): FoundModule | undefined {
    return this.fleet.hubApi.local.get('modules.lockstep.dev', NAMESPACE, name) as FoundModule | undefined
  }

  inventories(): readonly FoundInventory[] {
    return this.fleet.inventories() as readonly FoundInventory[]
  }

  live(cluster: string, part: string): KubeObject | undefined {
    const [resource, namespace, name] = this.plan.parts.get(part)!.place
    return this.fleet.clusters.get(cluster)!.api.local.get(resource, namespace, name)
  }

  /** Modules that have the part on the cluster, and are not being deleted. */
  keepers(cluster: string, part: string): HandoverModule[] {
    return [...this.plan.modules.values()].filter((m) => {
      const found = this.module(m.name)
      const isThere = found !== undefined && found.metadata.deletionTimestamp === undefined
      return isThere && m.parts.has(part) && selects(this.plan, m, cluster)
    })
  }

  /** After each write of the person, and after each time that passes: an object that a Module kept all the time is the same. */
  see(plan: HandoverPlan): void {
    this.plan = plan
    const now = this.fleet.env.clock.steady()
    for (const cluster of plan.clusters)
      for (const part of plan.parts.keys()) {
        const key = `${cluster} ${part}`
        if (this.keepers(cluster, part).length === 0) {
          this.followed.delete(key)
          this.owners.delete(key)
          continue
        }
        const known = this.followed.get(key) ?? { since: now, uid: undefined }
        this.followed.set(key, known)
        this.follow(key, known, this.live(cluster, part), now)
      }
  }

  private follow(key: string, known: Followed, live: KubeObject | undefined, now: number): void {
    if (known.uid !== undefined && (live?.metadata.uid !== known.uid || live.metadata.deletionTimestamp)) {
      this.problems.push(`${key} was kept all the time, and is ${live ? 'another object' : 'gone'}`)
      this.followed.delete(key)
      return
    }
    const owner = live?.metadata.labels?.[UNIT]
    if (!live || owner === undefined || live.metadata.deletionTimestamp !== undefined) return
    if (now - known.since >= FOLLOWED_MS) known.uid ??= live.metadata.uid
    const before = this.owners.get(key)
    if (before !== undefined && before !== owner) this.handed++
    this.owners.set(key, owner)
  }

  /** Nothing happens any more: each wait is true, and what need not wait is delivered. */
  atRest(): void {
    for (const { kind, metadata, status } of [...this.modules(), ...this.inventories()])
      for (const { reason, message } of status?.blockers ?? [])
        if (reason === 'WaitingForClaims')
          this.problems.push(`${kind} ${metadata.name} waits without a true cause: ${message}`)
    for (const cluster of this.plan.clusters)
      for (const part of this.plan.parts.keys()) this.expectListed(cluster, part)
    for (const m of this.plan.modules.values()) if (this.isFree(m, new Set())) this.expectDelivered(m)
  }

  /** The Inventory that an object names lists it, or is about to. */
  private expectListed(cluster: string, part: string): void {
    const live = this.live(cluster, part)
    const uid = live?.metadata.annotations?.[INVENTORY]
    if (!live || uid === undefined) return
    const owners = this.inventories().filter((i) => i.metadata.uid === uid)
    const isListed = owners.some((i) => i.spec.objects?.some((o) => o.uid === live.metadata.uid))
    if (!isListed)
      this.problems.push(`${cluster} ${part} is of ${live.metadata.labels?.[UNIT]}, which does not list it`)
    // One that insists, too, waits until it gets it back (`HandedOver`). One that is stuck at an older revision is not done with it.
    const isWanted = ({ spec }: FoundInventory): boolean => {
      const current = this.module(spec.moduleRef.name)?.status?.currentRevision
      const isBehind = current !== undefined && spec.admitted?.revision !== current
      return isBehind || this.plan.modules.get(spec.moduleRef.name)?.parts.has(part) === true
    }
    for (const i of this.inventories())
      if (i.metadata.uid !== uid && !isWanted(i) && i.spec.objects?.some((o) => o.uid === live.metadata.uid))
        this.problems.push(
          `${cluster} ${part} is of ${live.metadata.labels?.[UNIT]}, and ${i.metadata.name} lists it, too`,
        )
  }

  /** Nothing that exists is in its way. */
  private isFree(m: HandoverModule, asked: Set<string>): boolean {
    if (asked.has(m.name)) return false
    asked.add(m.name)
    const found = this.module(m.name)
    if (!found || found.metadata.deletionTimestamp !== undefined) return false
    const clusters = this.plan.clusters.filter((c) => selects(this.plan, m, c))
    const isLeaving = this.inventories().some(
      ({ spec }) => spec.moduleRef.name === m.name && !clusters.includes(spec.clusterRef.name),
    )
    return !isLeaving && clusters.length > 0 && clusters.every((c) => this.isFreeOn(m, c, asked))
  }

  private isFreeOn(m: HandoverModule, cluster: string, asked: Set<string>): boolean {
    const isDelivering = (name: string): boolean => {
      const other = this.plan.modules.get(name)
      return other !== undefined && selects(this.plan, other, cluster) && this.isFree(other, new Set(asked))
    }
    const isAlone = [...m.parts].every((p) => this.keepers(cluster, p).length === 1)
    const needs = [...m.parts].flatMap((p) => this.plan.parts.get(p)!.needs)
    return (
      isAlone &&
      needs.every((n) => m.parts.has(n) || this.keepers(cluster, n).some((k) => isDelivering(k.name))) &&
      m.edges.every(({ on, optional }) => {
        const other = this.plan.modules.get(on)
        const isThere = this.module(on) !== undefined
        if (optional && (!isThere || (other && !selects(this.plan, other, cluster)))) return true
        return isDelivering(on)
      })
    )
  }

  private expectDelivered(m: HandoverModule): void {
    const found = this.module(m.name)!
    // A failure halts a rollout until a person continues it.
    if (found.status?.rollout?.phase === 'Halted') return
    // A person has not confirmed yet.
    if (found.status?.blockers?.some((b) => b.reason === 'PruneConfirmation')) return
    const ready = found.status?.conditions?.find((c) => c.type === 'Ready')
    if (ready?.status !== 'True')
      this.problems.push(
        `${m.name} has all it needs, and is not ready: ${ready?.message} ${JSON.stringify(found.status?.blockers)}`,
      )
    else
      for (const cluster of this.plan.clusters.filter((c) => selects(this.plan, m, c)))
        for (const part of m.parts) this.expectContent(m, cluster, part)
  }

  private expectContent(m: HandoverModule, cluster: string, part: string): void {
    const live = this.live(cluster, part) as (KubeObject & { data?: unknown; spec?: unknown }) | undefined
    const owner = live?.metadata.labels?.[UNIT]
    if (owner !== `m.${NAMESPACE}.${m.name}`)
      this.problems.push(`${m.name} is ready, and ${cluster} ${part} is ${live ? `of ${owner}` : 'missing'}`)
    const { value } = { ...(live?.data ?? {}), ...(live?.spec ?? {}) } as { value?: string }
    if (live && value !== undefined && value !== `${m.name} ${m.version}`)
      this.problems.push(`${m.name} is ready at ${m.version}, and ${cluster} ${part} has ${value}`)
  }

  /** All Modules were deleted. */
  atEnd(): void {
    for (const m of this.modules())
      this.problems.push(`not deleted: ${m.metadata.name} ${JSON.stringify(m.status?.blockers)}`)
    for (const i of this.inventories()) this.problems.push(`Inventory left: ${i.metadata.name}`)
    for (const cluster of this.plan.clusters)
      for (const part of this.plan.parts.keys()) {
        const live = this.live(cluster, part)
        // One that was there before, and that no Module of this cluster had.
        const isUntouched = this.plan.existing.includes(part) && live?.metadata.labels?.[UNIT] === undefined
        if (live && !isUntouched)
          this.problems.push(`left behind on ${cluster}: ${part} of ${live.metadata.labels?.[UNIT]}`)
      }
  }
}
