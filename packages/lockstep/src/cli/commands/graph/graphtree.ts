/** The graph as a tree: who is needed stands below who needs it. */

import { COLORS, GLYPHS } from '../../kit/snapshot/index.ts'
import { plural, type Terminal, textTable, wrap } from '../../kit/terminal/index.ts'
import { edgeLabel } from './edgelabel.ts'
import {
  cycleText,
  edgesInCycles,
  type GraphEdge,
  type GraphNode,
  type ModuleGraph,
  pairOf,
  shortId,
} from './graphreport.ts'

export function drawGraphTree(t: Terminal, g: ModuleGraph): string[] {
  const where = g.cluster === undefined ? `namespace ${g.namespace}` : `cluster ${g.cluster}`
  if (g.modules.length === 0) return [`No modules ${g.cluster === undefined ? 'in' : 'on'} ${where}.`]
  const rows = new Branches(t, g).rows()
  return [...textTable(rows, { gap: 2, width: t.look.width }), '', ...summary(t, g)]
}

class Branches {
  private readonly t: Terminal
  private readonly g: ModuleGraph
  private readonly nodes: ReadonlyMap<string, GraphNode>
  private readonly cyclic: ReadonlySet<string>
  private readonly drawn = new Set<string>()

  constructor(t: Terminal, g: ModuleGraph) {
    this.t = t
    this.g = g
    this.nodes = new Map(g.modules.map((n) => [n.id, n]))
    this.cyclic = edgesInCycles(g)
  }

  /** Who is needed by nobody begins; of a cycle that nobody needs, whoever comes first. */
  rows(): string[][] {
    const needed = new Set(this.g.edges.map((e) => e.to))
    const ids = this.g.modules.map((n) => n.id)
    const begin = [...ids.filter((id) => !needed.has(id)), ...ids]
    return begin.flatMap((id) => (this.drawn.has(id) ? [] : this.root(id)))
  }

  private root(id: string): string[][] {
    return [[shortId(id), ...this.facts(this.nodes.get(id)!)], ...this.below(id, '')]
  }

  private below(id: string, indent: string): string[][] {
    this.drawn.add(id)
    const edges = this.g.edges.filter((e) => e.from === id)
    return edges.flatMap((e, i) => {
      const isLast = i === edges.length - 1
      const label = `${indent}${isLast ? '└─ ' : '├─ '}${shortId(e.to)}`
      const node = this.nodes.get(e.to)
      const isRepeated = this.drawn.has(e.to)
      const row = [label, ...(node ? this.facts(node) : ['', '']), this.notes(e, isRepeated)]
      return node && !isRepeated ? [row, ...this.below(e.to, `${indent}${isLast ? '   ' : '│  '}`)] : [row]
    })
  }

  private facts(n: GraphNode): string[] {
    if (n.state === undefined) return [n.version, n.ready ?? '']
    return [this.t.paint(COLORS[n.state], `${GLYPHS[n.state]} ${n.version}`.trimEnd()), n.state]
  }

  private notes(e: GraphEdge, isRepeated: boolean): string {
    const hasNeeds = this.g.edges.some((x) => x.from === e.to)
    const isCycle = this.cyclic.has(pairOf(e))
    return [
      ...(e.problem ? [this.problem(e)] : []),
      ...(edgeLabel(e) ? [edgeLabel(e)] : []),
      ...(isCycle ? [this.t.paint('red', '✗ in a cycle')] : []),
      ...(isRepeated && hasNeeds && !isCycle ? [this.t.paint('dim', 'see above')] : []),
    ].join(', ')
  }

  private problem(e: GraphEdge): string {
    const text = e.problem === 'Missing' ? 'does not exist' : `does not target ${this.g.cluster}`
    return e.optional ? this.t.paint('dim', `· ${text}`) : this.t.paint('red', `✗ ${text}`)
  }
}

function summary(t: Terminal, g: ModuleGraph): string[] {
  const lost = g.edges.filter((e) => e.problem && !e.optional).length
  const what = g.cluster === undefined ? 'module' : 'unit'
  const counts = [
    plural(g.modules.length, what),
    plural(g.edges.length, 'dependency', 'dependencies'),
    ...(lost > 0 ? [`${lost} of them on missing objects`] : []),
    ...(g.cycles.length === 0 ? ['no cycle'] : []),
  ].join(', ')
  const cycles = g.cycles.map((c) =>
    wrap(
      `${t.paint('red', '✗ dependency cycle:')} ${cycleText(c)}; remove one of these dependencies`,
      t.look.wraps ? t.look.width - 2 : Number.POSITIVE_INFINITY,
      2,
    ),
  )
  return [counts, ...cycles]
}
