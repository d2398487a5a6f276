import { err, ok, type Result } from '@lockstep/kube/env'
import { identityOf, type KubeObject, refOf } from '@lockstep/kube/object'
import { type ObjectOrdering, orderingOfAnnotations } from './annotations.ts'
import { isBundleWait, waitNode } from './bundlewait.ts'
import { cycleFailure, cycleText } from './cycletext.ts'
import { type Dialects, dialectsReader } from './dialect/dialects.ts'
import { isKappConfig, kappConfigs } from './dialect/kappconfig.ts'
import { addExplicitEdges, GroupRules } from './explicitedges.ts'
import { GraphBuilder } from './graphbuilder.ts'
import type { BundleIndex } from './implied/bundleindex.ts'
import { impliedEdges } from './implied/impliededges.ts'
import type { ImpliedEdge } from './implied/impliedrule.ts'
import { goneBefore } from './implied/subscription.ts'
import { kindRank } from './kindrank.ts'
import { lifecycleHooks } from './lifecyclehooks.ts'
import type {
  HookNode,
  HookPhase,
  OrderEdge,
  OrderFailure,
  OrderGraph,
  OrderPosition,
  RequiredState,
  WaitNode,
} from './ordergraph.ts'
import { compareOrderPositions, isMainPhase, orderPositionsOf } from './orderposition.ts'
import { removalOrder } from './removalorder.ts'
import { sequenceNodes } from './sequencenodes.ts'
import { addWaveEdges, addWeightEdges, type OrderFeatures } from './waves.ts'

/**
 * The graph of a bundle: required edges first, then preferred ones where they close no cycle. The same objects in any
 * order give the same graph. `dialects` are those whose annotations count; absent: all. Ours always do.
 */
export function buildOrder(
  bundle: readonly KubeObject[],
  dialects?: Dialects,
): Result<OrderGraph, OrderFailure> {
  const read = readAll(bundle, dialects)
  if (!read.ok) return read
  return new OrderBuild(read.value).graph()
}

/** An object of a bundle that is neither a hook nor a wait, with its options. */
export interface DeliveredObject {
  readonly object: KubeObject
  readonly options: ObjectOrdering['options']
}

/** Objects that become nodes of type `object` in the order of their bundle. */
export function deliveredObjects(
  bundle: readonly KubeObject[],
  dialects?: Dialects,
): Result<DeliveredObject[], OrderFailure> {
  const read = readAll(bundle, dialects)
  if (!read.ok) return read
  const all = [...read.value.said].map(([object, said]) => ({ object, ...said }))
  return ok(all.filter(isDelivered).map(({ object, options }) => ({ object, options })))
}

/** An ignored hook counts as an object. */
const isDelivered = ({ hook, options }: Pick<ObjectOrdering, 'hook' | 'options'>): boolean =>
  !hook || options.mode === 'Ignore'

type AllOrderings = ReadonlyMap<KubeObject, ObjectOrdering>

interface ReadBundle {
  readonly said: AllOrderings
  readonly waits: readonly WaitNode[]
  /** One of them asks for the waves of Argo CD. */
  readonly isWaved: boolean
  readonly configs: readonly KubeObject[]
}

/** What is said of each object that is delivered, in the order of ties. */
function readAll(
  bundle: readonly KubeObject[],
  dialects: Dialects | undefined,
): Result<ReadBundle, OrderFailure> {
  const notesOf = dialectsReader(dialects)
  const hasConfigs = dialects?.includes('Kapp') ?? true
  const configs = hasConfigs ? sorted(bundle.filter(isKappConfig)) : []
  const bindings = kappConfigs(configs)
  if (!bindings.ok) return bindings
  const said = new Map<KubeObject, ObjectOrdering>()
  const waits: WaitNode[] = []
  let isWaved = false
  for (const o of sorted(bundle)) {
    if (hasConfigs && isKappConfig(o)) continue
    const notes = notesOf(o)
    if (!notes.ok) return notes
    if (isBundleWait(o)) {
      const saidOfWait = orderingOfAnnotations(o, notes.value)
      const wait = waitNode(o, saidOfWait)
      if (!wait.ok) return wait
      if (wait.value) waits.push(wait.value)
      isWaved ||= saidOfWait.waved
      continue
    }
    const more = bindings.value(o)
    if (!more.ok) return more
    said.set(
      o,
      orderingOfAnnotations(o, more.value.length > 0 ? [...notes.value, ...more.value] : notes.value),
    )
  }
  return ok({ said, waits, isWaved, configs })
}

