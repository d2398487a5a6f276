import { err, ok, type Result } from '../../env/result.ts'
import { identityOf, type KubeObject, parseApiVersion, refOf, refText } from '../../object/object.ts'
import { cycleThrough } from '../graph/cycle.ts'
import type { Ask, OrderEdge, OrderFailure, OrderGraph, OrderNode } from './graph.ts'
import { impliedEdges } from './implied.ts'
import { kindRank } from './kindrank.ts'
import { PLAIN } from './options.ts'
import { sequenceOf } from './sequence.ts'
import { refuseHooks, usesWaves, waveOf } from './wave.ts'

/**
 * The graph of a bundle: required edges first, then preferred ones where they close no cycle. The same objects in any order give the same graph.
 */
export function buildOrder(bundle: readonly KubeObject[]): Result<OrderGraph, OrderFailure> {
  const refused = refuseHooks(bundle)
  if (!refused.ok) return refused
  const builder = new Builder(bundle)
  const isWaved = bundle.some(usesWaves)
  for (const e of builder.implied.filter((i) => i.strength === 'Required'))
    builder.add(e.from, e.to, e.ask, 'Required', e.why)
  if (isWaved) builder.addWaves()
  const cycle = builder.requiredCycle()
  if (cycle)
    return err({ reason: 'CycleDetected', message: `order has a cycle: ${cycle}; remove one of these edges` })
  for (const e of builder.implied.filter((i) => i.strength === 'Preferred'))
    builder.addPreferred(e.from, e.to, e.ask, e.why)
  return ok(builder.finish())
}

class Builder {
  readonly implied: ReturnType<typeof impliedEdges>
  private readonly nodes: OrderNode[]
  private readonly needs: OrderEdge[][] = []
  private readonly indexOf = new Map<KubeObject, number>()

  constructor(bundle: readonly KubeObject[]) {
    const objects = [...bundle].sort(byRankAndName)
    this.implied = impliedEdges(objects)
    const waves = pulledForward(objects, this.implied)
    this.nodes = objects.map((object) => ({
      type: 'object',
      id: identityOf(refOf(object)),
      object,
      kindRank: kindRank(object.kind),
      phase: 'Sync',
      wave: waves.get(object)!,
      options: PLAIN,
    }))
    objects.forEach((o, i) => {
      this.indexOf.set(o, i)
      this.needs.push([])
    })
  }

  add(from: KubeObject, to: KubeObject, ask: Ask, strength: OrderEdge['strength'], why: string): void {
    this.edge(this.indexOf.get(from)!, this.indexOf.get(to)!, ask, strength, why)
  }

  addPreferred(from: KubeObject, to: KubeObject, ask: Ask, why: string): void {
    const a = this.indexOf.get(from)!
    const b = this.indexOf.get(to)!
    if (a === b || this.reaches(b, a)) return
    this.edge(a, b, ask, 'Preferred', why)
  }

  /**
   * One barrier per wave in use: its objects reach Healthy (Jobs and Pods Complete), then the next wave starts. Inside
   * a wave one barrier per kind rank, as Argo CD starts the next kind when the last apply has returned.
   */
  addWaves(): void {
    let previous: { barrier: number; wave: number } | undefined
    for (const [wave, members] of groupBy(this.objectNodes(), (n) => this.waveOfNode(n))) {
      const end = this.barrier(`wave ${wave}`)
      for (const n of members) {
        if (previous)
          this.edge(
            previous.barrier,
            n,
            'Applied',
            'Required',
            `argocd.argoproj.io/sync-wave ${previous.wave} before ${wave}`,
          )
        this.edge(n, end, askAtEnd(this.objectAt(n)), 'Required', `argocd.argoproj.io/sync-wave ${wave}`)
      }
      this.addKindOrder(wave, members)
      previous = { barrier: end, wave }
    }
  }

  private addKindOrder(wave: number, members: readonly number[]): void {
    let previous: number | undefined
    for (const [rank, group] of groupBy(members, (n) => kindRank(this.objectAt(n).kind))) {
      const end = this.barrier(`wave ${wave} kinds ${rank}`)
      for (const n of group) {
        if (previous !== undefined)
          this.edge(previous, n, 'Applied', 'Required', `kind order in wave ${wave}`)
        this.edge(n, end, 'Applied', 'Required', `kind order in wave ${wave}`)
      }
      previous = end
    }
  }

