/** From a module's spec and inputs to a published revision: asks, lets `publishdecision.ts` decide, stores. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import type { ConfigMap, Secret } from '@lockstep/kube/kinds'
import { type Digest, encodeJson, parseDuration, type Stored } from '@lockstep/kube/object'
import { accessRefusal } from '../../api/accessrefusal.ts'
import { type AccessRight, type Account, accountOf } from '../../api/account.ts'
import type { Module } from '../../api/kinds/index.ts'
import { MANAGER, RECONCILE_ANNOTATION, UNREFERENCED_ANNOTATION } from '../../api/labels.ts'
import { records } from '../../api/records.ts'
import {
  type ModuleEdge,
  type ModuleRef,
  moduleEdges,
  moduleId,
  refOfId,
} from '../../decisions/graph/index.ts'
import { namedInputs } from '../../sources/configmap/index.ts'
import {
  fault,
  faultOf,
  type Requester,
  type SourceFailure,
  type StoredDigests,
  upstreamFetcher,
} from '../../sources/intake/index.ts'
import {
  areInputObjectsCurrent,
  controllerRevisionOf,
  countParsed,
  edgesOf,
  inputRight,
  inputVersion,
  isRehashRequested,
  moduleRevisionsLabel,
  type NewRevision,
  type ObservedInput,
  observeInput,
  publishedOf,
  type RevisionRecord,
  revisionName,
  revisionRecordOf,
} from '../cache/index.ts'
import { hubTime, lastWriterOf } from '../runtime/index.ts'
import type { BindingSources } from './bindingsources.ts'
import { claimConflict } from './claimconflict.ts'
import { credentialVersions } from './credentialversions.ts'
import { decidePublish, isSameContent, type PublishDecision, type SourceBehind } from './publishdecision.ts'
import type { PublishDeps } from './publishdeps.ts'
import { hasOutsideValues, resolveSharedBindings, type SharedValues } from './sharedbindings.ts'

/** A spec or an input has to stand still for so long before it is published: people write several objects, one after another. */
const SETTLE_MS = 1000
/** Inputs that have not stood still for so long are a reason to wait that somebody should see. */
const RESTLESS_MS = 30_000

export interface Publication {
  readonly current: RevisionRecord | undefined
  /** Spec or inputs have changed just now: in so long they will have stood still. */
  readonly settlesInMs?: number
  /** When to ask the source again. */
  readonly againInMs?: number
  readonly source?: SourceFailure
  /** The request to ask the source that has been answered: the value of its annotation. */
  readonly handled?: string
  /** A range gives an older version than is published, which stays. */
  readonly older?: string
  readonly behind?: SourceBehind
  /** Nothing can be decided yet. */
  readonly pending?: boolean
  /** A change is not published, because a write to the hub failed: it is published later. */
  readonly isUnstored?: boolean
}

/** What was seen last, and until when it has to stay so. */
export interface SourceDebounce {
  token: string
  settledAt: number
  /** Since when it has not stood still. */
  since: number
  /** Since when what is published has no ControllerRevision. */
  missingSince: number | undefined
  /** The source failed when it was read last. */
  hasFailed: boolean
}

/** A cache is behind by less than this. */
const BEHIND_MS = 10_000

/** What goes on changing is said: it is published when it stops. */
function restless(current: RevisionRecord | undefined, settlesInMs: number, forMs: number): Publication {
  if (forMs < RESTLESS_MS) return { current, settlesInMs, ...(current ? {} : { pending: true }) }
  const source = fault('Fetching', { state: 'Changing', seconds: Math.round(forMs / 1000) }, true)
  return { current, settlesInMs, source }
}

function foundInput(seen: ObservedInput): Result<ConfigMap | Secret | undefined, SourceFailure> {
  switch (seen.state) {
    case 'Read':
      return ok(seen.object)
    case 'Failed':
      return err(seen.failure)
    case 'Syncing':
      return err(fault('Fetching', { state: 'Reading' }, true))
  }
}

export class Publisher {
  private readonly c: PublishDeps

  constructor(context: PublishDeps) {
    this.c = context
  }

  /** The published revision; undefined: none, or its ControllerRevision has not been seen yet. */
  currentOf(ref: ModuleRef, module: Stored<Module>): RevisionRecord | undefined {
    const revision = module.status?.currentRevision
    return revision === undefined
      ? undefined
      : this.c.hub.revisions.store.get({ namespace: ref.namespace, name: revisionName(ref, revision) })
  }