class OrderBuild {
  private readonly said: AllOrderings
  private readonly waits: readonly WaitNode[]
  private readonly configs: readonly KubeObject[]
  private readonly objects: readonly KubeObject[]
  private readonly builder = new GraphBuilder()
  private readonly implied: readonly ImpliedEdge[]
  private readonly index: BundleIndex
  private readonly places: ReadonlyMap<KubeObject, OrderPosition>
  private readonly ways: OrderFeatures
  private readonly later: HookNode[] = []

  constructor({ said, waits, isWaved, configs }: ReadBundle) {
    this.said = said
    this.waits = waits
    this.configs = configs
    this.objects = [...said.keys()]
    const { implied, index } = impliedEdges(this.objects)
    this.implied = implied
    this.index = index
    this.places = orderPositionsOf(said, implied)
    const places = [...this.places.values(), ...waits.map((w) => w.place!)]
    const isStepped = new Set(places.map((p) => p.step)).size > 1
    this.ways = { isStepped, isWaved: isWaved || [...said.values()].some((s) => s.waved) }
  }

  graph(): Result<OrderGraph, OrderFailure> {
    const { builder } = this
    const weights = this.addNodes()
    for (const wait of this.waits) builder.add(wait)
    addExplicitEdges(builder, this.objects, this.said, this.index)
    const rules = new GroupRules(builder, this.objects, this.said)
    rules.layRequired()
    this.layImplied('Required')
    addWaveEdges(builder, this.ways)
    if (!this.ways.isWaved) addWeightEdges(builder, weights)
    const { done, sequence } = sequenceNodes(builder.nodes, builder.needs)
    if (!done) return err(cycleFailure(cycleText(builder.nodes, builder.needs, sequence)))
    builder.openPreferred(sequence)
    rules.layPreferred()
    this.layImplied('Preferred')
    return this.finish([...rules.removals(), ...this.impliedRemovals()])
  }

  /** Gives the weights of Helm's hooks. */
  private addNodes(): ReadonlyMap<number, number> {
    const weights = new Map<number, number>()
    for (const o of this.objects) {
      const said = this.said.get(o)!
      const { hook, step, wave, options } = said
      const id = identityOf(refOf(o))
      const rank = kindRank(o.kind)
      if (!hook || isDelivered(said)) {
        const place: OrderPosition = this.places.get(o) ?? { step, phase: 'Sync', wave }
        this.builder.add({ type: 'object', id, object: o, kindRank: rank, ...place, options })
        continue
      }
      const base = { object: o, kindRank: rank, step, wave, options }
      const { policy, timeoutSeconds, retries, outputs, weight } = hook
      for (const [phase, when] of eventsByPhase(hook.runs)) {
        const name = `${phase} ${id}`
        const run = { policy, timeoutSeconds, retries, outputs }
        const node: HookNode = { type: 'hook', id: name, ...base, phase, when, ...run }
        if (!isMainPhase(phase)) this.later.push(node)
        else {
          const n = this.builder.add(node)
          if (weight !== undefined) weights.set(n, weight)
        }
      }
    }
    return weights
  }

