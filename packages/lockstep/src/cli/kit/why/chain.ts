/** Follows what waits to what it waits for, down to a root cause: pure, over what was read so far. */
import type { Stored } from '@lockstep/kube/object'
import { isOfDependency } from '../../../api/blocker.ts'
import type { Inventory, Module } from '../../../api/kinds/index.ts'
import { nameOf } from '../../../api/reasons/index.ts'
import { remainingText } from '../../../controllers/module/index.ts'
import { groupOf } from '../../../controllers/publish/index.ts'
import { objectText } from '../../../decisions/graph/index.ts'
import { deliveredBy } from '../../../decisions/resourceset/index.ts'
import { HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import {
  cellOf,
  clusterNames,
  clusterState,
  type FleetSnapshot,
  inventoryOf,
  type MatrixCell,
  moduleWarnings,
  predecessorOf,
} from '../snapshot/index.ts'
import { type ChainBlocker, namedObject, objectCause } from './objectcause.ts'
import type { ObjectWithPods } from './podnodes.ts'
import { rootsOf, type WantedObject, type WhyNode, type WhyTree, wantedKey } from './whytree.ts'

export interface Chain {
  readonly tree: WhyTree
  /** Objects that were not read yet: with them the chain may go deeper. */
  readonly wanted: readonly WantedObject[]
}

type ChainEdge = NonNullable<Module['spec']['dependsOn']>[number]

const MAX_DEPTH = 8
const MOST_CHILDREN = 3

/** The chain of one unit; `live` by `wantedKey`. */
export function chainOf(
  s: FleetSnapshot,
  module: Stored<Module>,
  cluster: string,
  live: ReadonlyMap<string, ObjectWithPods>,
): Chain {
  const follow = new ChainWalk(s, live)
  const cell = cellOf(s, module, cluster)
  const causes = cell.state === 'ready' || cell.state === 'none' ? [] : follow.unit(module, cluster)
  const [root] = rootsOf(causes)
  const inventory = inventoryOf(s, module.metadata.name, cluster)
  const since = inventory?.status?.blockers?.[0]?.since ?? module.status?.blockers?.[0]?.since
  return {
    wanted: follow.wanted,
    tree: {
      namespace: module.metadata.namespace ?? '',
      module: module.metadata.name,
      cluster,
      state: cell.state === 'failed' ? 'failed' : causes.length > 0 ? 'waits' : 'ready',
      has: cell.version,
      wants: wantedVersion(module),
      ...(since ? { since } : {}),
      causes,
      clustersBehind: clusterNames(s).filter((c) => c !== cluster && isBehind(cellOf(s, module, c))).length,
      modulesBehind: dependantsOf(s, root?.module ?? module.metadata.name),
      warnings: moduleWarnings(module),
    },
  }
}

const isBehind = (cell: MatrixCell): boolean => cell.state !== 'ready' && cell.state !== 'none'

const wantedVersion = (m: Stored<Module>): string =>
  m.status?.release ?? m.spec.release ?? m.status?.currentRevision?.replace(/^v1:/, '').slice(0, 7) ?? ''

/** Who depends on a module, directly or through others. */
function dependantsOf(s: FleetSnapshot, name: string): string[] {
  const found = new Set<string>()
  const queue = [name]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const m of s.modules) {
      const isNew = m.metadata.name !== name && !found.has(m.metadata.name)
      if (!isNew || !m.spec.dependsOn?.some((e) => e.module?.name === next)) continue
      found.add(m.metadata.name)
      queue.push(m.metadata.name)
    }
  }
  return [...found].sort()
}

class ChainWalk {
  readonly wanted: WantedObject[] = []
  private readonly s: FleetSnapshot
  private readonly live: ReadonlyMap<string, ObjectWithPods>
  private readonly open = new Set<string>()
  /** Units that stand in the tree already. */
  private readonly followed = new Set<string>()

