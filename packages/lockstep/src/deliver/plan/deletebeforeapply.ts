/** Objects that leave before others are applied, because a rule of kapp says so (`change_rule.go`). Pure. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { refText } from '@lockstep/kube/object'
import {
  cycleFailure,
  cycleText,
  endOf,
  kappRuleText,
  type OrderEdge,
  type OrderGraph,
  type OrderNode,
  sequenceNodes,
  TopologicalOrder,
  type WeighedRule,
} from '../../decisions/order/index.ts'
import { takesAlong } from '../deletion/prune.ts'
import type { BindFailure, ObjectToDelete, UnitDesiredState } from './desiredstate.ts'

/** Whether anything of the bundle can have to wait for an object that leaves. */
export const mayWaitForDeletions = ({ nodes, configs }: OrderGraph): boolean =>
  configs.length > 0 || nodes.some(isGrouped)

function isGrouped(node: OrderNode): boolean {
  if (node.type !== 'object' && node.type !== 'hook') return false
  return node.options.changeGroups.length > 0 || node.options.changeRules.length > 0
}

/** An edge whose weight decides among those that may be left out. */
interface DeletionEdge {
  readonly edge: OrderEdge
  readonly weight: number
}

/**
 * The graph with what leaves before something is applied, and with what that waits for in its turn. All else that
 * leaves goes once the rest is healthy. The error is a cycle.
 */
export function withDeleteBeforeApply(
  desired: UnitDesiredState,
  leavers: readonly ObjectToDelete[],
): Result<UnitDesiredState, BindFailure> {
  const { graph } = desired
  if (leavers.length === 0) return ok(desired)
  const early = earlyOf(leavers, graph)
  if (early.length === 0) return ok(desired)
  const first = graph.nodes.length
  const edges = early.flatMap((l, i) => edgesOf(l, first + i, early, graph))
  const nodes: OrderNode[] = [
    ...graph.nodes,
    ...early.map((l): OrderNode => ({ type: 'delete', id: `deletion of ${refText(l.entry)}`, ref: l.entry })),
  ]
  const needs = nodes.map((_, n): OrderEdge[] => [...(graph.needs[n] ?? [])])
  for (const { edge } of edges) if (edge.strength === 'Required') needs[edge.to]!.push(edge)
  const { done, sequence } = sequenceNodes(nodes, needs)
  if (!done) return err(cycleFailure(cycleText(nodes, needs, sequence)))
  const order = new TopologicalOrder(needs, sequence)
  const optional = edges.filter(({ edge }) => edge.strength === 'Preferred')
  for (const { edge } of optional.sort((a, b) => b.weight - a.weight))
    if (order.connect(edge.from, edge.to)) needs[edge.to]!.push(edge)
  const sorted = sequenceNodes(nodes, needs).sequence
  const deletions = new Map(early.map((l, i) => [first + i, l]))
  return ok({ ...desired, deletions, graph: { ...graph, nodes, needs, sequence: sorted } })
}

/** Those that something of the bundle waits for, and those that go before them. */
function earlyOf(leavers: readonly ObjectToDelete[], graph: OrderGraph): readonly ObjectToDelete[] {
  const first = graph.nodes.length
  const edges = leavers.flatMap((l, i) => edgesOf(l, first + i, leavers, graph)).map(({ edge }) => edge)
  const early = new Set<number>()
  const isNew = ({ from, to }: OrderEdge): boolean =>
    from >= first && !early.has(from) && (to < first || early.has(to))
  for (let more = edges.filter(isNew); more.length > 0; more = edges.filter(isNew))
    for (const { from } of more) early.add(from)
  return leavers.filter((_, i) => early.has(first + i))
}

function edgesOf(
  leaver: ObjectToDelete,
  n: number,
  leavers: readonly ObjectToDelete[],
  graph: OrderGraph,
): DeletionEdge[] {
  const found: DeletionEdge[] = []
  const lay = (from: number, to: number, rule: WeighedRule): void => {
    const strength = rule.ignoreIfCyclical ? 'Preferred' : 'Required'
    const ask = from >= graph.nodes.length ? 'Gone' : endOf(graph.nodes[from]!)
    const why = `kapp.k14s.io/change-rule ${kappRuleText(rule)}`
    found.push({ edge: { from, to, ask, strength, why }, weight: rule.weight })
  }
  graph.nodes.forEach((node, to) => {
    if (node.type !== 'object' && node.type !== 'hook') return
    const { changeGroups, changeRules } = node.options
    if (leaver.live === 'unknown') {
      if (isGrouped(node)) found.push(unread(n, to))
      return
    }
    for (const rule of changeRules)
      if (rule.action === 'upsert' && rule.other === 'deleting' && leaver.changes.groups.includes(rule.group))
        rule.order === 'after' ? lay(n, to, rule) : lay(to, n, rule)
    for (const rule of leaver.changes.rules)
      if (rule.action === 'delete' && rule.other === 'upserting' && changeGroups.includes(rule.group))
        rule.order === 'before' ? lay(n, to, rule) : lay(to, n, rule)
  })
  const first = graph.nodes.length
  leavers.forEach((other, i) => {
    if (other === leaver) return
    for (const rule of leaver.changes.rules)
      if (rule.action === 'delete' && rule.other === 'deleting' && other.changes.groups.includes(rule.group))
        rule.order === 'before' ? lay(n, first + i, rule) : lay(first + i, n, rule)
    if (takesAlong(leaver, other.entry)) found.push(inside(first + i, n))
  })
  return found
}

/** It is in the Namespace, or of the kind, that goes: it goes before. */
const inside = (from: number, to: number): DeletionEdge => ({
  edge: { from, to, ask: 'Gone', strength: 'Required', why: 'is deleted with it' },
  weight: 0,
})

const unread = (from: number, to: number): DeletionEdge => ({
  edge: { from, to, ask: 'Gone', strength: 'Required', why: 'its annotations are being read' },
  weight: 0,
})
