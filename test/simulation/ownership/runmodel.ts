/** A run of the ownership model: a person edits and deletes Modules, units work and die in between, and in the end nothing is left. */
import { API_VERSION } from '../../../packages/lockstep/src/api/apiversion.ts'
import { fleetRevision } from '../../../packages/lockstep/src/decisions/rollout/targetrevision.ts'
import { refOfInventory } from '../../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { type ModelCommand, type ModelInput, RINGS } from './modelinputs.ts'
import { ModelJudge } from './modeljudge.ts'
import { type ModelModule, ModelModules } from './modelmodules.ts'
import { PARTS } from './modelobject.ts'
import type { Fault } from './modelprocess.ts'
import { ModelUnit } from './modelunit.ts'
import { ModelWorld, NAMESPACE } from './modelworld.ts'

/** At most 24 units. */
const MOST_UNITS = 24
/** Milliseconds between two commands, and between two rounds: above the expiry of a request. */
const STEP_MS = 4000
const ROUND_MS = 40_000
/** Rounds until nothing happens any more: far above what any run needs. */
const MOST_ROUNDS = 40

interface ModelResult {
  readonly problems: readonly string[]
  /** Changes of the owner of an object. */
  readonly handed: number
  readonly trace: readonly string[]
}

export async function runModel(input: ModelInput): Promise<ModelResult> {
  const run = new ModelRun(input)
  await run.play()
  const { problems, handed } = run.judge
  return { problems, handed, trace: run.w.process.trace }
}

class ModelRun {
  readonly judge: ModelJudge
  readonly w: ModelWorld
  private readonly modules: ModelModules
  private readonly input: ModelInput
  /** Modules that were deleted, and may be created again. */
  private readonly former = new Map<string, ModelModule>()
  private names = 0

  constructor(input: ModelInput) {
    this.input = input
    this.w = new ModelWorld(input.rings)
    this.modules = new ModelModules(this.w)
    this.judge = new ModelJudge(this.w, this.modules)
    this.w.witness = this.judge
  }

  async play(): Promise<void> {
    const { modules, hasExisting, commands, order, last } = this.input
    if (hasExisting) for (const cluster of this.w.clusters.keys()) this.w.createUnmanaged(cluster, PARTS[0]!)
    modules.forEach((m, i) => {
      const edges = m.needs.filter(({ on }) => on < i).map(({ on, optional }) => ({ on: `m${on}`, optional }))
      const parts = new Set(m.parts.map((n) => PARTS[n]!))
      this.write({ name: `m${i}`, parts, ring: m.ring, edges, takesFrom: [], version: 1 })
    })
    await this.round(0)
    await this.round(0)
    for (const command of commands) await this.command(command)
    await this.w.process.resume()
    const rest = [...last]
    for (const n of order) {
      const left = [...this.modules.wanted.keys()]
      if (left.length > 0) this.delete(left[n % left.length]!)
      const next = rest.shift()
      if (next) await this.command(next)
    }
    for (const name of [...this.modules.wanted.keys()]) this.delete(name)
    for (const next of rest) await this.command(next)
    await this.rest()
    this.judge.atEnd()
  }

  private async command(command: ModelCommand): Promise<void> {
    this.w.steadyMs += STEP_MS
    switch (command.type) {
      case 'act':
        // A decision that was paused saw the earlier plan.
        await this.w.process.resume()
        return this.act(command)
      case 'unit':
        return this.reconcile(command.a, command.fault)
      case 'module':
        await this.w.process.resume()
        return this.module(command.a)
      case 'advance':
        return this.modules.advance(one(this.modules.all(), command.a)?.metadata.name ?? '')
      case 'round':
        return this.round(command.a)
      case 'crash':
        return this.w.process.restart()
      case 'resume':
        return this.w.process.resume()
    }
  }

  private module(n: number): void {
    const name = one(this.modules.all(), n)?.metadata.name
    if (name === undefined) return
    this.modules.publish(name)
    this.modules.schedule(name)
  }

