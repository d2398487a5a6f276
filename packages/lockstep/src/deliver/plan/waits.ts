/** Conditions on objects that the bundle does not deliver: whether each is met, and what is said while it is not. Pure. */

import {
  at,
  digestOf,
  isCustomGroup,
  isSecret,
  type KubeObject,
  parseApiVersion,
  parseTimestampMs,
  refOf,
  refText,
  short10,
} from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventorySpec } from '../../api/kinds/index.ts'
import type { OrderGraph, WaitNode } from '../../decisions/order/index.ts'
import { withoutSecretData } from '../state/checkpoint.ts'
import type { LookupQuery, WaitFacts, WaitReason, WaitResult } from '../state/lookup.ts'
import { isUnsure, observedObjectHealth } from '../state/objecthealth.ts'
import { kindNameText, objectWaitRef } from '../state/objectwaitref.ts'
import { isComplete, readinessVerdict } from '../state/readiness.ts'
import type { Evaluation, NodeState, UnitInput } from '../state/unitinput.ts'
import type { WaitMemory } from '../state/unitmemory.ts'
import { soonestRequeue } from '../step/requeue.ts'
import { bundleWaitId, lookUpBundleWait } from './bundlewait.ts'

export type WaitState = Extract<NodeState, { type: 'wait' }>

/** A custom resource without a status may be one that its operator has not seen yet. */
const UNSEEN_SECONDS = 10

/** As the Inventory keeps it: the object, what is asked of it, and of an expression a digest. */
export function waitId(node: WaitNode): string {
  const { target, ask, expression } = node
  if (node.called !== undefined) return bundleWaitId(node)
  if (node.application !== undefined) return `application ${node.application} ${ask}`
  const what = expression === undefined ? ask : `${ask} ${short10(digestOf('wait/1', expression))}`
  return `${refText(target)} ${what}`
}

/** Met once is met for this content, whatever becomes of the object. */
export function waitState(node: WaitNode, n: number, input: UnitInput): WaitState {
  const id = waitId(node)
  if (isRecorded(id, input) || memoryOf(input).met.has(id)) return MET
  const seen = lookFor(node, input)
  if (seen.type === 'met') return MET
  if (seen.type === 'application')
    return { type: 'wait', met: false, blocker: seen.blocker, late: seen.isFailed, wakeInMs: undefined }
  const since = memoryOf(input).since.get(id)
  const { timeoutSeconds } = input.health
  const left = since === undefined ? undefined : since + timeoutSeconds * 1000 - input.steady
  const isLate = left !== undefined && left <= 0
  const waiter = node.place ? {} : waiterFacts(n, node, input.desired.graph)
  const facts = { ...seen.facts, ...waiter, ...(isLate ? { seconds: timeoutSeconds } : {}) }
  // An absent object keeps its own reason; an existing one has had its time.
  const blocker =
    isLate && seen.reason === 'WaitingForObject'
      ? blocked('HealthTimeout', [seen.on], facts)
      : blocked(seen.reason, [seen.on], facts)
  const wakeInMs = soonestRequeue([seen.settlesInMs, isLate ? undefined : left])
  return { type: 'wait', met: false, blocker, late: isLate, wakeInMs }
}

const MET: WaitState = Object.freeze({ type: 'wait', met: true })

function lookFor(node: WaitNode, input: UnitInput): WaitResult {
  if (node.application !== undefined) return input.application(node.application)
  return node.called === undefined ? lookAt(node, input) : lookUpBundleWait(node, input)
}

function lookAt(node: WaitNode, input: UnitInput): WaitResult {
  const { target } = node
  const on = objectWaitRef(target, input.inventory.spec.clusterRef.name)
  const open = (reason: WaitReason, facts: WaitFacts): WaitResult => ({ type: 'open', reason, on, facts })
  const found = input.outside(target)
  switch (found.type) {
    case 'NotServed':
      return open('WaitKindNotServed', { state: 'NotServed', resource: kindText(target) })
    case 'Misplaced':
      return open('WaitNotFound', { state: 'NoNamespace' })
    case 'Forbidden':
      return open('WaitForbidden', { state: 'Unreadable', detail: found.detail })
    case 'Unread':
      return open('WaitingForObject', { state: 'Unreadable', detail: found.detail })
    case 'Syncing':
      return open('WatchStale', { state: 'Unread' })
    case 'Read': {
      const object = found.objects[0]
      if (!object) return open('WaitNotFound', { state: 'NotFound' })
      if (object.metadata.deletionTimestamp !== undefined)
        return open('WaitingForObject', { state: 'Terminating' })
      return askedOf(node, withoutSecretData(object), found.hasStatus, input)
    }
  }
}

