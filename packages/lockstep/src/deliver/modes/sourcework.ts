/**
 * What a ClusterResourceSet with strategy ApplyOnce or Reconcile still has to do on one cluster: pure, from its sources as
 * they are now and from what is written down (`clusterresourceset_controller.go`, `clusterresourceset_scope.go`).
 */

import { identityOf, type KubeObject, type ObjectReference, refOf } from '@lockstep/kube/object'
import type { ResourceSetSourceRef, SetRecord, SetSourceRecord } from '../../api/kinds/index.ts'

/** One object of a source. */
export interface SetObject {
  readonly object: KubeObject
  /** `ConfigMap default/calico-addon key calico.yaml document 3`, for messages. */
  readonly origin: string
}

/** One source that can be read, with its objects in the order in which they are written. */
export interface SourceContent {
  readonly ref: ResourceSetSourceRef
  readonly hash: string
  readonly objects: readonly SetObject[]
}

export interface SetRequest {
  readonly mode: 'ApplyOnce' | 'Reconcile'
  /** What is there before our first write is kept, taken, or a failure. */
  readonly existing: 'Keep' | 'Take' | 'Fail'
  /** Each new value applies all once more. */
  readonly reapply: string | undefined
}

/**
 * Create: only where nothing is there; what is there is success, or a failure. Apply: what is there becomes this.
 * ApplyOrKeep, ApplyOrFail: what is there and is not of the set is success, or a failure.
 */
export type SetWrite = 'CreateOrKeep' | 'CreateOrFail' | 'Apply' | 'ApplyOrKeep' | 'ApplyOrFail'

export interface SourceWork {
  readonly content: SourceContent
  readonly objects: readonly SetObject[]
  readonly write: SetWrite
  /** Something of it is there, or may be: it is looked at before it is applied. Else it is mostly new. */
  readonly isKnown: boolean
  /** A process before this one may have created something of it without writing that down. */
  readonly isBegun: boolean
}

export const sourceText = ({ kind, name }: ResourceSetSourceRef): string => `${kind}/${name}`

/** The entry of a source in the record of one cluster. */
export const entryFor = (
  record: SetRecord | undefined,
  ref: ResourceSetSourceRef,
): SetSourceRecord | undefined => record?.sources?.find((s) => s.kind === ref.kind && s.name === ref.name)

/** Sources of which something is still to be written, in their order. */
export function sourceWorkOf(
  asked: SetRequest,
  sources: readonly SourceContent[],
  record: SetRecord | undefined,
): SourceWork[] {
  return sources.flatMap((content): SourceWork[] => {
    const entry = entryFor(record, content.ref)
    if (isSourceDone(asked, content, entry)) return []
    const isAgain = isAskedAgain(asked, entry)
    const done = isAgain ? new Set<string>() : doneOf(asked, content, entry)
    const objects = content.objects.filter((o) => !done.has(identityOf(doneRef(o))))
    const isAll = isAgain || entry?.again === true
    const isBegun = entry?.begun === true
    return [
      { content, objects, write: writeOf(asked, isAll, entry), isKnown: isKnown(asked, entry), isBegun },
    ]
  })
}

/**
 * The record before that work, where it is another content than what was applied: whoever goes on with it after a crash must
 * not take that for what is there, once its source says it again. The very same where it says so already.
 *
 * In ApplyOnce it is said of what is refused where it is there: nothing on the object would tell who has created it.
 */
export function recordBegun(
  { mode }: Pick<SetRequest, 'mode'>,
  record: SetRecord | undefined,
  work: readonly SourceWork[],
): SetRecord | undefined {
  if (mode === 'ApplyOnce') return createBegun(record, work)
  const isLeft = (e: SetSourceRecord): boolean =>
    (e.applied || e.done !== undefined) &&
    e.begun !== true &&
    work.some(({ content: { ref, hash } }) => ref.kind === e.kind && ref.name === e.name && hash !== e.hash)
  if (!record?.sources?.some(isLeft)) return record
  return { ...record, sources: record.sources.map((e) => (isLeft(e) ? { ...e, begun: true } : e)) }
}

function createBegun(record: SetRecord | undefined, work: readonly SourceWork[]): SetRecord | undefined {
  const begun = work.filter((w) => w.write === 'CreateOrFail' && !w.isBegun).map((w) => w.content.ref)
  if (begun.length === 0) return record
  const sources = [...(record?.sources ?? [])]
  for (const { kind, name } of begun) {
    const at = sources.findIndex((s) => s.kind === kind && s.name === name)
    if (at < 0) sources.push({ kind, name, hash: '', applied: false, begun: true })
    else sources[at] = { ...sources[at]!, begun: true }
  }
  return { ...record, sources }
}

/** Whether nothing is left to be written: asked of all clusters whenever one of them changes, and looks at no object. */
export const isAllDone = (
  asked: SetRequest,
  sources: readonly SourceContent[],
  record: SetRecord | undefined,
): boolean => sources.every((content) => isSourceDone(asked, content, entryFor(record, content.ref)))

