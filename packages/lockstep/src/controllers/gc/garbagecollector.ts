/** Removes what nothing refers to any more: old revisions, bundles and what is left of them, old keys. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import {
  type JsonValue,
  type Key,
  type Kind,
  type KubeObject,
  type Stored,
  timestamp,
} from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { BUNDLE_DIGEST_ANNOTATION, MANAGER, UNREFERENCED_ANNOTATION } from '../../api/labels.ts'
import { type RecordMark, records } from '../../api/records.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { hmacKeysOf } from '../../sources/intake/index.ts'
import {
  allReferences,
  type DigestKeys,
  type HubInformers,
  type HubReferences,
  type RevisionRecord,
  referencesOf,
  referenceTo,
} from '../cache/index.ts'
import {
  type Controller,
  defineController,
  hubTime,
  type ObjectKey,
  objectKey,
  type Request,
  requestOf,
  requeueAfter,
} from '../runtime/index.ts'
import { type Collection, collect, retainedRevisions } from './collectable.ts'

const COLLECTOR = 'collector'
export const COLLECT_REQUEST: Request = requestOf(COLLECTOR, objectKey.of({ name: 'unreferenced' }))
export const COLLECT_EVERY_MS = 10 * 60_000
const AT_ONCE = 8

/** One version of an object: marked and removed only as it was read. */
interface CollectedVersion {
  readonly kind: Kind & RecordMark
  readonly metadata: Stored['metadata']
}

type CollectedCache = 'modules' | 'bootstrapModules' | 'foreign' | 'inventories' | 'revisions' | 'shards'

export interface CollectorDeps {
  readonly env: Env
  readonly hub: Pick<HubInformers, CollectedCache | 'own' | 'module' | 'namespaces'>
  readonly keys: DigestKeys
}

class HubGarbageCollector {
  private readonly c: CollectorDeps

  constructor(d: CollectorDeps) {
    this.c = d
  }

  async reconcile(): Promise<ReconcileResult> {
    const error = await this.pass()
    if (error) this.c.env.log.debug('collection was cut off', { err: requestErrorText(error) })
    return requeueAfter(COLLECT_EVERY_MS)
  }

  /** What is found by the caches is marked; before something is removed everything is read anew. */
  private async pass(): Promise<RequestError | undefined> {
    const { hub } = this.c
    const shards = [...hub.shards.store.all()]
    const seen = referencesOf({
      modules: [...hub.modules.store.all(), ...hub.bootstrapModules.store.all()],
      assemblages: hub.foreign.store.all(),
      inventories: hub.inventories.store.all(),
      revisions: hub.revisions.store.all(),
      shards,
    })
    const revisions = this.revisions(seen)
    const bundles = this.bundles(shards, seen)
    const keys = this.keys(seen)
    const isDue = [...revisions.due, ...bundles.due, ...keys.due].length > 0
    const now = isDue ? await allReferences(hub) : undefined
    if (now && !now.ok) return now.error
    await this.perform(revisions, versionOfRevision, (r) => now?.value && this.keeps(r, now.value))
    await this.perform(bundles, versionOfShard, (s) => now?.value && isNeededShard(s, now.value))
    await this.writeKeys(keys, now?.value)
    return undefined
  }

  private limitOf = (module: ModuleRef): number | undefined =>
    this.c.hub.module(module)?.spec.revisionHistoryLimit

  private revisions(references: HubReferences): Collection<RevisionRecord> {
    const all = [...this.c.hub.revisions.store.all()]
    const kept = retainedRevisions(all, references, this.limitOf)
    return collect(
      all,
      (r) => r.stored.annotations?.[UNREFERENCED_ANNOTATION],
      (r) => kept.has(r),
      hubTime(this.c).nowMs,
    )
  }

  /** By the state of now, with the revisions as they are known. */
  private keeps(revision: RevisionRecord, references: HubReferences): boolean {
    return retainedRevisions(this.c.hub.revisions.store.all(), references, this.limitOf).has(revision)
  }

  private bundles(shards: readonly Stored[], references: HubReferences): Collection<Stored> {
    // A bundle exists as long as its first Secret does: that one goes first.
    const sorted = [...shards].sort((a, b) => shardNumber(a) - shardNumber(b))
    return collect(
      sorted,
      (s) => s.metadata.annotations?.[UNREFERENCED_ANNOTATION],
      (s) => isNeededShard(s, references),
      hubTime(this.c).nowMs,
    )
  }