  constructor(s: FleetSnapshot, live: ReadonlyMap<string, ObjectWithPods>) {
    this.s = s
    this.live = live
  }

  /** Why one unit is not where it should be. */
  unit(module: Stored<Module>, cluster: string): WhyNode[] {
    const id = `${module.metadata.name}@${cluster}`
    if (this.open.has(id) || this.open.size >= MAX_DEPTH) return []
    this.open.add(id)
    const found = this.causes(module, cluster)
    this.open.delete(id)
    return found.slice(0, MOST_CHILDREN)
  }

  private causes(module: Stored<Module>, cluster: string): WhyNode[] {
    const place = { module: module.metadata.name, cluster }
    const { state, message } = clusterState(this.s, cluster)
    if (['Unreachable', 'Refused', 'Missing', 'Paused'].includes(state))
      return [leaf(`cluster ${cluster}`, state, message, place)]
    if (module.metadata.deletionTimestamp !== undefined) return this.plain(module, cluster)
    const inventory = inventoryOf(this.s, module.metadata.name, cluster)
    if (inventory && predecessorOf(this.s, module, cluster))
      return [this.predecessor(module, cluster, inventory)]
    const cell = cellOf(this.s, module, cluster)
    const objects = (inventory?.status?.blockers ?? []).filter((b) => !isOfDependency(b))
    if (!cell.isOld && objects.length > 0) return this.objects(module, cluster, objects)
    const awaited = cell.isOld ? [] : this.applications(module, cluster, inventory)
    if (awaited.length > 0) return awaited
    const edges = this.edges(module, cluster)
    if (edges.length > 0) return edges
    const halted = this.halted(module, cluster)
    return halted.length > 0 ? halted : this.plain(module, cluster)
  }

  /** A deleted module of the same name still leaves: this one waits for its objects. */
  private predecessor(module: Stored<Module>, cluster: string, inventory: Stored<Inventory>): WhyNode {
    const { name } = module.metadata
    const children = this.objects(module, cluster, inventory.status?.blockers ?? [])
    return {
      label: `the ${module.kind} ${name} before this one`,
      reason: 'PreviousModuleRemoving',
      text: remainingText({ spec: inventory.spec }),
      module: name,
      cluster,
      children,
      isRoot: children.length === 0,
    }
  }

  /** Applications for which later waves of a cluster group wait: no edges of its Module. */
  private applications(
    module: Stored<Module>,
    cluster: string,
    inventory: Stored<Inventory> | undefined,
  ): WhyNode[] {
    return (inventory?.status?.blockers ?? []).flatMap((b): WhyNode[] => {
      const name = b.facts?.edge === undefined ? undefined : b.on?.[0]?.name
      const isOwn = (m: Stored<Module>): boolean =>
        m.metadata.name === name && groupOf(m.metadata)?.uid === module.metadata.uid
      const on = this.s.modules.find(isOwn)
      if (name === undefined || !on) return []
      const { reason, message: text, since } = b
      const node = { label: `waits for ${name}`, reason, text, since, module: name, cluster }
      return [{ ...node, ...this.below(on, cluster) }]
    })
  }

  /** Dependencies that are not ready at what this module wants. */
  private edges(module: Stored<Module>, cluster: string): WhyNode[] {
    const nodes = (module.spec.dependsOn ?? []).map((edge) =>
      edge.module
        ? this.moduleEdge(module, edge, edge.module, cluster)
        : this.objectEdge(module, edge, cluster),
    )
    return nodes.filter((n) => n !== undefined)
  }

  private moduleEdge(
    module: Stored<Module>,
    edge: ChainEdge,
    { kind, name, clusterRef }: NonNullable<ChainEdge['module']>,
    own: string,
  ): WhyNode | undefined {
    const needed = deliveredBy({ kind, name })
    const on = this.s.modules.find((m) => m.metadata.name === needed.name && m.kind === needed.kind)
    const home = on?.spec.targets?.hub === true ? HUB_CLUSTER : own
    const cluster = clusterRef?.name ?? home
    const label = cluster === own ? `needs ${name}` : `needs ${name} on ${cluster}`
    if (on) return this.edge(module, edge, on, cluster, label)
    if (edge.optional) return undefined
    return leaf(label, 'DependencyMissing', `${kind} ${name} does not exist`, { module: name, cluster })
  }