  private layImplied(strength: ImpliedEdge['strength']): void {
    for (const e of this.implied) {
      if (e.strength !== strength) continue
      const { from, to } = this.unordered(e)
      const sources = from.flatMap((o) => this.builder.of(o)[0] ?? [])
      const targets = to.flatMap((o) => this.builder.of(o))
      if (sources.length > 0 && targets.length > 0)
        this.builder.between(sources, targets, e, `${e.why} ${this.builder.nodes.length}`)
    }
  }

  private impliedRemovals(): OrderEdge[] {
    return goneBefore(this.objects).flatMap(([first, then]) => {
      const [from, to] = [this.builder.of(first)[0], this.builder.of(then)[0]]
      if (from === undefined || to === undefined) return []
      return [{ from, to, ask: 'Gone', strength: 'Preferred', why: 'Application before operator' }]
    })
  }

  /** Without what steps, waves and kinds say already, which would only make the graph larger, and without who wants none of it. */
  private unordered(e: ImpliedEdge): Pick<ImpliedEdge, 'from' | 'to'> {
    const isOpen = (o: KubeObject): boolean => e.strength === 'Required' || !this.said.get(o)!.unimplied
    const [from, to] = [e.from.filter(isOpen), e.to.filter(isOpen)]
    if (!this.ways.isStepped && !this.ways.isWaved) return { from, to }
    const late = to.filter((t) => !from.every((f) => this.isOrdered(f, t, e.ask)))
    return { from: from.filter((f) => !late.every((t) => this.isOrdered(f, t, e.ask))), to: late }
  }

  private isOrdered(from: KubeObject, to: KubeObject, ask: RequiredState): boolean {
    const [here, there] = [this.places.get(from), this.places.get(to)]
    if (!here || !there || (ask !== 'Applied' && ask !== 'Healthy')) return false
    if (here.step < there.step) return true
    if (!this.ways.isWaved) return false
    const distance = compareOrderPositions(here, there)
    return distance < 0 || (distance === 0 && ask === 'Applied' && kindRank(from.kind) < kindRank(to.kind))
  }

  private finish(removals: readonly OrderEdge[]): Result<OrderGraph, OrderFailure> {
    const { nodes, needs } = this.builder
    const { sequence, level } = sequenceNodes(nodes, needs)
    const removal = removalOrder(nodes, needs, removals, level)
    if (!removal.ok) return err(cycleFailure(removal.error))
    const steps = (phase: HookPhase) => lifecycleHooks(this.later, phase, this.ways.isWaved, this.said)
    return ok({
      nodes,
      needs,
      sequence,
      depths: removal.value.depths,
      removals: removal.value.removals,
      syncFail: steps('SyncFail'),
      preDelete: steps('PreDelete'),
      postDelete: steps('PostDelete'),
      configs: this.configs,
      warnings: [...this.said.values()].flatMap((s) => s.warnings),
    })
  }
}

/** Each phase once, with all events that it runs at; phases in the order in which they come. */
function eventsByPhase(
  runs: NonNullable<ObjectOrdering['hook']>['runs'],
): readonly (readonly [HookPhase, HookNode['when']])[] {
  const phases = new Map<HookPhase, HookNode['when']>()
  for (const phase of PHASE_ORDER) {
    const events = runs.filter((r) => r.phase === phase).map((r) => r.when)
    if (events.length > 0) phases.set(phase, [...new Set(events)].sort())
  }
  return [...phases]
}

const PHASE_ORDER: readonly HookPhase[] = [
  'PreSync',
  'Sync',
  'PostSync',
  'SyncFail',
  'PreDelete',
  'PostDelete',
]

/** By kind rank, then namespace and name. */
function sorted(objects: readonly KubeObject[]): KubeObject[] {
  const keyed = objects.map((o) => {
    const { namespace, name } = o.metadata
    return { o, rank: kindRank(o.kind), key: `${namespace ?? ''}/${name}/${o.kind}/${o.apiVersion}` }
  })
  keyed.sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return keyed.map((k) => k.o)
}