const isSourceDone = (
  asked: SetRequest,
  content: SourceContent,
  entry: SetSourceRecord | undefined,
): boolean => entry !== undefined && !isAskedAgain(asked, entry) && isOver(asked, content, entry)

/** Once all of it was applied, ApplyOnce never looks again; Reconcile does where the hash is another. */
const isOver = ({ mode }: SetRequest, { hash }: SourceContent, entry: SetSourceRecord): boolean =>
  entry.applied && (mode === 'ApplyOnce' || (entry.hash === hash && entry.begun !== true))

/** What is to be applied for the first time is not asked for again. */
const isAskedAgain = (
  { reapply }: Pick<SetRequest, 'reapply'>,
  entry: SetSourceRecord | undefined,
): boolean => entry !== undefined && reapply !== undefined && entry.reapply !== reapply

/**
 * ApplyOnce: an object that was applied once is done, whatever its source says now and whoever has deleted it. Reconcile:
 * all of a source that has changed are applied.
 */
function doneOf(
  { mode }: Pick<SetRequest, 'mode'>,
  { hash }: SourceContent,
  entry: SetSourceRecord | undefined,
): ReadonlySet<string> {
  const counts =
    entry !== undefined && (mode === 'ApplyOnce' || (entry.hash === hash && entry.begun !== true))
  return new Set(counts ? entry.done?.map(identityOf) : [])
}

function writeOf(
  { mode, existing }: SetRequest,
  isAgain: boolean,
  entry: SetSourceRecord | undefined,
): SetWrite {
  if (isAgain || existing === 'Take') return 'Apply'
  if (mode === 'ApplyOnce') return existing === 'Fail' ? 'CreateOrFail' : 'CreateOrKeep'
  // What Cluster API has applied was the set's before: nothing on it tells.
  if (entry?.upstream !== undefined) return 'Apply'
  return existing === 'Fail' ? 'ApplyOrFail' : 'ApplyOrKeep'
}

const isKnown = ({ mode }: Pick<SetRequest, 'mode'>, entry: SetSourceRecord | undefined): boolean =>
  mode === 'ApplyOnce' || entry !== undefined

/** What came of writing one source: what was written with success now, and what was not. */
export interface SourceOutcome {
  readonly work: SourceWork
  readonly written: readonly SetObject[]
  readonly failed: number
}

/** The record after that. A time is only that of a success. */
export function recordAfter(
  asked: Pick<SetRequest, 'mode' | 'reapply'>,
  before: SetRecord | undefined,
  outcomes: readonly SourceOutcome[],
  now: string,
): SetRecord {
  const sources = [...(before?.sources ?? [])]
  for (const outcome of outcomes) {
    const { kind, name } = outcome.work.content.ref
    const at = sources.findIndex((s) => s.kind === kind && s.name === name)
    const next = entryAfter(asked, sources[at], outcome, now)
    if (at < 0) sources.push(next)
    else sources[at] = next
  }
  return { ...before, sources }
}

function entryAfter(
  asked: Pick<SetRequest, 'mode' | 'reapply'>,
  entry: SetSourceRecord | undefined,
  { work, written, failed }: SourceOutcome,
  time: string,
): SetSourceRecord {
  const { content, write } = work
  const { kind, name } = content.ref
  const isNew = isAskedAgain(asked, entry)
  const known = isNew ? new Set<string>() : doneOf(asked, content, entry)
  // What this pass has written may have been written down before its end.
  const now = new Map(written.map((o) => [identityOf(doneRef(o)), doneRef(o)]))
  const kept = (entry?.done ?? []).filter((d) => known.has(identityOf(d)) && !now.has(identityOf(d)))
  const done = [...kept, ...now.values()]
  const applied = failed === 0
  const lastAppliedTime = applied ? time : entry?.lastAppliedTime
  const { reapply } = asked
  return {
    kind,
    name,
    hash: content.hash,
    applied,
    ...(lastAppliedTime === undefined ? {} : { lastAppliedTime }),
    ...(reapply === undefined ? {} : { reapply }),
    ...(applied || done.length === 0 ? {} : { done }),
    ...(!applied && entry?.begun && write === 'CreateOrFail' ? { begun: true } : {}),
    ...(!applied && (isNew || entry?.again === true) ? { again: true } : {}),
    ...(applied || entry?.upstream === undefined ? {} : { upstream: entry.upstream }),
  }
}

/** What Cluster API had applied of this source is another content, so that nobody knows which fields that had. */
export const isOlderUnknown = (record: SetRecord | undefined, { ref, hash }: SourceContent): boolean => {
  const { upstream = hash } = entryFor(record, ref) ?? {}
  return upstream !== hash
}

/** As it is written down. What the server names is told apart by the place of its manifest. */
function doneRef({ object, origin }: SetObject): ObjectReference {
  const { group, kind, namespace, name } = refOf(object)
  const shown = name || `${object.metadata.generateName ?? ''}* (${origin})`
  return {
    group,
    kind,
    name: shown,
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
  }
}
