/** What stands at nodes and edges of a drawing, whichever program draws it. */
import type { GraphEdge, GraphNode, ModuleGraph } from './graphreport.ts'

/** `3/3`, or the state of the unit. */
export const nodeStateText = (n: GraphNode): string => n.state ?? n.ready ?? ''

export const edgeLabel = (e: GraphEdge): string =>
  [
    ...(e.cluster === undefined ? [] : [`on ${e.cluster}`]),
    ...(e.object ? ['object'] : []),
    ...(e.beforeWave === undefined ? [] : [`before wave ${e.beforeWave}`]),
    ...(e.release === 'Any' ? ['any release'] : []),
    ...(e.optional ? ['optional'] : []),
  ].join(', ')

/** Targets of edges that are no nodes, each once, and why. */
export function lostTargets(g: ModuleGraph): Map<string, string> {
  const text = (e: GraphEdge): string =>
    e.problem === 'Missing' ? 'does not exist' : `does not target ${g.cluster}`
  return new Map(g.edges.filter((e) => e.problem).map((e) => [e.to, text(e)]))
}