  private keys(references: HubReferences): Collection<string> {
    const secret = this.c.keys.secret
    const ring = secret && hmacKeysOf(secret)
    if (!ring?.ok) return { mark: [], clear: [], due: [] }
    const { current, byKid } = ring.value
    const marks = marksOf(secret!)
    return collect(
      byKid.keys(),
      (kid) => marks.get(kid),
      (kid) => kid === current.kid || references.kids.has(kid),
      hubTime(this.c).nowMs,
    )
  }

  private async perform<T>(
    { mark, clear, due }: Collection<T>,
    versionOf: (item: T) => CollectedVersion,
    isKept: (item: T) => boolean | undefined,
  ): Promise<void> {
    const since = timestamp(hubTime(this.c).nowMs)
    const write = { purpose: 'publish', manager: MANAGER } as const
    const set = async (item: T, value: string | null) => {
      const { kind, metadata } = versionOf(item)
      const patch = { metadata: { annotations: { [UNREFERENCED_ANNOTATION]: value } } }
      await this.c.hub.own.patch(kind, keyOf(metadata), patch, {
        ...write,
        precondition: fenceOf(metadata),
      })
    }
    await inTurns(mark, (item) => set(item, since))
    await inTurns(clear, (item) => set(item, null))
    await inTurns(
      due.filter((item) => isKept(item) === false),
      async (item) => {
        const { kind, metadata } = versionOf(item)
        await this.c.hub.own.delete(kind, keyOf(metadata), { ...write, precondition: fenceOf(metadata) })
      },
    )
  }

  /** All marks of keys are in one annotation of their Secret. */
  private async writeKeys({ mark, clear, due }: Collection<string>, now: HubReferences | undefined) {
    const secret = this.c.keys.secret
    const gone = due.filter((kid) => now !== undefined && !now.kids.has(kid))
    if (!secret || mark.length + clear.length + gone.length === 0) return
    const marks = marksOf(secret)
    for (const kid of mark) marks.set(kid, timestamp(hubTime(this.c).nowMs))
    for (const kid of [...clear, ...gone]) marks.delete(kid)
    const text = [...marks].map(([kid, since]) => `${kid}=${since}`).join(',')
    const patch: JsonValue = {
      metadata: { annotations: { [UNREFERENCED_ANNOTATION]: text === '' ? null : text } },
      data: Object.fromEntries(gone.map((kid) => [kid, null])),
    }
    await this.c.keys.write(secret, patch)
  }
}

const keyOf = ({ namespace, name }: Stored['metadata']): Key =>
  namespace === undefined ? { name } : { namespace, name }

const fenceOf = ({ uid, resourceVersion }: Stored['metadata']) => ({ uid, resourceVersion })

const versionOfRevision = (r: RevisionRecord): CollectedVersion => ({
  kind: records.revision,
  metadata: r.stored,
})
const versionOfShard = (s: Stored): CollectedVersion => ({ kind: records.bundle, metadata: s.metadata })

const isNeededShard = ({ metadata }: KubeObject, references: HubReferences): boolean =>
  references.bundles.has(
    referenceTo(metadata.namespace ?? '', metadata.annotations?.[BUNDLE_DIGEST_ANNOTATION] ?? ''),
  )

const shardNumber = ({ metadata }: Stored): number => Number(/\d+$/.exec(metadata.name)?.[0] ?? 0)

function marksOf(secret: Stored): Map<string, string> {
  const text = secret.metadata.annotations?.[UNREFERENCED_ANNOTATION] ?? ''
  const pairs = text.split(',').map((pair) => pair.split('=') as [string, string | undefined])
  return new Map(pairs.flatMap(([kid, since]) => (since === undefined ? [] : [[kid, since] as const])))
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** A timer requeues it: no event names an object without references. */
export function garbageCollector(d: CollectorDeps): Controller<ObjectKey> {
  const collector = new HubGarbageCollector(d)
  return defineController({
    name: COLLECTOR,
    key: objectKey,
    watches: [],
    reconcile: () => collector.reconcile(),
  })
}
