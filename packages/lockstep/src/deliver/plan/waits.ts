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
import type { NewBlocker } from '../../api/blocker.ts'
import type { InventorySpec } from '../../api/kinds/index.ts'
import type { BlockerReason } from '../../api/reasons/index.ts'
import type { OrderGraph, RequiredState, WaitNode } from '../../decisions/order/index.ts'
import { withoutSecretData } from '../state/checkpoint.ts'
import type { LookupQuery, WaitResult } from '../state/lookup.ts'
import { isUnsure, observedObjectHealth } from '../state/objecthealth.ts'
import { isComplete, readinessVerdict } from '../state/readiness.ts'
import type { Evaluation, NodeState, UnitInput } from '../state/unitinput.ts'
import type { WaitMemory } from '../state/unitmemory.ts'
import { soonestRequeue } from '../step/requeue.ts'
import { bundleWaitId, lookUpApplicationWait, lookUpBundleWait } from './bundlewait.ts'

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
  const since = memoryOf(input).since.get(id)
  const isTimed = seen.isFailed === undefined && since !== undefined
  const left = isTimed ? since + input.health.timeoutSeconds * 1000 - input.steady : undefined
  const isLate = seen.isFailed ?? (left !== undefined && left <= 0)
  const waiter = node.place ? '' : `; ${waiterText(n, node, input.desired.graph)}`
  const after = isTimed && isLate ? ` after ${input.health.timeoutSeconds}s` : ''
  const message = `${seen.text}${after}${waiter}`
  // What is not there at all is named as that; what is there has had its time.
  const reason = isLate && seen.reason === 'WaitingForObject' ? 'HealthTimeout' : seen.reason
  return {
    type: 'wait',
    met: false,
    blocker: { reason, message, subject: seen.subject ?? `${node.target.kind}/${node.target.name}` },
    late: isLate,
    wakeInMs: soonestRequeue([seen.settlesInMs, isLate ? undefined : left]),
  }
}

const MET: WaitState = Object.freeze({ type: 'wait', met: true })

function lookFor(node: WaitNode, input: UnitInput): WaitResult {
  if (node.application !== undefined) return lookUpApplicationWait(node, input)
  return node.called === undefined ? lookAt(node, input) : lookUpBundleWait(node, input)
}

function lookAt(node: WaitNode, input: UnitInput): WaitResult {
  const { target } = node
  const name = refText(target)
  const open = (reason: BlockerReason, text: string): WaitResult => ({ type: 'open', reason, text })
  const found = input.outside(target)
  switch (found.type) {
    case 'NotServed':
      return open('WaitKindNotServed', `no API serves ${kindText(target)} (${name})`)
    case 'Misplaced':
      return open('WaitNotFound', `${name} names no namespace, and ${target.kind} has namespaces`)
    case 'Forbidden':
      return open('WaitForbidden', `${name} cannot be read: ${found.detail}`)
    case 'Unread':
      return open('WaitingForObject', `${name} cannot be read: ${found.detail}`)
    case 'Syncing':
      return open('WatchStale', `${name} is being read`)
    case 'Read': {
      const object = found.objects[0]
      if (!object) return open('WaitNotFound', `${name} does not exist`)
      if (object.metadata.deletionTimestamp !== undefined)
        return open('WaitingForObject', `${name} is being deleted`)
      return askedOf(node, withoutSecretData(object), found.hasStatus, input)
    }
  }
}

function askedOf(node: WaitNode, object: KubeObject, hasStatus: boolean, input: UnitInput): WaitResult {
  const name = refText(node.target)
  const open = (text: string, settlesInMs?: number): WaitResult => ({
    type: 'open',
    reason: 'WaitingForObject',
    text: `${name}: ${text}`,
    ...(settlesInMs === undefined ? {} : { settlesInMs }),
  })
  if (node.ask === 'Exists') return { type: 'met' }
  if (node.ask === 'Expr') {
    const verdict = readinessVerdict(node, object)
    if (verdict === true) return { type: 'met' }
    // What an expression says of a Secret may be part of it.
    const why = typeof verdict === 'object' && !isSecret(object) ? `: ${verdict.message}` : ''
    return open(`${node.expression} is not true${why}`)
  }
  if (isUnsure(object, input)) return { type: 'open', reason: 'WatchStale', text: `${name} is being read` }
  const health = observedObjectHealth(object, input)
  if (health.state !== 'Healthy') return open(health.message || health.state)
  if (node.ask === 'Complete' && !isComplete(health, object.kind)) return open('has not completed')
  const settlesInMs = hasStatus ? unseenMs(object, input) : 0
  return settlesInMs > 0
    ? open(`settles for ${Math.ceil(settlesInMs / 1000)}s`, settlesInMs)
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

export const ASK_TEXT: Readonly<Record<RequiredState, string>> = {
  Applied: 'to be applied',
  Healthy: 'to be healthy',
  Complete: 'to complete',
  Served: 'to be served',
  Exists: 'to exist',
  Expr: 'to be as asked',
  Gone: 'to be gone',
}

/** `apps/Deployment app/api waits for it to exist (lockstep.dev/wait-for)`; of several the first, and how many more. */
function waiterText(n: number, { ask, why }: WaitNode, graph: OrderGraph): string {
  const [first, ...more] = waitersOf(graph).get(n) ?? []
  const node = first === undefined ? undefined : graph.nodes[first]!
  const name = node === undefined || !('object' in node) ? 'the module' : refText(refOf(node.object))
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return `${name}${others} ${more.length === 0 ? 'waits' : 'wait'} for it ${ASK_TEXT[ask]} (${why})`
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