  /** What the gate said of it when it was last looked at. */
  private objectEdge(module: Stored<Module>, edge: ChainEdge, cluster: string): WhyNode | undefined {
    const { name } = module.metadata
    const inventory = inventoryOf(this.s, name, cluster)
    const said = [...(inventory?.status?.blockers ?? []), ...(module.status?.blockers ?? [])]
    const b = said.find((x) => x.subject.endsWith(`@${cluster}`) && x.message.startsWith(`${edge.id}: `))
    if (!b || !edge.object) return undefined
    const named = objectText(edge.object)
    const text = b.message.slice(edge.id.length + 2).replace(`${named} `, '')
    return { ...leaf(`needs ${named}`, b.reason, text, { module: name, cluster }), since: b.since }
  }

  private edge(
    module: Stored<Module>,
    edge: ChainEdge,
    on: Stored<Module>,
    cluster: string,
    needs: string,
  ): WhyNode | undefined {
    const cell = cellOf(this.s, on, cluster)
    const wants = wantedVersion(module)
    const label = edge.release === 'Same' && module.spec.release ? `${needs} at ${wants}` : needs
    const place = { module: on.metadata.name, cluster }
    if (cell.state === 'none')
      return edge.optional
        ? undefined
        : leaf(label, 'DependencyNotSelected', `it does not select ${cluster}`, place)
    const differs =
      edge.release === 'Same' && module.spec.release && on.status?.release && on.status.release !== wants
    if (differs)
      return leaf(
        label,
        'ReleaseMismatch',
        `${on.metadata.name} is published at ${on.status?.release}`,
        place,
      )
    if (cell.state === 'ready' || this.isDone(edge, on, cluster, cell)) return undefined
    const undone =
      edge.beforeWave === undefined ? 'not healthy' : `not done with its waves before ${edge.beforeWave}`
    const started = !cell.isOld && cell.version !== ''
    const reason = started ? 'DependencyNotReady' : 'DependencyNotStarted'
    const text = started
      ? cell.state === 'failed'
        ? 'admitted there, failed'
        : `admitted there, ${undone}`
      : cell.version === ''
        ? 'not there yet'
        : `still at ${cell.version}`
    return { label, reason, text, ...place, ...this.below(on, cluster) }
  }

  /** No more is asked of it than waves that are done. */
  private isDone({ beforeWave }: ChainEdge, on: Stored<Module>, cluster: string, cell: MatrixCell): boolean {
    const { spec, status } = inventoryOf(this.s, on.metadata.name, cluster) ?? {}
    if (beforeWave === undefined || status?.doneBeforeWave === undefined || cell.isOld) return false
    return status.admittedSerial === spec?.admitted?.serial && status.doneBeforeWave >= beforeWave
  }

  /** What a dependency waits for, where it is met for the first time. */
  private below(on: Stored<Module>, cluster: string): Pick<WhyNode, 'children' | 'isAbove'> {
    const id = `${on.metadata.name}@${cluster}`
    if (this.followed.has(id)) return { children: [], isAbove: true }
    this.followed.add(id)
    return { children: this.unit(on, cluster) }
  }