  /** Publishes what the spec and its inputs are now, unless that is published already. */
  async publish(
    ref: ModuleRef,
    module: Stored<Module>,
    memory: SourceDebounce,
    sources: BindingSources,
  ): Promise<Publication> {
    const shared = resolveSharedBindings(module, sources.shared())
    const bound = [...sources.rights]
    const current = this.currentOf(ref, module)
    const account = accountOf(module)
    const rights = namedInputs(module.spec).map((i) => inputRight(ref.namespace, i))
    await this.c.hub.reviews.reviewRefused(account, rights)
    const missingMs = this.missingMs(module, current, memory)
    if (missingMs < BEHIND_MS)
      return { current: undefined, pending: true, settlesInMs: BEHIND_MS - missingMs }
    const unsettled = this.unsettledMs(module, memory, shared)
    if (unsettled > 0) return restless(current, unsettled, this.c.env.clock.steady() - memory.since)
    let againInMs: number | undefined
    const asking = sourceRequestOf(ref, module, this.c.maxSourceTimeoutMs)
    const credentials = memory.hasFailed ? credentialVersions(this.c.hub, module) : undefined
    const decision = decidePublish({
      ref,
      module,
      current,
      find: (i) => foundInput(observeInput(this.c.hub, accountOf(module), i)),
      parsed: () => countParsed(this.c),
      outside: upstreamFetcher(this.c.content.upstreams, { ...asking, credentials }, (ms) => {
        againInMs = Math.min(againInMs ?? ms, ms)
      }),
      edgesOfPublished: (id) => this.publishedEdges(id),
      edgesOfSpec: (id) => this.specEdges(id),
      keyed: () => this.c.content.keys.bundleDigester(ref.namespace, this.digestsOf(ref, module, current)),
      shared,
      nextNumber: this.nextNumber(ref),
      now: hubTime(this.c).nowMs,
      calendar: this.c.env.calendar,
    })
    const again = {
      ...(againInMs === undefined ? {} : { againInMs }),
      ...handledOf(module, decision),
    }
    if (decision.ok || decision.error.reason !== 'Fetching') memory.hasFailed = !decision.ok
    if (!decision.ok) return { current, ...again, source: decision.error }
    const { movement, lacking, behind } = decision.value
    const source = lacking ? { source: lacking } : {}
    const older = movement?.reason === 'ResolvedOlder' ? { older: movement.message } : {}
    const warned = { ...older, ...(behind === undefined ? {} : { behind }) }
    if (decision.value.type === 'unchanged') return { current, ...again, ...warned, ...source }
    const { revision, bundle, values } = decision.value
    const conflict = claimConflict(this.c.hub, revision)
    if (conflict) return { current, ...again, source: conflict }
    if (bundle || values) {
      const refused = await this.refusedInput(account, [...rights, ...bound])
      if (!refused.ok) return { current, ...again, source: refused.error, isUnstored: true }
      if (refused.value) return { current, ...again, source: refused.value }
      const isCurrent = await areInputObjectsCurrent(this.c.hub, accountOf(module), namedInputs(module.spec))
      if (!isCurrent.ok) return { current, ...again, source: isCurrent.error, isUnstored: true }
      if (!isCurrent.value) return this.again(current, memory)
    }
    for (const made of [bundle, values]) {
      const stored = made ? await this.c.content.bundles.put(ref.namespace, made) : ok(undefined)
      if (!stored.ok) return { current, ...again, source: stored.error, isUnstored: true }
    }
    const record = await this.storeRevision(ref, module, current, revision)
    if (!record.ok) return { current, ...again, source: record.error, isUnstored: true }
    this.tell(module, decision.value, record.value.revision)
    return { current: record.value, ...again, ...warned, ...source }
  }

  private tell(
    module: Stored<Module>,
    { movement, shadowed = [], warnings = [] }: PublishStep,
    revision: Digest,
  ): void {
    const note = { type: 'Warning', action: 'Publish', of: revision } as const
    if (movement && movement.reason !== 'ResolvedOlder')
      this.c.events.record(module, [{ ...note, reason: movement.reason, text: movement.message }])
    if (shadowed.length > 0)
      this.c.events.record(module, [{ ...note, reason: 'BindingShadowsEnv', text: shadowText(shadowed) }])
    if (warnings.length > 0)
      this.c.events.record(module, [{ ...note, reason: 'RenderWarned', text: warningText(warnings) }])
  }

