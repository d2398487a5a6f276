/** Hooks on their cluster: runs are written down, made, let go of and deleted. */

import type { RequestError } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { defineKind, type KubeObject, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked } from '../../../api/blocker.ts'
import type { HookRecord } from '../../../api/kinds/index.ts'
import {
  HOOK_FINALIZER,
  INVENTORY_ANNOTATION,
  MANAGER,
  NONCE_ANNOTATION,
  RETRY_HOOKS_ANNOTATION,
  UNIT_LABEL,
} from '../../../api/labels.ts'
import {
  type HookEffect,
  type HookStart,
  newRun,
  requestedKey,
  runText,
  withHookRetry,
  withRecords,
} from '../../../deliver/hooks/index.ts'
import { marksOf, ownedBlocker } from '../../../deliver/ownership/index.ts'
import { type DesiredHook, markedBody } from '../../../deliver/plan/index.ts'
import { objectWaitRef, type UnitInput } from '../../../deliver/state/index.ts'
import { refusal, typed, type WriteRefusal } from '../../../deliver/write/index.ts'
import { type LiveObject, servedAs } from '../../../fleet/connection/index.ts'
import {
  failed,
  hubTime,
  requeueAfter,
  unitFields,
  withFinalizer,
  withoutFinalizer,
} from '../../runtime/index.ts'
import { rememberFailure } from '../applynode.ts'
import { type UnitDeps, type UnitScope, writeInventory } from '../unitscope.ts'
import { endedHooks, recordHookOutput } from './hookoutput.ts'

/** What carries our label under the name of a run; 'unknown' while the cache of its kind is not complete. */
export function instanceAt(scope: Pick<UnitScope, 'session'>, record: HookRecord) {
  const resource = servedAs(scope.session, record)
  if (!resource) return undefined
  const store = scope.session.objects(resource)
  const found: LiveObject | undefined = store.get(record)
  return found ?? (store.freshness.state === 'Syncing' ? ('unknown' as const) : undefined)
}

/** Why objects of its kind cannot be listed, in the server's words. */
export function unlistedAt({ session }: Pick<UnitScope, 'session'>, record: HookRecord): string | undefined {
  const resource = servedAs(session, record)
  return resource && session.refusal(resource)?.words
}

/** Writes down that runs begin: before any of their objects is made. */
export async function startHooks(
  c: UnitDeps,
  scope: UnitScope,
  input: Pick<UnitInput, 'inventory' | 'health'>,
  starts: readonly HookStart[],
): Promise<ReconcileResult | undefined> {
  const runs = starts.map((s) => newRun(s, input, { nonce: c.env.random.uuid(), now: hubTime(c).nowMs }))
  const done = await writeHooks(c, scope, withRecords(scope.inventory.spec.hooks, runs))
  if (done) return done
  for (const { nonce } of runs) scope.memory.hookRuns.set(nonce, { askedAt: undefined, madeAt: undefined })
  return undefined
}

/** Takes up what somebody asked for; undefined: nobody has. */
export async function retryHooks(
  c: UnitDeps,
  { inventory }: UnitScope,
): Promise<ReconcileResult | undefined> {
  const { annotations, ...metadata } = inventory.metadata
  if (annotations?.[RETRY_HOOKS_ANNOTATION] === undefined) return undefined
  const { [RETRY_HOOKS_ANNOTATION]: asked, ...others } = annotations
  const body = { ...inventory, metadata: { ...metadata, annotations: others } }
  const done = await writeInventory(
    c,
    body,
    withHookRetry(inventory.spec, asked === 'All' ? 'All' : 'Failed'),
  )
  return done.ok ? requeueAfter(1) : failed(done.error)
}

/** Undefined: it is written, and what ended has been heard: after it, what has written that may go. */
export async function writeHooks(
  c: UnitDeps,
  scope: UnitScope,
  hooks: readonly HookRecord[],
  input?: UnitInput,
): Promise<ReconcileResult | undefined> {
  const { hooks: _, ...rest } = scope.inventory.spec
  const spec = hooks.length === 0 ? rest : { ...rest, hooks: [...hooks] }
  const done = await writeInventory(c, scope.inventory, spec)
  if (!done.ok) return failed(done.error)
  for (const hook of endedHooks(scope, hooks)) logEnd(c, scope, hook)
  if (input) await recordHookOutput(c, scope, input, hooks)
  return undefined
}

export async function performEffects(
  c: UnitDeps,
  scope: UnitScope,
  effects: readonly HookEffect[],
): Promise<ReconcileResult | undefined> {
  const outcomes = await Promise.all(effects.map((e) => perform(c, scope, e)))
  scope.memory.lastWriteAt = c.env.clock.steady()
  return outcomes.find((o) => o !== undefined)
}