  private async reconcile(n: number, fault: Fault | undefined): Promise<void> {
    const inventory = one([...this.w.copy.inventories.store.all()], n)
    if (!inventory) return
    const [ref, cluster] = [refOfInventory(inventory), inventory.spec.clusterRef.name]
    const unit = new ModelUnit(this.w, ref, cluster, this.modules.partsOf)
    await this.w.process.run(inventory.metadata.uid, () => unit.reconcile(), fault)
  }

  /** Each Module, then each unit, from the `n`th on. */
  private async round(n: number): Promise<void> {
    await this.w.process.resume()
    this.w.steadyMs += ROUND_MS
    for (const { metadata } of rotated(this.modules.all(), n)) {
      this.modules.publish(metadata.name)
      this.modules.advance(metadata.name)
      this.modules.schedule(metadata.name)
    }
    const units = rotated([...this.w.copy.inventories.store.all()], n)
    for (const { metadata, spec } of units) {
      const ref = refOfInventory({ metadata, spec })
      const unit = new ModelUnit(this.w, ref, spec.clusterRef.name, this.modules.partsOf)
      await this.w.process.run(metadata.uid, () => unit.reconcile(), undefined)
    }
  }

  /** Until nothing happens any more. A person confirms what only a person deletes. */
  private async rest(): Promise<void> {
    await this.w.process.resume()
    for (let i = 0, quiet = 0; quiet < 2; i++) {
      const before = this.w.changes
      this.confirm()
      await this.round(i)
      quiet = this.w.changes === before ? quiet + 1 : 0
      if (i < MOST_ROUNDS) continue
      this.judge.problems.push(`something happens after ${MOST_ROUNDS} rounds`)
      return
    }
  }

  private confirm(): void {
    for (const { metadata, status } of this.modules.all()) {
      const revision = fleetRevision(status)
      const name = `prune-${metadata.name}-${revision?.slice(-8)}`
      if (revision === undefined || this.w.copy.approvals.store.get({ namespace: NAMESPACE, name })) continue
      this.w.copy.approvals.put({
        apiVersion: API_VERSION,
        kind: 'Approval',
        metadata: { name, namespace: NAMESPACE, uid: this.w.uid('approval'), resourceVersion: '0' },
        spec: {
          targetRef: { kind: 'Module', name: metadata.name },
          stage: 'prune',
          point: 'After',
          revisionHash: revision,
          approvedBy: 'ann',
        },
      } as never)
    }
  }

  private async act({ act, a, b, c }: Extract<ModelCommand, { type: 'act' }>): Promise<void> {
    const all = [...this.modules.wanted.values()]
    const m = one(all, a)
    if (act === 'relabel') return this.relabel(a)
    if (act === 'recreate') return this.recreate(a)
    if (!m) return
    const other = one(
      all.filter((x) => x !== m),
      b,
    )
    switch (act) {
      case 'switch':
        return this.write({ ...m, ring: one(['none', 'all', ...RINGS], b)! })
      case 'rename':
        return this.rename(m, b, c)
      case 'split':
        return this.split(m, b, c)
      case 'remove':
        return this.delete(m.name)
      case 'loosen':
        return this.write({ ...m, edges: m.edges.map((e) => ({ ...e, optional: b % 2 === 0 })) })
      case 'version':
        return this.write({ ...m, version: m.version + 1 })
      case 'drop':
        return this.write({ ...m, parts: without(m.parts, [one([...m.parts], b) ?? '']) })
      default:
        if (other) await this.exchange(act, m, other, c)
    }
  }

  private exchange(act: string, m: ModelModule, other: ModelModule, c: number): Promise<void> {
    const part = one([...m.parts], c)
    const isLast = c % 2 === 0
    switch (act) {
      case 'move':
        return this.inOrder(
          c,
          () => part && this.write({ ...m, parts: without(m.parts, [part]) }),
          () => part && this.write({ ...other, parts: new Set([...other.parts, part]) }),
        )
      case 'merge':
        return this.inOrder(
          c,
          () => this.write({ ...other, parts: new Set([...other.parts, ...m.parts]) }),
          () => this.delete(m.name),
        )
      default: {
        const takesFrom = new Set([...m.takesFrom, other.name])
        const parts = isLast && part ? new Set([...other.parts, part]) : other.parts
        return this.inOrder(
          c,
          () => !other.takesFrom.includes(m.name) && this.write({ ...m, takesFrom: [...takesFrom] }),
          () => this.write({ ...other, parts }),
        )
      }
    }
  }