  /**
   * For how long what is published has had no ControllerRevision. A cache may be behind, and its event brings us back; after
   * that somebody has deleted it, and the spec is published as if it were new. Infinity: nothing is missing.
   */
  private missingMs(
    module: Stored<Module>,
    current: RevisionRecord | undefined,
    memory: SourceDebounce,
  ): number {
    if (current || module.status?.currentRevision === undefined) {
      memory.missingSince = undefined
      return Number.POSITIVE_INFINITY
    }
    const now = this.c.env.clock.steady()
    memory.missingSince ??= now
    return now - memory.missingSince
  }

  /**
   * What is published already: content that is the same keeps its digests. Without the key of a bundle alone, or of inputs
   * of another release, nothing is lost: that is another revision anyhow, and units compare what they deliver themselves.
   */
  private digestsOf(
    ref: ModuleRef,
    module: Stored<Module>,
    current: RevisionRecord | undefined,
  ): StoredDigests {
    const hasKey = (digest: Digest): boolean => this.c.content.keys.has(digest)
    const inputs = current?.inputs.map((i) => i.digest) ?? []
    const isGivenUp = isRehashRequested(module) || current?.release !== module.spec.release
    const bundle = current ? [current.bundle, ...(current.values === undefined ? [] : [current.values])] : []
    return {
      where: `ControllerRevision ${ref.namespace}/${current?.name}`,
      module: ref,
      digests: [...bundle.filter(hasKey), ...(isGivenUp ? inputs.filter(hasKey) : inputs)],
    }
  }

  /** The inputs changed while they were read. */
  private again(current: RevisionRecord | undefined, memory: SourceDebounce): Publication {
    memory.settledAt = this.c.env.clock.steady() + SETTLE_MS
    return { current, settlesInMs: SETTLE_MS, ...(current ? {} : { pending: true }) }
  }

  /** Undefined: the account may still read them. A watch continues after its right was revoked. An error: the hub gave no answer. */
  private async refusedInput(
    account: Account,
    rights: readonly AccessRight[],
  ): Promise<Result<SourceFailure | undefined, SourceFailure>> {
    const missing = await this.c.hub.reviews.missing(account, rights)
    if (!missing.ok) return err(hubFault(missing.error))
    const [access] = missing.value
    return ok(access && faultOf(accessRefusal(access, []), true))
  }

  /** Milliseconds until spec and inputs have stood still. */
  private unsettledMs(module: Stored<Module>, memory: SourceDebounce, shared: SharedValues): number {
    const inputs = namedInputs(module.spec)
    if (inputs.length === 0 && !hasOutsideValues(module)) return 0
    const now = this.c.env.clock.steady()
    const seen = inputs.map((i) => observeInput(this.c.hub, accountOf(module), i))
    if (seen.some((s) => s.state === 'Syncing')) {
      if (memory.token === '') memory.since = now
      return SETTLE_MS
    }
    const versions = seen.map((s) => (s.state === 'Read' ? inputVersion(s.object) : s.state))
    const bound = encodeJson(shared.ok ? [...shared.value] : shared.error)
    const token = `${module.metadata.generation} ${versions.join(' ')} ${bound}`
    if (token !== memory.token) {
      if (memory.settledAt <= now) memory.since = now
      memory.token = token
      memory.settledAt = now + SETTLE_MS
    }
    return Math.max(0, memory.settledAt - now)
  }

  private publishedEdges(id: string): readonly ModuleEdge[] {
    const ref = refOfId(id)
    const module = this.c.hub.published(ref)
    const published = module && publishedOf(this.c.hub, ref, module)
    return moduleEdges(published?.edges ?? [])
  }

  private specEdges(id: string): readonly ModuleEdge[] {
    const ref = refOfId(id)
    return moduleEdges(edgesOf(this.c.hub.published(ref)?.spec.dependsOn, ref.namespace))
  }