function perform(c: UnitDeps, scope: UnitScope, effect: HookEffect): Promise<ReconcileResult | undefined> {
  switch (effect.type) {
    case 'create':
      return create(c, scope, effect)
    case 'free':
      return free(c, scope, effect)
    case 'delete':
      return remove(c, scope, effect)
  }
}

type Create = Extract<HookEffect, { type: 'create' }>
type OnLive = Extract<HookEffect, { live: LiveObject }>

async function create(c: UnitDeps, scope: UnitScope, effect: Create): Promise<ReconcileResult | undefined> {
  const { memory } = scope
  const { record, hook } = effect
  const run = memory.hookRuns.get(record.nonce) ?? { askedAt: memory.bornAt, madeAt: undefined }
  memory.hookRuns.set(record.nonce, { ...run, askedAt: c.env.clock.steady() })
  const done = await make(scope, effect)
  if (!done.ok) {
    const { failure, isAnswered } = done.error
    if (isAnswered) memory.hookRuns.set(record.nonce, run)
    rememberFailure(c, memory, { id: hook.id, content: record.nonce }, failure)
    return undefined
  }
  memory.failures.delete(hook.id)
  memory.hookRuns.set(record.nonce, { askedAt: run.askedAt, madeAt: c.env.clock.steady() })
  const facts = { reason: 'HookStarted' }
  c.env.log.info(
    `${runText(record)} started`,
    Object.assign(facts, unitFields(scope.ref, scope.cluster.name)),
  )
  return undefined
}

function logEnd(c: UnitDeps, { ref, cluster }: UnitScope, record: HookRecord): void {
  const { state } = record
  c.env.meters.count('lockstep_hooks_total', { result: state })
  const facts = { reason: `Hook${state}` }
  c.env.log.info(`${runText(record)}: ${state}`, Object.assign(facts, unitFields(ref, cluster.name)))
}

interface NotMade {
  readonly failure: WriteRefusal
  /** The server has said no: nothing can come of the request any more. */
  readonly isAnswered: boolean
}

async function make(scope: UnitScope, { hook, record, over }: Create): Promise<Result<void, NotMade>> {
  const { client } = scope.session
  const kind = defineKind(hook.resource!)
  const body = bodyOf(scope, hook.object, record)
  const write = { purpose: 'hook', manager: MANAGER } as const
  const made = over
    ? await client.apply<KubeObject>(kind, body, { ...write, force: true, precondition: over })
    : await client.create<KubeObject>(kind, body, write)
  if (made.ok) return ok(scope.session.wrote(hook.resource!, typed(made.value, hook.object)))
  if (made.error.kind !== 'AlreadyExists') return err(notMade(scope, made.error, hook, record))
  const found = await client.get<KubeObject>(kind, keyOfRun(record), { purpose: 'hook' })
  if (!found.ok) return err(notMade(scope, found.error, hook, record))
  const theirs = notOurs(scope, record, found.value)
  if (theirs) return err({ failure: theirs, isAnswered: true })
  return ok(scope.session.wrote(hook.resource!, typed(found.value, hook.object)))
}

const UNANSWERED: ReadonlySet<RequestError['kind']> = new Set([
  'Unreachable',
  'Malformed',
  'Deadline',
  'Aborted',
  'Server',
])

const notMade = (
  { cluster }: UnitScope,
  error: RequestError,
  { fromSecret }: DesiredHook,
  record: HookRecord,
): NotMade => ({
  failure: refusal(error, { ref: record, cluster: cluster.name, ...(fromSecret ? { fromSecret } : {}) }),
  isAnswered: !UNANSWERED.has(error.kind),
})

function notOurs(
  { inventory, cluster }: UnitScope,
  record: HookRecord,
  o: Stored<KubeObject>,
): WriteRefusal | undefined {
  const { annotations } = o.metadata
  const on = objectWaitRef(record, cluster.name)
  const owner = annotations?.[INVENTORY_ANNOTATION]
  if (owner === inventory.metadata.uid) {
    if (annotations?.[NONCE_ANNOTATION] === record.nonce) return undefined
    const unmarked = blocked('NotOwned', [on], { because: 'HookUnmarked', label: UNIT_LABEL })
    return { ...unmarked, transient: false }
  }
  if (owner !== undefined) return { ...ownedBlocker(on, marksOf(o)), transient: false }
  return { ...blocked('NotOwned', [on], { because: 'HookNameTaken' }), transient: false }
}