  /** A rollout that has stopped waits for its failed clusters. */
  private halted(module: Stored<Module>, cluster: string): WhyNode[] {
    const blocker = module.status?.blockers?.find((b) => b.reason === 'Halted')
    if (!blocker) return []
    const failed = clusterNames(this.s).filter(
      (c) => c !== cluster && cellOf(this.s, module, c).state === 'failed',
    )
    const place = { module: module.metadata.name, cluster }
    const children = failed.slice(0, MOST_CHILDREN).map((c) => ({
      label: `${module.metadata.name} on ${c}`,
      reason: 'Failed',
      text: module.status?.rollout?.failed?.find((f) => f.cluster === c)?.message ?? 'failed',
      module: module.metadata.name,
      cluster: c,
      children: this.unit(module, c),
    }))
    return [
      {
        label: `rollout of ${module.metadata.name}`,
        reason: 'Halted',
        text: blocker.message.replace(/^revision \w+: /, ''),
        since: blocker.since,
        ...place,
        children,
      },
    ]
  }

  /** What the module itself says, where nothing more is known. */
  private plain(module: Stored<Module>, cluster: string): WhyNode[] {
    const inventory = inventoryOf(this.s, module.metadata.name, cluster)
    const own = inventory?.status?.blockers ?? []
    const all = own.length > 0 ? own : (module.status?.blockers ?? [])
    const place = { module: module.metadata.name, cluster }
    const slot = all.find((b) => b.reason === 'RolloutLimit')
    if (slot)
      return [
        {
          ...leaf(slot.subject, slot.reason, slot.message, place),
          since: slot.since,
          ...this.slots(module, cluster),
        },
      ]
    if (all.length > 0)
      return all.map((b) => ({
        ...leaf(b.subject.replace(/@.*$/, ''), b.reason, b.message, place),
        since: b.since,
      }))
    const state = inventory?.status?.state
    const text =
      state && state !== 'Ready' ? `the unit is ${state}` : 'the controller has not looked at it yet'
    return [leaf(`${module.kind}/${module.metadata.name}`, state ?? 'Pending', text, place)]
  }

  /** Who has the slots that a unit waits for. */
  private slots(module: Stored<Module>, cluster: string): Pick<WhyNode, 'children' | 'isRoot'> {
    const ledger = module.status?.rollout?.ledger ?? []
    const holders = ledger.filter((e) => e.failed === undefined && e.cluster !== cluster)
    const children = holders.slice(0, MOST_CHILDREN).map((e) => ({
      label: `${module.metadata.name} on ${e.cluster}`,
      reason: 'Updating',
      text: 'has a slot',
      module: module.metadata.name,
      cluster: e.cluster,
      children: this.unit(module, e.cluster),
    }))
    return children.length > 0 ? { children, isRoot: false } : { children }
  }

  private objects(module: Stored<Module>, cluster: string, blockers: readonly ChainBlocker[]): WhyNode[] {
    const causes = blockers.filter((b) => b.reason !== 'WaitingForObject')
    return (causes.length > 0 ? causes : blockers).map((b) => this.object(module, cluster, b))
  }

  private object(module: Stored<Module>, cluster: string, b: ChainBlocker): WhyNode {
    const place = { module: module.metadata.name, cluster }
    if (OUTSIDE.has(b.reason))
      return {
        ...leaf(`waits for ${labelOf(b)}`, b.reason, b.message, place),
        since: b.since,
      }
    const wanted = namedObject(this.s, module, cluster, b)
    if (!wanted) return { ...leaf(labelOf(b), b.reason, b.message, place), since: b.since }
    const live = this.live.get(wantedKey(wanted))
    if (!live) this.wanted.push(wanted)
    return objectCause(wanted, live, b, this.s.nowMs, place)
  }
}

/** `StorageClass block`: the first reference, or the subject where there is none. */
const labelOf = (b: ChainBlocker): string => (b.on?.[0] ? nameOf(b.on[0]) : b.subject)

/** About an object that the unit does not deliver. */
const OUTSIDE: ReadonlySet<string> = new Set(['WaitNotFound', 'WaitKindNotServed', 'WaitForbidden'])

const leaf = (
  label: string,
  reason: string,
  text: string,
  place: { module: string; cluster: string },
): WhyNode => ({
  label,
  reason,
  text,
  ...place,
  isRoot: true,
  children: [],
})
