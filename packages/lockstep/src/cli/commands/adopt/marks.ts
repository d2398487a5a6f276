/** Objects of lost Inventories that a person adopts: announced in the Inventory of their unit, which the controller then follows. */
import { type KubeClient, listAll, type RequestError, requestErrorText } from '@lockstep/kube/client'
import { type Env, err, ok, type Result } from '@lockstep/kube/env'
import { configMapKind } from '@lockstep/kube/kinds'
import { type Key, keyOf, type Stored } from '@lockstep/kube/object'
import { type Inventory, inventoryKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import type { MarkedObject } from '../../../deliver/ownership/index.ts'
import { inventoryName, unitName } from '../../../deliver/plan/index.ts'
import {
  adoptedMarks,
  type MarksAnswer,
  readStamp,
  stampKey,
  stampObject,
  withMarked,
} from '../../../deliver/step/index.ts'

/** The hub and one of its clusters. */
export interface MarksPlace {
  readonly env: Pick<Env, 'random'>
  readonly hub: KubeClient
  /** uid of Namespace kube-system of the hub. */
  readonly hubUid: string
  readonly cluster: KubeClient
  readonly fromHub: string | undefined
  readonly signal?: AbortSignal
}

/** A unit, and its Inventory if there is one. */
export interface MarkedUnit {
  readonly ref: ModuleRef
  readonly cluster: string
  readonly inventory: Stored<Inventory> | undefined
}

const USER = { purpose: 'user' } as const
const WRITE = { purpose: 'user', manager: CLI_MANAGER } as const
/** Conflicts in a row after which the write fails. */
const MAX_TRIES = 5

const callOf = ({ signal }: MarksPlace) => (signal ? { signal } : {})

/** The objects that a unit adopts; the error is a sentence. `marked`: objects of its cluster. */
export async function answerOf(
  p: MarksPlace,
  { ref, inventory }: MarkedUnit,
  marked: readonly MarkedObject[],
): Promise<Result<MarksAnswer, string>> {
  const { namespace } = ref
  const all = await listAll(p.hub, inventoryKind, { ...USER, ...callOf(p), namespace })
  if (!all.ok) return err(requestErrorText(all.error))
  const unit = unitName(ref)
  const found = await stampOf(p, stampKey(unit))
  if (!found.ok) return err(requestErrorText(found.error))
  return ok(
    adoptedMarks({
      unit,
      inventory: inventory?.metadata.uid,
      known: new Set(all.value.map((i) => i.metadata.uid)),
      marked,
      stamp: found.value && readStamp(found.value),
      hub: p.hubUid,
      fromHub: p.fromHub,
    }),
  )
}

async function stampOf(p: MarksPlace, key: Key) {
  const found = await p.cluster.get(configMapKind, key, { ...USER, ...callOf(p) })
  return !found.ok && found.error.kind === 'NotFound' ? ok(undefined) : found
}

/**
 * The stamp first: the controller looks again as soon as the Inventory changes. An Inventory that was created after the list was
 * read may have seen the former stamp. The error is a sentence.
 */
export async function adoptMarks(
  p: MarksPlace,
  { ref, cluster, inventory }: MarkedUnit,
  { objects, stamp }: Extract<MarksAnswer, { type: 'adopt' }>,
): Promise<Result<void, string>> {
  const unit = unitName(ref)
  const before = stamp && (await stampOf(p, stampKey(unit)))
  if (before?.ok === false) return err(requestErrorText(before.error))
  if (stamp && before?.value) {
    const body = stampObject(unit, stamp)
    const metadata = { ...before.value.metadata, ...body.metadata }
    const done = await p.cluster.update(configMapKind, { ...body, metadata }, { ...WRITE, ...callOf(p) })
    if (!done.ok) return err(requestErrorText(done.error))
  }
  const latest = inventory ? ok(inventory) : await inventoryNow(p, ref, cluster)
  if (!latest.ok) return err(requestErrorText(latest.error))
  if (!latest.value) return ok(undefined)
  const announced = await announce(p, latest.value, unit, objects)
  return announced.ok ? ok(undefined) : err(requestErrorText(announced.error))
}

async function inventoryNow(p: MarksPlace, ref: ModuleRef, cluster: string) {
  const key = { namespace: ref.namespace, name: inventoryName(ref, cluster) }
  const found = await p.hub.get(inventoryKind, key, { ...USER, ...callOf(p) })
  return !found.ok && found.error.kind === 'NotFound' ? ok(undefined) : found
}

/** Writes the version that was read; the controller may write at the same time. */
async function announce(
  p: MarksPlace,
  inventory: Stored<Inventory>,
  unit: string,
  objects: readonly MarkedObject[],
): Promise<Result<Stored<Inventory>, RequestError>> {
  let known = inventory
  for (let tries = 1; ; tries++) {
    const { intents: _, ...spec } = known.spec
    const intents = withMarked(known.spec, unit, objects, () => p.env.random.uuid())
    const next = { ...known, spec: { ...spec, ...(intents.length === 0 ? {} : { intents }) } }
    const done = await p.hub.update(inventoryKind, next, { ...WRITE, ...callOf(p) })
    if (done.ok || done.error.kind !== 'FenceLost' || tries === MAX_TRIES) return done
    const now = await p.hub.get(inventoryKind, keyOf(known), { ...USER, ...callOf(p) })
    if (!now.ok || now.value.metadata.uid !== inventory.metadata.uid) return now.ok ? done : now
    known = now.value
  }
}