function askedOf(node: WaitNode, object: KubeObject, hasStatus: boolean, input: UnitInput): WaitResult {
  const on = objectWaitRef(node.target, input.inventory.spec.clusterRef.name)
  const open = (
    facts: WaitFacts,
    reason: WaitReason = 'WaitingForObject',
  ): Extract<WaitResult, { type: 'open' }> => ({
    type: 'open',
    reason,
    on,
    facts,
  })
  if (node.ask === 'Exists') return { type: 'met' }
  if (node.ask === 'Expr') {
    const verdict = readinessVerdict(node, object)
    if (verdict === true) return { type: 'met' }
    // What an expression says of a Secret may be part of it.
    const detail = typeof verdict === 'object' && !isSecret(object) ? verdict.message : undefined
    return open({ state: 'NotTrue', expression: node.expression, detail })
  }
  if (isUnsure(object, input)) return open({ state: 'Unread' }, 'WatchStale')
  const health = observedObjectHealth(object, input)
  if (health.state !== 'Healthy') return open({ state: 'NotReady', detail: health.message || health.state })
  if (node.ask === 'Complete' && !isComplete(health, object.kind)) return open({ state: 'NotComplete' })
  const settlesInMs = hasStatus ? unseenMs(object, input) : 0
  return settlesInMs > 0
    ? { ...open({ state: 'Settling', seconds: Math.ceil(settlesInMs / 1000) }), settlesInMs }
    : { type: 'met' }
}

/** Milliseconds until an object that says nothing of itself is taken for one that never does. */
function unseenMs(o: KubeObject, { health, now }: UnitInput): number {
  const { group } = parseApiVersion(o.apiVersion)
  const made = parseTimestampMs(o.metadata.creationTimestamp ?? '')
  if (!isCustomGroup(group) || at(o, 'status') !== undefined || made === undefined) return 0
  return Math.max(0, made + (health.settleSeconds ?? UNSEEN_SECONDS) * 1000 - now)
}

const kindText = ({ group, version, kind }: LookupQuery): string =>
  version === undefined
    ? `${group === '' ? '' : `${group}/`}${kind}`
    : `${group === '' ? version : `${group}/${version}`} ${kind}`

/** The first object that waits, and the number of further ones. */
function waiterFacts(
  n: number,
  { ask, why }: WaitNode,
  graph: OrderGraph,
): Pick<WaitFacts, 'waiter' | 'more' | 'ask' | 'rule'> {
  const [first, ...more] = waitersOf(graph).get(n) ?? []
  const node = first === undefined ? undefined : graph.nodes[first]!
  const waiter = node === undefined || !('object' in node) ? 'the Module' : kindNameText(refOf(node.object))
  return { waiter, ...(more.length > 0 ? { more: more.length } : {}), ask, rule: why }
}

const waiters = new WeakMap<OrderGraph, ReadonlyMap<number, readonly number[]>>()

/** Nodes that need each wait themselves, by wait; found once for a graph. */
function waitersOf(graph: OrderGraph): ReadonlyMap<number, readonly number[]> {
  let found = waiters.get(graph)
  if (!found) {
    const all = new Map<number, number[]>()
    for (const { from, to } of graph.needs.flat()) {
      if (graph.nodes[from]!.type !== 'wait') continue
      const there = all.get(from)
      if (there) there.push(to)
      else all.set(from, [to])
    }
    found = all
    waiters.set(graph, found)
  }
  return found
}

const serialOf = ({ inventory }: Pick<UnitInput, 'inventory'>): number =>
  inventory.spec.admitted?.contentSerial ?? 0

const isRecorded = (id: string, input: UnitInput): boolean =>
  input.inventory.spec.waits?.some((w) => w.id === id && w.serial === serialOf(input)) === true

/** Of the content that is admitted. */
function memoryOf(input: Pick<UnitInput, 'inventory' | 'memory'>): WaitMemory {
  const { waits } = input.memory
  return waits?.serial === serialOf(input)
    ? waits
    : { serial: serialOf(input), met: new Set(), since: new Map() }
}

/** What was met and since when something stands still for the rest, to be kept in mind; undefined: nothing is waited for. */
export function observedWaits(input: UnitInput, e: Evaluation): WaitMemory | undefined {
  const before = memoryOf(input)
  const met = new Set<string>()
  const since = new Map<string, number>()
  let any = false
  for (const [n, node] of input.desired.graph.nodes.entries()) {
    if (node.type !== 'wait') continue
    any = true
    const state = e.states[n]!
    const id = waitId(node)
    if (state.type !== 'wait') continue
    if (state.met) met.add(id)
    else if (e.holding.has(n)) since.set(id, before.since.get(id) ?? input.steady)
  }
  return any ? { serial: before.serial, met, since } : undefined
}

/** Something was met that is not written down. */
export const hasNewWaits = (input: UnitInput): boolean =>
  [...memoryOf(input).met].some((id) => !isRecorded(id, input))

/** With what is met, of the content that is admitted. Not called without a look before. */
export function withWaits(
  { waits: _, ...spec }: InventorySpec,
  input: Pick<UnitInput, 'inventory' | 'memory'>,
): InventorySpec {
  const { serial, met } = memoryOf(input)
  const waits = [...met].sort().map((id) => ({ id, serial }))
  return waits.length === 0 ? spec : { ...spec, waits }
}

/** What is said of conditions for which something stands still; `late` ones have failed. */
export function waitBlockers(e: Evaluation): {
  readonly late: readonly NewBlocker[]
  readonly open: readonly NewBlocker[]
} {
  const states = [...e.holding].map((n) => e.states[n]).filter((s) => s?.type === 'wait' && !s.met)
  const of = (late: boolean) =>
    states.flatMap((s) => (s?.type === 'wait' && !s.met && s.late === late ? [s.blocker] : []))
  return { late: of(true), open: of(false) }
}