  private nextNumber(ref: ModuleRef): number {
    let highest = 0
    for (const r of this.c.hub.revisions.store.by('module', moduleId(ref)))
      highest = Math.max(highest, r.number)
    return highest + 1
  }

  /** Create only: a revision that was published before keeps its bundle (I11). */
  private async storeRevision(
    ref: ModuleRef,
    module: Stored<Module>,
    current: RevisionRecord | undefined,
    revision: NewRevision,
  ): Promise<Result<RevisionRecord, SourceFailure>> {
    const key = { namespace: ref.namespace, name: revisionName(ref, revision.revision) }
    const known = this.c.hub.revisions.store.get(key)
    if (known) return this.keepRevision(known)
    const by = current && isSameContent(module, current) ? undefined : lastWriterOf(module)
    const body = controllerRevisionOf({ ...revision, ...(by === undefined ? {} : { by }) })
    const made = await this.c.hub.own.create(records.revision, body, {
      purpose: 'publish',
      manager: MANAGER,
    })
    if (made.ok) {
      this.c.hub.revisions.observeWrite(made.value)
      return ok(revisionRecordOf(made.value))
    }
    if (made.error.kind !== 'AlreadyExists') return err(hubFault(made.error))
    const place = `ControllerRevision ${key.namespace}/${key.name} (label ${moduleRevisionsLabel(ref)})`
    return err(fault('HubUnreachable', { because: 'NameTaken', place }, true))
  }

  /** It was published before. Where it is marked for removal, nobody removes it once the mark is off. */
  private async keepRevision(known: RevisionRecord): Promise<Result<RevisionRecord, SourceFailure>> {
    const { annotations, uid, resourceVersion } = known.stored
    if (annotations?.[UNREFERENCED_ANNOTATION] === undefined) return ok(known)
    const patch = { metadata: { annotations: { [UNREFERENCED_ANNOTATION]: null } } }
    const done = await this.c.hub.own.patch(records.revision, known, patch, {
      purpose: 'publish',
      manager: MANAGER,
      precondition: { uid, resourceVersion },
    })
    // Gone or changed since: its event brings us back.
    if (!done.ok) return err(hubFault(done.error))
    this.c.hub.revisions.observeWrite(done.value)
    return ok(revisionRecordOf(done.value))
  }
}

const hubFault = (error: RequestError): SourceFailure =>
  fault('HubUnreachable', { because: 'Error', error: requestErrorText(error) }, true)

type PublishStep = Extract<PublishDecision, { type: 'publish' }>

const shadowText = (found: readonly string[]): string => {
  const more = found.length > 10 ? `, and ${found.length - 10} more` : ''
  return `bindings take the place of variables: ${found.slice(0, 10).join(', ')}${more}; write $$(NAME) where the variable is meant`
}

/** As many as people read at once. */
const SHOWN_WARNINGS = 5

const warningText = (lines: readonly string[]): string => {
  const more = lines.length > SHOWN_WARNINGS ? [`and ${lines.length - SHOWN_WARNINGS} more`] : []
  return [...lines.slice(0, SHOWN_WARNINGS), ...more].join('\n')
}

/** Answered, well or badly: nothing of it is under way any more. */
function handledOf(
  module: Stored<Module>,
  decision: Result<unknown, SourceFailure>,
): Pick<Publication, 'handled'> {
  const asked = module.metadata.annotations?.[RECONCILE_ANNOTATION]
  const isUnderWay = !decision.ok && decision.error.reason === 'Fetching'
  return asked === undefined || isUnderWay ? {} : { handled: asked }
}

/** Request of a Module for its source; `maxTimeoutMs` limits `spec.source.timeout`. */
export function sourceRequestOf(ref: ModuleRef, module: Module, maxTimeoutMs: number): Requester {
  const { interval, timeout } = module.spec.source
  return {
    who: moduleId(ref),
    namespace: ref.namespace,
    serviceAccountName: module.spec.serviceAccountName,
    intervalMs: within(parseDuration(interval), 30_000, 24 * 3_600_000),
    timeoutMs: within(parseDuration(timeout), 10_000, maxTimeoutMs),
    trigger: `${module.metadata.annotations?.[RECONCILE_ANNOTATION] ?? ''} ${module.spec.release ?? ''}`,
  }
}

const within = (ms: number | undefined, least: number, most: number): number =>
  Math.max(least, Math.min(most, ms ?? least))