  /** Two writes of a person, in one of both orders, with or without work in between. */
  private async inOrder(n: number, first: () => unknown, second: () => unknown): Promise<void> {
    const [one, two] = n % 2 === 0 ? [first, second] : [second, first]
    one()
    if (n % 5 < 2) await this.round(n)
    two()
  }

  /** The edges of dependents follow or not; the old one is deleted or not. */
  private async rename(m: ModelModule, b: number, c: number): Promise<void> {
    if (this.isFull) return
    const name = `r${++this.names}`
    const takesFrom = b % 3 === 0 ? [m.name] : []
    await this.inOrder(
      c,
      () => this.write({ ...m, name, takesFrom }),
      () => (b % 7 === 0 ? undefined : this.delete(m.name)),
    )
    if (b % 2 === 0) return
    for (const x of [...this.modules.wanted.values()]) {
      if (!x.edges.some((e) => e.on === m.name)) continue
      this.write({ ...x, edges: x.edges.map((e) => (e.on === m.name ? { ...e, on: name } : e)) })
    }
  }

  /** The new half may need the old one. */
  private async split(m: ModelModule, b: number, c: number): Promise<void> {
    const moved = [...m.parts].filter((_, i) => (b >> i) % 2 === 1)
    if (this.isFull || moved.length === 0) return
    const edges = b % 3 === 0 ? [{ on: m.name, optional: c % 3 === 0 }] : []
    const half = { ...m, name: `r${++this.names}`, parts: new Set(moved), edges, takesFrom: [] }
    await this.inOrder(
      c,
      () => this.write(half),
      () => this.write({ ...m, parts: without(m.parts, moved) }),
    )
  }

  private relabel(n: number): void {
    const cluster = one([...this.w.clusters.values()], n)!
    this.w.process.trace.push(`person relabels ${cluster.view.name}`)
    cluster.labels.ring = cluster.labels.ring === 'blue' ? 'green' : 'blue'
  }

  private recreate(n: number): void {
    const m = one([...this.former.values()], n)
    if (m && !this.isFull) this.write(m)
  }

  private delete(name: string): void {
    const m = this.modules.wanted.get(name)
    if (m) this.former.set(name, m)
    this.w.process.trace.push(`person deletes ${name}`)
    this.modules.delete(name)
  }

  /** Edges to Modules that need this one are refused, as `apply` refuses them. */
  private write(m: ModelModule): void {
    const edges = m.edges.filter(({ on }) => !this.needs(on, m.name, new Set()))
    const needs = edges.map((e) => `${e.on}${e.optional ? '?' : ''}`)
    this.w.process.trace.push(
      `person writes ${m.name}@${m.ring}: ${[...m.parts]}; needs ${needs}; takes from ${m.takesFrom}`,
    )
    this.modules.write({ ...m, edges })
  }

  private needs(from: string, to: string, seen: Set<string>): boolean {
    if (from === to) return true
    if (seen.has(from)) return false
    seen.add(from)
    return (this.modules.wanted.get(from)?.edges ?? []).some(({ on }) => this.needs(on, to, seen))
  }

  private get isFull(): boolean {
    return (this.modules.all().length + 1) * this.w.clusters.size > MOST_UNITS
  }
}

const one = <T>(of: readonly T[], n: number): T | undefined => of[n % Math.max(1, of.length)]

const rotated = <T>(of: readonly T[], n: number): T[] => {
  const at = n % Math.max(1, of.length)
  return [...of.slice(at), ...of.slice(0, at)]
}

const without = (parts: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> =>
  new Set([...parts].filter((p) => !gone.includes(p)))