const keyOfRun = ({ namespace, name }: HookRecord) =>
  namespace === undefined ? { name } : { namespace, name }

/** The manifest with our marks, and the finalizer that keeps its result. */
function bodyOf({ label, inventory }: UnitScope, object: KubeObject, record: HookRecord): KubeObject {
  const marked = markedBody(object, label, inventory.metadata.uid, record.nonce)
  const { metadata } = marked
  const finalizers = withFinalizer(metadata.finalizers, HOOK_FINALIZER)
  return { ...marked, metadata: { ...metadata, finalizers } }
}

async function free(
  c: UnitDeps,
  scope: UnitScope,
  { record, live }: OnLive,
): Promise<ReconcileResult | undefined> {
  const resource = servedAs(scope.session, record)
  if (!resource) return undefined
  const finalizers = withoutFinalizer(live.finalizers, HOOK_FINALIZER)
  const patch = { metadata: { finalizers: finalizers.length > 0 ? finalizers : null } }
  const done = await scope.session.client.patch<KubeObject>(defineKind(resource), keyOfRun(record), patch, {
    purpose: 'hook',
    manager: MANAGER,
    precondition: { uid: live.uid, resourceVersion: live.resourceVersion },
  })
  if (!done.ok && done.error.kind !== 'NotFound') return notDone(c, scope, { record, live }, done.error)
  scope.memory.failures.delete(requestedKey(live.uid))
  if (!done.ok || live.deleting) noteAsked(c, scope, live)
  else scope.session.wrote(resource, typed(done.value, live.object))
  return undefined
}

/** What is there now is read, since its event may never come where it is polled; a refusal is kept, and does not hold up the rest. */
async function notDone(
  c: UnitDeps,
  scope: UnitScope,
  { record, live }: Pick<OnLive, 'record' | 'live'>,
  error: RequestError,
): Promise<ReconcileResult | undefined> {
  const { session, memory } = scope
  const resource = servedAs(session, record)
  if (error.kind === 'FenceLost' && resource) {
    const found = await session.client.get<KubeObject>(defineKind(resource), keyOfRun(record), {
      purpose: 'hook',
    })
    if (found.ok) session.wrote(resource, typed(found.value, live.object))
    else if (found.error.kind === 'NotFound') noteAsked(c, scope, live)
    return found.ok ? undefined : { ok: false }
  }
  const failure = refusal(error, { ref: record, cluster: scope.cluster.name }, 'Delete')
  rememberFailure(c, memory, { id: requestedKey(live.uid), content: record.nonce }, failure)
  return undefined
}

/** It goes from the cache with its event; until then there is nothing more to do about it. */
const noteAsked = (c: UnitDeps, { memory }: UnitScope, { uid }: LiveObject): unknown =>
  memory.deleted.set(requestedKey(uid), { uid, at: c.env.clock.steady() })

async function remove(
  c: UnitDeps,
  scope: UnitScope,
  { record, live }: OnLive,
): Promise<ReconcileResult | undefined> {
  const resource = servedAs(scope.session, record)
  if (!resource) return undefined
  const done = await scope.session.client.delete(defineKind(resource), keyOfRun(record), {
    purpose: 'hook',
    manager: MANAGER,
    precondition: { uid: live.uid, resourceVersion: live.resourceVersion },
    propagation: 'Background',
  })
  if (!done.ok && done.error.kind !== 'NotFound') return notDone(c, scope, { record, live }, done.error)
  scope.memory.failures.delete(requestedKey(live.uid))
  noteAsked(c, scope, live)
  return undefined
}

/** Takes our marks and the finalizer off a run that stays (deletionPolicy Orphan). */
export async function orphanHook(scope: UnitScope, record: HookRecord): Promise<boolean> {
  const { session } = scope
  const resource = servedAs(session, record)
  const live = instanceAt(scope, record)
  if (live === 'unknown') return false
  if (!resource || !live || live.inventory !== scope.inventory.metadata.uid) return true
  const finalizers = withoutFinalizer(live.finalizers, HOOK_FINALIZER)
  const annotations = { [INVENTORY_ANNOTATION]: null, [NONCE_ANNOTATION]: null }
  const patch = { metadata: { finalizers, labels: { [UNIT_LABEL]: null }, annotations } }
  const done = await session.client.patch(defineKind(resource), keyOfRun(record), patch, {
    purpose: 'hook',
    manager: MANAGER,
    precondition: { uid: live.uid, resourceVersion: live.resourceVersion },
  })
  return done.ok || done.error.kind === 'NotFound'
}