  /** The shortest cycle among what is laid so far, from the least identity, as text. */
  requiredCycle(): string | undefined {
    const { done } = sequenceOf(this.nodes, this.needs)
    if (done) return undefined
    const outgoing = this.outgoing()
    let best: number[] | undefined
    for (let n = 0; n < this.nodes.length; n++) {
      const found = cycleThrough(String(n), (x) => (outgoing[Number(x)] ?? []).map((e) => String(e.to)))
      if (found && (!best || found.length < best.length)) best = found.map(Number)
    }
    return best && this.cycleText(best, outgoing)
  }

  finish(): OrderGraph {
    const { sequence, level } = sequenceOf(this.nodes, this.needs)
    return {
      nodes: this.nodes,
      needs: this.needs,
      sequence,
      level,
      removals: [],
      syncFail: [],
      preDelete: [],
      postDelete: [],
      warnings: [],
    }
  }

  private cycleText(cycle: readonly number[], outgoing: readonly (readonly OrderEdge[])[]): string {
    return cycle
      .map((n, i) => {
        const node = this.nodes[n]!
        const name = node.type === 'object' ? refText(refOf(node.object)) : node.id
        const edge = i + 1 < cycle.length ? outgoing[n]!.find((e) => e.to === cycle[i + 1]) : undefined
        return edge ? `${name} -(${edge.why}, ${edge.ask})-> ` : name
      })
      .join('')
  }

  private outgoing(): OrderEdge[][] {
    const out: OrderEdge[][] = this.nodes.map(() => [])
    for (const list of this.needs) for (const e of list) out[e.from]!.push(e)
    return out
  }

  private edge(from: number, to: number, ask: Ask, strength: OrderEdge['strength'], why: string): void {
    if (from === to) return
    this.needs[to]!.push({ from, to, ask, strength, why })
  }

  private barrier(id: string): number {
    this.needs.push([])
    return this.nodes.push({ type: 'barrier', id }) - 1
  }

  /** Whether `to` depends on `from` already, so that the reverse edge would close a cycle. */
  private reaches(from: number, to: number): boolean {
    const seen = new Set<number>([to])
    const open = [to]
    while (open.length > 0) {
      for (const e of this.needs[open.pop()!]!) {
        if (e.from === from) return true
        if (!seen.has(e.from)) {
          seen.add(e.from)
          open.push(e.from)
        }
      }
    }
    return false
  }

  private objectNodes(): number[] {
    return [...this.indexOf.values()]
  }

  private objectAt(n: number): KubeObject {
    const node = this.nodes[n]!
    if (node.type !== 'object') throw new Error(`node ${n} is a barrier`)
    return node.object
  }

  private waveOfNode(n: number): number {
    const node = this.nodes[n]!
    return node.type === 'object' ? node.wave : 0
  }
}

/** Jobs and bare Pods have to end, not only to run. */
function askAtEnd(o: KubeObject): Ask {
  const { group } = parseApiVersion(o.apiVersion)
  return (group === 'batch' && o.kind === 'Job') || (group === '' && o.kind === 'Pod')
    ? 'Complete'
    : 'Healthy'
}

/** Groups in ascending order of their number. */
function groupBy(nodes: readonly number[], of: (n: number) => number): [number, number[]][] {
  const groups = new Map<number, number[]>()
  for (const n of nodes) {
    const g = of(n)
    const list = groups.get(g)
    if (list) list.push(n)
    else groups.set(g, [n])
  }
  return [...groups].sort(([a], [b]) => a - b)
}

/**
 * A Namespace or CustomResourceDefinition whose content comes in an earlier wave is pulled into that wave
 * (gitops-engine `adjustDeps`).
 */
function pulledForward(
  objects: readonly KubeObject[],
  implied: ReturnType<typeof impliedEdges>,
): Map<KubeObject, number> {
  const waves = new Map(objects.map((o) => [o, waveOf(o)]))
  const content = implied.filter((e) => e.strength === 'Required')
  // Content of a definition pulls the definition, which may have pulled nothing yet itself: two rounds suffice.
  for (let round = 0; round < 2; round++) {
    for (const e of content) waves.set(e.from, Math.min(waves.get(e.from)!, waves.get(e.to)!))
  }
  return waves
}

function byRankAndName(a: KubeObject, b: KubeObject): number {
  const rank = kindRank(a.kind) - kindRank(b.kind)
  if (rank !== 0) return rank
  const x = `${a.metadata.namespace ?? ''}/${a.metadata.name}/${a.kind}/${a.apiVersion}`
  const y = `${b.metadata.namespace ?? ''}/${b.metadata.name}/${b.kind}/${b.apiVersion}`
  return x < y ? -1 : x > y ? 1 : 0
}
