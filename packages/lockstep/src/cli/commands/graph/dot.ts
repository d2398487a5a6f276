/** The graph for Graphviz. */

import { edgeLabel, lostTargets, nodeStateText } from './edgelabel.ts'
import {
  edgesInCycles,
  type GraphEdge,
  type GraphNode,
  type ModuleGraph,
  pairOf,
  shortId,
} from './graphreport.ts'

const quoted = (...lines: readonly string[]): string =>
  `"${lines
    .filter((l) => l !== '')
    .map((l) => l.replace(/[\\"]/g, '\\$&'))
    .join('\\n')}"`

const attributes = (all: Readonly<Record<string, string | undefined>>): string => {
  const set = Object.entries(all).filter(([, value]) => value !== undefined)
  return set.length === 0 ? '' : ` [${set.map(([name, value]) => `${name}=${value}`).join(', ')}]`
}

export function dotOf(g: ModuleGraph): string {
  const cyclic = edgesInCycles(g)
  return [
    'digraph lockstep {',
    '  rankdir=LR',
    '  node [shape=box]',
    ...g.modules.map((n) => `  ${nodeLine(n)}`),
    ...[...lostTargets(g)].map(
      ([id, text]) => `  ${quoted(id)} [label=${quoted(shortId(id), text)}, style=dashed, color=red]`,
    ),
    ...g.edges.map((e) => `  ${edgeLine(e, cyclic.has(pairOf(e)))}`),
    '}',
    '',
  ].join('\n')
}

const nodeLine = (n: GraphNode): string =>
  `${quoted(n.id)}${attributes({ label: quoted(shortId(n.id), n.version, nodeStateText(n)) })}`

function edgeLine(e: GraphEdge, isCycle: boolean): string {
  const words = edgeLabel(e)
  return `${quoted(e.from)} -> ${quoted(e.to)}${attributes({
    label: words === '' ? undefined : quoted(words),
    style: e.optional ? 'dashed' : undefined,
    color: isCycle || (e.problem && !e.optional) ? 'red' : undefined,
  })}`
}
