/** Which objects hang together over edges: only among those one waits for the other when they are deleted. */
import { digestOf, parseApiVersion, short10 } from '@lockstep/kube/object'
import type { OrderEdge, OrderNode } from './ordergraph.ts'

/** Everything goes before these, with an edge or without: to be in one Namespace, or of one kind, is nothing in common. */
const LAST: ReadonlySet<string> = new Set(['/Namespace', 'apiextensions.k8s.io/CustomResourceDefinition'])

/** The part of each node, named after the least object in it; undefined: no other object hangs together with it. */
export function connectedParts(
  nodes: readonly OrderNode[],
  edges: readonly OrderEdge[],
): readonly (string | undefined)[] {
  const parent = nodes.map((_, n) => n)
  const root = (n: number): number => {
    let at = n
    for (; parent[at] !== at; at = parent[at]!) parent[at] = parent[parent[at]!]!
    return at
  }
  for (const { from, to } of edges) if (!isLast(nodes[from]!)) parent[root(to)] = root(from)
  const members = new Map<number, string[]>()
  nodes.forEach((node, n) => {
    if (node.type !== 'object') return
    const list = members.get(root(n))
    if (list) list.push(node.id)
    else members.set(root(n), [node.id])
  })
  const names = new Map(
    [...members].flatMap(([at, ids]) => (ids.length > 1 ? [[at, nameOf(ids)] as const] : [])),
  )
  return nodes.map((node, n) => (node.type === 'object' ? names.get(root(n)) : undefined))
}

function isLast(node: OrderNode): boolean {
  if (node.type !== 'object') return false
  const { apiVersion, kind } = node.object
  return LAST.has(`${parseApiVersion(apiVersion).group}/${kind}`)
}

const nameOf = (ids: readonly string[]): string =>
  short10(
    digestOf(
      'part/1',
      ids.reduce((a, b) => (b < a ? b : a)),
    ),
  )
