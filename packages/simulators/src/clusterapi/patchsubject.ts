/** A set while a run works on it, and the patches that bring what changed to the server (`util/patch`). */
import { sleep } from '@lockstep/kube/env'
import { at, type JsonObject, jsonEqual, type KubeObject, timestamp } from '@lockstep/kube/object'
import type { UpstreamBehavior } from './clusterapioptions.ts'
import {
  conditionsOf,
  type SetOutcome,
  statusWith,
  type UpstreamLegacyCondition,
  type UpstreamSetCondition,
  type UpstreamSetConditions,
  withLegacy,
  withNewer,
} from './setcondition.ts'
import { isDeleting, pathOf } from './setspec.ts'
import { isReason, RequestFailed, type UpstreamClient } from './upstreamclient.ts'

const APPLIED_TYPE = 'ResourcesApplied'
/** `wait.Backoff` of the patch of conditions. */
const STEPS = 5
const STEP_MS = 100

export class SetSubject {
  readonly set: KubeObject
  readonly before: UpstreamSetConditions
  conditions: UpstreamSetConditions
  finalizers: readonly string[]
  private readonly ways: UpstreamBehavior
  private readonly now: () => string

  constructor(ways: UpstreamBehavior, set: KubeObject, nowMs: () => number) {
    this.ways = ways
    this.set = set
    this.before = conditionsOf(ways, set)
    this.conditions = this.before
    this.finalizers = set.metadata.finalizers ?? []
    this.now = () => timestamp(nowMs())
  }

  newer(type: string): UpstreamSetCondition | undefined {
    return this.conditions.newer.find((c) => c.type === type)
  }

  setNewer(type: string, status: 'True' | 'False', reason: string, message: string): void {
    const observedGeneration = this.set.metadata.generation ?? 0
    const next = { type, status, observedGeneration, reason, message }
    this.conditions = { ...this.conditions, newer: withNewer(this.conditions.newer, next, this.now()) }
  }

  /** The last cluster that says something has the last word. */
  mark({ reason, message, legacy }: SetOutcome): void {
    const status = legacy ? 'False' : 'True'
    if (this.ways.newConditions) this.setNewer(APPLIED_TYPE, status, reason, message)
    const old = { type: APPLIED_TYPE, status, ...legacy }
    this.conditions = { ...this.conditions, legacy: withLegacy(this.conditions.legacy, old, this.now()) }
  }
}

export interface PatchOptions {
  /** The set as the cache has it now: conditions are put on what is newest. */
  readonly latest: () => KubeObject | undefined
  /** Only after a run without errors. */
  readonly observesGeneration: boolean
}

/** Conditions first, then metadata, then the rest of the status. @throws RequestFailed, the first of them */
export async function patchSubject(
  client: UpstreamClient,
  ways: UpstreamBehavior,
  s: SetSubject,
  o: PatchOptions,
): Promise<void> {
  const failures: unknown[] = []
  const attempt = (p: Promise<unknown>): Promise<unknown> => p.catch((e: unknown) => failures.push(e))
  const path = setPath(ways, s.set)
  const hasNewConditions = !jsonEqual(s.before, s.conditions)
  if (hasNewConditions) await attempt(patchConditions(client, ways, s, o.latest))
  const isSame = jsonEqual(s.finalizers, s.set.metadata.finalizers ?? [])
  const metadata: JsonObject = isSame ? {} : { metadata: { finalizers: finalizersBody(s.finalizers) } }
  if (!isSame) await attempt(client.patch(path, metadata))
  // The newer helper does not look at the generation where nothing else has changed.
  if (!ways.loosePatches && !hasNewConditions && isSame) return
  const generation = s.set.metadata.generation ?? 0
  const isSeen = !o.observesGeneration || at(s.set, 'status', 'observedGeneration') === generation
  const body: JsonObject = {
    ...(ways.loosePatches ? metadata : {}),
    ...(isSeen ? {} : { status: { observedGeneration: generation } }),
  }
  const isGone = (e: unknown): boolean =>
    isReason(e, 'NotFound') && isDeleting(s.set) && s.finalizers.length === 0
  if (!isSeen || (hasNewConditions && ways.loosePatches))
    await client.patch(`${path}/status`, body).catch((e: unknown) => {
      if (!isGone(e)) failures.push(e)
    })
  if (failures.length > 0) throw failures[0]
}

const finalizersBody = (list: readonly string[]): JsonObject[string] => (list.length === 0 ? null : [...list])

async function patchConditions(
  client: UpstreamClient,
  ways: UpstreamBehavior,
  s: SetSubject,
  latestOf: () => KubeObject | undefined,
): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    const latest = latestOf()
    if (!latest) throw new RequestFailed(404, 'NotFound', `"${s.set.metadata.name}" not found`)
    const there = conditionsOf(ways, latest)
    const wanted = {
      newer: changed(s.before.newer, s.conditions.newer).reduce<readonly UpstreamSetCondition[]>(
        (list, c) => withNewer(list, c, c.lastTransitionTime),
        there.newer,
      ),
      legacy: changed(s.before.legacy, s.conditions.legacy).reduce<readonly UpstreamLegacyCondition[]>(
        (list, c) => withLegacy(list, c, c.lastTransitionTime),
        there.legacy,
      ),
    }
    const body = {
      metadata: { resourceVersion: latest.metadata.resourceVersion ?? '' },
      status: statusWith(ways, there, wanted),
    }
    try {
      await client.patch(`${setPath(ways, s.set)}/status`, body)
      return
    } catch (e) {
      if (!isReason(e, 'Conflict')) throw e
      await sleep(client.life.env.clock, STEP_MS)
    }
  }
  throw new RequestFailed(0, '', 'timed out waiting for the condition')
}

const changed = <T extends { readonly type: string }>(
  before: readonly T[],
  after: readonly T[],
): readonly T[] =>
  after.filter(
    (c) =>
      !jsonEqual(
        c,
        before.find((b) => b.type === c.type),
      ),
  )

export const setPath = (ways: UpstreamBehavior, set: KubeObject): string =>
  `${pathOf(ways, 'clusterresourcesets', set.metadata.namespace ?? '')}/${set.metadata.name}`
