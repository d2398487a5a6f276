/** Waves that promise less than people think: an operator's subscription is healthy before what the operator makes is there. */
import type { KubeObject } from '@lockstep/kube/object'
import type { OrderGraph, OrderNode, OrderPosition } from './ordergraph.ts'
import { compareOrderPositions, isMainPhase } from './orderposition.ts'

interface PlacedPart {
  readonly place: OrderPosition
  readonly isObject: boolean
  /** The name of an operator that is installed here. */
  readonly operator: string | undefined
  readonly isWait: boolean
}

/**
 * `wave 5 → 10: subscription odf-operator healthy; nothing waits for what it installs`: a line for each place with operators in
 * it, objects behind it, and no wait or hook from there to these.
 */
export function emptyWavePromises({ nodes }: OrderGraph): string[] {
  const placed = nodes.flatMap(placedOf).sort((a, b) => compareOrderPositions(a.place, b.place))
  const groups: PlacedPart[][] = []
  for (const p of placed) {
    const last = groups.at(-1)
    if (last && compareOrderPositions(last[0]!.place, p.place) === 0) last.push(p)
    else groups.push([p])
  }
  return groups.flatMap((group, i) => {
    const operators = group.flatMap((p) => p.operator ?? []).sort()
    const behind = groups.slice(i + 1)
    const found = behind.findIndex((g) => g.some((p) => p.isObject))
    const next = behind[found]?.[0]?.place
    const isHeld = [group, ...behind.slice(0, found)].some((g) => g.some((p) => p.isWait))
    if (!next || operators.length === 0 || isHeld) return []
    const [what, it] =
      operators.length === 1 ? ['subscription', 'it installs'] : ['subscriptions', 'they install']
    return [
      `${textOf(group[0]!.place)} → ${next.wave}: ${what} ${operators.join(', ')} healthy; nothing waits for what ${it}`,
    ]
  })
}

function placedOf(node: OrderNode): PlacedPart[] {
  if (node.type === 'wait')
    // An application that is ready says as little of what an operator makes as an Application does.
    return node.place && node.application === undefined
      ? [{ place: node.place, operator: undefined, isWait: true, isObject: false }]
      : []
  if (node.type !== 'object' && node.type !== 'hook') return []
  const { step, phase, wave, object } = node
  if (!isMainPhase(phase)) return []
  const isWait = node.type === 'hook'
  return [{ place: { step, phase, wave }, operator: operatorOf(object), isWait, isObject: !isWait }]
}

const OPERATORS: Readonly<Record<string, string>> = {
  Subscription: 'operators.coreos.com/',
  ClusterExtension: 'olm.operatorframework.io/',
}

const operatorOf = ({ apiVersion, kind, metadata }: KubeObject): string | undefined =>
  OPERATORS[kind] !== undefined && apiVersion.startsWith(OPERATORS[kind]) ? metadata.name : undefined

const textOf = ({ phase, wave }: OrderPosition): string =>
  phase === 'Sync' ? `wave ${wave}` : `${phase} wave ${wave}`
