/** The status of a unit, from where its nodes stand: pure. */

import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryStatus } from '../../api/kinds/index.ts'
import type { WaitRef, WaitRefOf } from '../../api/reasons/index.ts'
import type { OrderEdge, OrderGraph } from '../../decisions/order/index.ts'
import { type PruneView, pruneBlockers } from '../deletion/prune.ts'
import { refusedEffects } from '../hooks/hookeffects.ts'
import { contentSerial, hookRecordOf } from '../hooks/hookrecord.ts'
import { formerBlocker, hookStage } from '../hooks/hookstage.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { waitBlockers } from '../plan/waits.ts'
import type { CheckpointResult } from './checkpoint.ts'
import { desiredWaitRef, kindNameText, objectWaitRef } from './objectwaitref.ts'
import type { Evaluation, HookStage, NodeState, UnitInput } from './unitinput.ts'

export interface UnitHealth {
  readonly health: 'Healthy' | 'Progressing' | 'Failed'
  readonly objects: NonNullable<InventoryStatus['objects']>
  readonly blockers: readonly NewBlocker[]
  /** The first hard failure, for people. */
  readonly failure: string | undefined
}

/** `Required value`s of a person: how many, what failed, what waits for what. */
export function unitHealth(input: UnitInput, e: Evaluation, prune: PruneView | undefined): UnitHealth {
  const nodes = input.desired.objects
    .map((d, n) => ({ d, n, state: e.states[n]! }))
    .filter((x) => x.d !== undefined)
  const waits = waitBlockers(e)
  const failures: NewBlocker[] = [...waits.late]
  const waiting: NewBlocker[] = [...waits.open]
  let applied = 0
  let ready = 0
  let blocked = 0
  for (const { d, n, state } of nodes) {
    if (state.type === 'applied') {
      applied++
      if (state.held) waiting.push(state.held.blocker)
      if (state.health.state === 'Healthy' && state.settlesInMs === 0) ready++
      else if (state.failed) failures.push(state.failed)
      else waiting.push(progressOf(d!, state, input))
    } else if (state.type === 'failed') (state.transient ? waiting : failures).push(state.blocker)
    else if (state.type === 'waiting' && !e.unmet.has(n)) {
      // One says it of all.
      const isSaid =
        state.blocker.reason === 'InventoryLost' && waiting.some((b) => b.reason === 'InventoryLost')
      if (!isSaid) waiting.push(state.blocker)
    } else if (e.unmet.has(n)) {
      blocked++
      waiting.push(unmetBlocker(input, e, n))
    }
  }
  const hooks = hooksOf(input, e)
  failures.push(...hooks.failures)
  waiting.push(...hooks.waiting)
  const pruning = prune ? pruneBlockers(prune) : []
  const isHealthy = e.complete && pruning.length === 0
  return {
    health: failures.length > 0 ? 'Failed' : e.complete ? 'Healthy' : 'Progressing',
    objects: { total: nodes.length, applied, ready, failed: failures.length, blocked },
    blockers: isHealthy ? [] : [...failures, ...causesFirst(waiting), ...pruning].slice(0, 10),
    failure: failures[0]?.message,
  }
}

/** The unit is as healthy as what it checks. */
export function withCheckpoint(unit: UnitHealth, checks: CheckpointResult | undefined): UnitHealth {
  if (!checks || checks.health === 'Healthy' || unit.health === 'Failed') return unit
  const failure = checks.health === 'Failed' ? checks.blockers[0]?.message : undefined
  return {
    ...unit,
    health: checks.health,
    blockers: [...unit.blockers, ...checks.blockers].slice(0, 10),
    failure: unit.failure ?? failure,
  }
}

/** What makes others wait comes before those who wait. */
const causesFirst = (list: readonly NewBlocker[]): NewBlocker[] => [
  ...list.filter((b) => b.reason !== 'WaitingForObject'),
  ...list.filter((b) => b.reason === 'WaitingForObject'),
]

function progressOf(
  d: DesiredObject,
  { health, settlesInMs }: Extract<NodeState, { type: 'applied' }>,
  { inventory }: UnitInput,
): NewBlocker {
  const on = desiredWaitRef(d, inventory.spec.clusterRef.name)
  return settlesInMs > 0
    ? blocked('Applying', [on], { state: 'Settling', seconds: Math.ceil(settlesInMs / 1000) })
    : blocked('Applying', [on], { state: 'NotReady', detail: health.message })
}

/** What hooks fail and wait with: those of the order, then those that run after a failure. */
function hooksOf(input: UnitInput, e: Evaluation): { failures: NewBlocker[]; waiting: NewBlocker[] } {
  const failures: NewBlocker[] = []
  const waiting = [...e.former.map((r) => formerBlocker(r, input)), ...refusedEffects(input)]
  const say = (stage: HookStage): void => {
    if (!('blocker' in stage)) return
    const isFinal = stage.is === 'Refused' || (stage.is === 'Failed' && stage.retryAt === undefined)
    ;(isFinal ? failures : waiting).push(stage.blocker)
  }
  for (const [n, state] of e.states.entries()) {
    if (state.type !== 'hook') continue
    if (state.stage.is === 'Due' && e.unmet.has(n)) waiting.push(unmetBlocker(input, e, n))
    else say(state.stage)
  }
  if (e.complete) return { failures, waiting }
  for (const hook of input.desired.syncFail.flat())
    if (hookRecordOf(input, hook.id)?.serial === contentSerial(input)) say(hookStage(hook, input))
  return { failures, waiting }
}

function unmetBlocker(input: UnitInput, e: Evaluation, n: number): NewBlocker {
  const { objects, hooks } = input.desired
  const edge = behindBarriers(e, input.desired.graph, n)
  const to = objects[n] ?? hooks[n]!
  const waiter = `${hooks[n] ? 'hook ' : ''}${kindNameText(to.ref)}`
  const facts = { state: 'Ordered', waiter, ask: edge.ask, rule: edge.why } as const
  return blocked('WaitingForObject', [neededRef(input, e, edge.from)], facts)
}

/** What a node is waited for as: an object, or the unit of an application. */
function neededRef({ desired, inventory }: UnitInput, e: Evaluation, n: number): NeededRef {
  const cluster = inventory.spec.clusterRef.name
  const node = desired.graph.nodes[n]!
  const state = e.states[n]!
  const application = state.type === 'wait' && !state.met ? state.blocker.on?.[0] : undefined
  if (application && isUnitRef(application)) return application
  const delivered = desired.objects[n] ?? desired.hooks[n]
  if (delivered) return desiredWaitRef(delivered, cluster)
  if (node.type === 'wait') return objectWaitRef(node.target, cluster)
  return node.type === 'delete' ? objectWaitRef(node.ref, cluster) : { kind: 'External', name: node.id }
}

type NeededRef = WaitRefOf<'Object' | 'Unit' | 'Module' | 'External'>

const isUnitRef = (ref: WaitRef): ref is WaitRefOf<'Unit' | 'Module'> =>
  ref.kind === 'Unit' || ref.kind === 'Module'

/** A barrier is nothing that people know: the first thing behind it that is not as it should be, for the reason of the first edge. */
function behindBarriers({ unmet }: Evaluation, { nodes }: OrderGraph, n: number): OrderEdge {
  const first = unmet.get(n)!
  let edge = first
  while (nodes[edge.from]!.type === 'barrier') edge = unmet.get(edge.from)!
  return { ...edge, why: first.why }
}
