/** Bundles as text, and orders as text: for tables of cases. */

import { type KubeObject, parseYamlStream, refOf, refText } from '../packages/kube/src/object/index.ts'
import { buildOrder } from '../packages/lockstep/src/decisions/order/buildorder.ts'
import type { Dialects } from '../packages/lockstep/src/decisions/order/dialect/dialects.ts'
import type { OrderGraph, OrderNode } from '../packages/lockstep/src/decisions/order/ordergraph.ts'

export const bundleOf = (yaml: string): KubeObject[] => parseYamlStream(yaml) as unknown as KubeObject[]

/** A manifest in one line: `apps/v1 Deployment app/api`, `v1 Namespace app`. */
export function manifest(
  text: string,
  annotations?: Readonly<Record<string, string>>,
  rest: object = {},
): KubeObject {
  const [apiVersion, kind, where] = text.split(' ') as [string, string, string]
  const [name, namespace] = where.split('/').reverse() as [string, string | undefined]
  const metadata = { name, ...(namespace ? { namespace } : {}), ...(annotations ? { annotations } : {}) }
  return { apiVersion, kind, metadata, ...rest }
}

export function graphOf(bundle: readonly KubeObject[], dialects?: Dialects): OrderGraph {
  const order = buildOrder(bundle, dialects)
  if (!order.ok) throw new Error(order.error.message)
  return order.value
}

/** `reason: message` of a bundle that is refused. */
export function refusalOf(bundle: readonly KubeObject[], dialects?: Dialects): string {
  const order = buildOrder(bundle, dialects)
  return order.ok ? 'accepted' : `${order.error.reason}: ${order.error.message}`
}

export function nameOf(node: OrderNode): string {
  if (node.type === 'object') return refText(refOf(node.object))
  if (node.type === 'hook') return `${node.phase} ${refText(refOf(node.object))}`
  return node.id
}

/** Every edge as `A -(why, Ask)-> B`, sorted. */
export function edgesOf({ nodes, needs }: OrderGraph): string[] {
  return needs
    .flat()
    .map((e) => `${nameOf(nodes[e.from]!)} -(${e.why}, ${e.ask})-> ${nameOf(nodes[e.to]!)}`)
    .sort()
}

/** Names of what is not a barrier, in the order in which it starts. */
export const namesOf = ({ nodes, sequence }: OrderGraph): string[] =>
  sequence.flatMap((n) => (nodes[n]!.type === 'barrier' ? [] : [nameOf(nodes[n]!)]))

/** The node of an object, by the end of its name. */
export function nodeOf<T extends OrderNode['type']>(
  graph: OrderGraph,
  type: T,
  name: string,
): Extract<OrderNode, { type: T }> {
  const found = graph.nodes.find((n) => n.type === type && nameOf(n).endsWith(name))
  if (!found) throw new Error(`no ${type} ${name}`)
  return found as Extract<OrderNode, { type: T }>
}

/** Whether `to` starts only after `from`, over any number of edges. */
export function isBefore({ nodes, needs }: OrderGraph, from: string, to: string): boolean {
  const names = nodes.map(nameOf)
  const open = [names.indexOf(to)]
  const seen = new Set(open)
  for (const n of open)
    for (const e of needs[n]!) {
      if (names[e.from] === from) return true
      if (!seen.has(e.from)) open.push(e.from)
      seen.add(e.from)
    }
  return false
}
