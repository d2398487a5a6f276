/** From a module's spec and inputs to a published revision: asks, lets `publish.ts` decide, stores. */
import type { Stored } from '../api/kind.ts'
import { controllerRevisionKind } from '../api/kinds/foreign.ts'
import { MANAGER, RECONCILE_ANNOTATION } from '../api/labels.ts'
import type { Module } from '../api/registry.ts'
import { type ModuleEdge, type ModuleRef, moduleEdges, moduleId, refOfId } from '../core/graph/module.ts'
import type { Result } from '../env/result.ts'
import { isTransient, kubeErrorText } from '../kube/error.ts'
import { parseDuration } from '../object/object.ts'
import { outsideOf } from '../source/answers.ts'
import { fault, type SourceFailure } from '../source/failure.ts'
import type { Asking } from '../source/upstreams.ts'
import { bundleDigester, type Context } from './context.ts'
import { publishedOf } from './observe.ts'
import { decidePublish } from './publish.ts'
import {
  controllerRevisionOf,
  moduleLabel,
  type NewRevision,
  type RevisionRecord,
  revisionName,
  revisionRecordOf,
} from './revisions.ts'

/** A spec or an input has to stand still for so long before it is published: people write several objects, one after another. */
const SETTLE_MS = 1000

export interface Publication {
  readonly current: RevisionRecord | undefined
  /** Spec or inputs have changed just now: in so long they will have stood still. */
  readonly settlesInMs?: number
  /** When to ask the source again. */
  readonly againInMs?: number
  readonly source?: SourceFailure
  /** The request to ask the source that has been answered: the value of its annotation. */
  readonly handled?: string
  /** Nothing can be decided yet. */
  readonly pending?: boolean
}

/** What was seen last, and until when it has to stay so. */
export interface Settling {
  token: string
  settledAt: number
}

export class Publisher {
  private readonly c: Context

  constructor(context: Context) {
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
  async publish(ref: ModuleRef, module: Stored<Module>, memory: Settling): Promise<Publication> {
    const current = this.currentOf(ref, module)
    // The revision is published but not seen in the cache yet: its event brings us back.
    if (!current && module.status?.currentRevision !== undefined) return { current: undefined, pending: true }
    const unsettled = this.unsettledMs(ref, module, memory)
    if (unsettled > 0 && !current) return { current, settlesInMs: unsettled, pending: true }
    if (unsettled > 0) return { current, settlesInMs: unsettled }
    let againInMs: number | undefined
    const decision = decidePublish({
      ref,
      module,
      current,
      findConfigMap: (name) =>
        this.c.hub.configMaps(ref.namespace).store.get({ namespace: ref.namespace, name }),
      outside: outsideOf(this.c.upstreams, askingOf(ref, module), (ms) => {
        againInMs = Math.min(againInMs ?? ms, ms)
      }),
      edgesOfPublished: (id) => this.publishedEdges(id),
      keyed: bundleDigester(this.c, ref.namespace),
      nextNumber: this.nextNumber(ref),
    })
    const again = {
      ...(againInMs === undefined ? {} : { againInMs }),
      ...handledOf(module, decision),
    }
    if (!decision.ok) return { current, ...again, source: decision.error }
    if (decision.value.type === 'unchanged') return { current, ...again }
    const { revision, bundle } = decision.value
    if (bundle) {
      const stored = await this.c.bundles.put(ref.namespace, bundle)
      if (!stored.ok) return { current, ...again, source: stored.error }
    }
    const record = await this.storeRevision(ref, revision)
    return record.ok ? { current: record.value, ...again } : { current, ...again, source: record.error }
  }

  /** Milliseconds until spec and inputs have stood still. */
  private unsettledMs(ref: ModuleRef, module: Stored<Module>, memory: Settling): number {
    const names = module.spec.source.configMaps?.map((s) => s.name) ?? []
    const now = this.c.env.clock.steady()
    if (names.length === 0) return 0
    const store = this.c.hub.configMaps(ref.namespace).store
    if (store.freshness.state === 'Syncing') return SETTLE_MS
    const versions = names.map(
      (name) => store.get({ namespace: ref.namespace, name })?.metadata.resourceVersion ?? '-',
    )
    const token = `${module.metadata.generation} ${versions.join(' ')}`
    if (token !== memory.token) {
      memory.token = token
      memory.settledAt = now + SETTLE_MS
    }
    return Math.max(0, memory.settledAt - now)
  }

  private publishedEdges(id: string): readonly ModuleEdge[] {
    const ref = refOfId(id)
    const module = this.c.hub.module(ref)
    const published = module && publishedOf(this.c.hub, ref, module)
    return moduleEdges(published?.edges ?? [])
  }

  private nextNumber(ref: ModuleRef): number {
    let highest = 0
    for (const r of this.c.hub.revisions.store.all())
      if (moduleId(r.module) === moduleId(ref)) highest = Math.max(highest, r.number)
    return highest + 1
  }

  /** Create only: a revision that was published before keeps its bundle (I11). */
  private async storeRevision(
    ref: ModuleRef,
    revision: NewRevision,
  ): Promise<{ ok: true; value: RevisionRecord } | { ok: false; error: SourceFailure }> {
    const key = { namespace: ref.namespace, name: revisionName(ref, revision.revision) }
    const known = this.c.hub.revisions.store.get(key)
    if (known) return { ok: true, value: known }
    const made = await this.c.hub.client.create(controllerRevisionKind, controllerRevisionOf(revision), {
      why: 'publish',
      manager: MANAGER,
    })
    if (made.ok) {
      this.c.hub.revisions.wrote(made.value)
      return { ok: true, value: revisionRecordOf(made.value) }
    }
    const text =
      made.error.kind === 'AlreadyExists'
        ? `ControllerRevision ${key.name} exists without label ${moduleLabel(ref)}`
        : kubeErrorText(made.error)
    return {
      ok: false,
      error: fault('HubUnreachable', text, made.error.kind === 'AlreadyExists' || isTransient(made.error)),
    }
  }
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

function askingOf(ref: ModuleRef, module: Stored<Module>): Asking {
  const { interval, timeout } = module.spec.source
  return {
    who: moduleId(ref),
    namespace: ref.namespace,
    intervalMs: within(parseDuration(interval), 30_000, 24 * 3_600_000),
    timeoutMs: within(parseDuration(timeout), 10_000, 600_000),
    trigger: `${module.metadata.annotations?.[RECONCILE_ANNOTATION] ?? ''} ${module.spec.release ?? ''}`,
  }
}

const within = (ms: number | undefined, least: number, most: number): number =>
  Math.max(least, Math.min(most, ms ?? least))
