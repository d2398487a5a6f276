/**
 * Pipelines of weaveworks, served as they are: each has one of ours, of the same name, that is promoted as any other, and its
 * status is told in the words of its own controller.
 */

import { OptionalKind } from '@lockstep/kube/cache'
import {
  type JsonObject,
  jsonEqual,
  type KubeObject,
  keyText,
  type Stored,
  valuePathText,
  withoutManagers,
} from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { API_VERSION } from '../../api/apiversion.ts'
import { type Pipeline, type Promotion, pipelineKind, pipelineSpec } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { REQUEST_PREFIX } from '../../decisions/promotion/index.ts'
import {
  isServed,
  readWeavePipeline,
  type WeavePipeline,
  weaveOwner,
  weavePipelineKind,
  weavePromotion,
  weaveStatus,
} from '../../decisions/weave/index.ts'
import { type ControllerContext, promotionHistory } from '../cache/index.ts'
import {
  type Controller,
  type ControllerGroup,
  defineController,
  failedWrite,
  type HubKind,
  hubTime,
  type ObjectKey,
  objectKey,
  requestOf,
  type WeaveOptions,
} from '../runtime/index.ts'
import { WEAVE_RETRY_MS } from './weavegate.ts'
import { WeavePredecessor } from './weavepredecessor.ts'

const WEAVE_CONTROLLER = 'weave-pipeline'

export class WeavePipelines implements ControllerGroup {
  readonly controllers: readonly Controller[] = [
    defineController({
      name: WEAVE_CONTROLLER,
      key: objectKey,
      watches: [],
      reconcile: (key) => this.reconcile(key),
    }),
  ]
  private readonly c: ControllerContext
  private readonly options: WeaveOptions
  private readonly predecessor: WeavePredecessor
  private readonly theirs: OptionalKind<KubeObject, Stored>

  constructor(c: ControllerContext, options: WeaveOptions) {
    this.c = c
    this.options = options
    this.predecessor = new WeavePredecessor(c)
    this.theirs = new OptionalKind<KubeObject, Stored>(
      c.env,
      c.hub.client,
      { kinds: [weavePipelineKind], project: withoutManagers, meanwhile: 'none of them is promoted' },
      {
        changed: (before, after) => this.add(objectKey.of((after ?? before)!.metadata)),
        opened: () => {},
        settled: () => this.enqueueAll(),
      },
    )
  }

  stop(): void {
    this.theirs.stop()
  }

  /** What was served before, and is not there any more, goes with its owner. */
  enqueueAll(): void {
    for (const { metadata } of this.theirs.all()) this.add(objectKey.of(metadata))
  }

  changed(what: HubKind, before: unknown, after: unknown): void {
    // Of other kinds, clusters among them, nothing is known here.
    if (what === 'pipelines') this.add(objectKey.of(((after ?? before) as Stored<Pipeline>).metadata))
    if (what !== 'promotions') return
    const { metadata, spec } = (after ?? before) as Stored<Promotion>
    this.add(objectKey.of({ namespace: metadata.namespace, name: spec.pipelineRef.name }))
  }

  clusterChanged(): void {}

  secretChanged(): boolean {
    return false
  }

  selectionChanged(): boolean {
    return false
  }

  private add(key: ObjectKey): void {
    this.c.queue.add(requestOf(WEAVE_CONTROLLER, key))
  }

  async reconcile({ namespace, name }: ObjectKey): Promise<ReconcileResult> {
    const key = keyText({ namespace, name })
    const theirs = this.theirs.get({ namespace, name })
    if (!theirs) return { ok: true }
    const ours = this.c.hub.pipelines.store.get(key)
    const isOwn = ours !== undefined && weaveOwner(ours) === theirs.metadata.uid
    if (!isServed(theirs, this.options.managesAll) && !isOwn) return { ok: true }
    if ((await this.predecessor.active()) !== undefined) return { ok: true, requeueAfterMs: WEAVE_RETRY_MS }
    // Given back: nothing of it is promoted here any more, and what is open stays open.
    if (!isServed(theirs, this.options.managesAll)) return this.leave(ours!)
    const read = readWeavePipeline(theirs as unknown as JsonObject)
    const problems = read.ok ? [] : read.error.map((p) => `${valuePathText(p.path)}: ${p.problem}`)
    if (ours && !isOwn)
      problems.push(
        `Pipeline ${key} of lockstep.dev is there, and is not of this one: delete one of the two, or take the annotation away`,
      )
    if (read.ok && problems.length === 0) {
      const failed = await this.keep(theirs, ours, read.value)
      if (failed) return failed
    }
    return this.tell(theirs, isOwn ? ours : undefined, problems)
  }

  /** Ours is as theirs asks for it; what others have changed of it is put right. */
  private async keep(
    theirs: Stored,
    ours: Stored<Pipeline> | undefined,
    { namespace, name, given }: WeavePipeline,
  ): Promise<ReconcileResult | undefined> {
    const requests = requestsIn(theirs)
    const isSame =
      ours !== undefined &&
      jsonEqual(ours.spec as never, pipelineSpec.parse(given) as never) &&
      Object.entries(requests).every(([k, v]) => ours.metadata.annotations?.[k] === v)
    if (isSame) return undefined
    const { uid } = theirs.metadata
    const owner = { apiVersion: theirs.apiVersion, kind: theirs.kind, name, uid, controller: true }
    const body = {
      apiVersion: API_VERSION,
      kind: pipelineKind.kind,
      metadata: {
        name,
        namespace,
        ownerReferences: [owner],
        ...(Object.keys(requests).length > 0 ? { annotations: requests } : {}),
      },
      spec: given,
    } as unknown as Pipeline
    const done = await this.c.hub.client.apply(pipelineKind, body, {
      purpose: 'record',
      manager: COMPANION_MANAGER,
      force: true,
      precondition: ours
        ? { uid: ours.metadata.uid, resourceVersion: ours.metadata.resourceVersion }
        : 'absent',
    })
    if (!done.ok) return failedWrite(this.c, done.error)
    this.c.hub.pipelines.observeWrite(done.value)
    return undefined
  }

  private async leave({ metadata }: Stored<Pipeline>): Promise<ReconcileResult> {
    const { uid, resourceVersion, namespace = '', name } = metadata
    const o = { purpose: 'record', manager: MANAGER, precondition: { uid, resourceVersion } } as const
    const done = await this.c.hub.client.delete(pipelineKind, { namespace, name }, o)
    return done.ok || done.error.kind === 'NotFound' ? { ok: true } : failedWrite(this.c, done.error)
  }

  private async tell(
    theirs: Stored,
    ours: Stored<Pipeline> | undefined,
    problems: readonly string[],
  ): Promise<ReconcileResult> {
    const object = theirs as unknown as JsonObject
    const status = weaveStatus({
      object,
      problems,
      status: ours?.status,
      waiting: this.waiting(ours),
      promotions: this.promotions(ours),
      nowMs: hubTime(this.c).nowMs,
    })
    const before = (theirs as { status?: unknown }).status
    if (status === undefined || jsonEqual(status, before as never)) return { ok: true }
    const done = await this.c.hub.client.update(weavePipelineKind, { ...theirs, status } as Stored, {
      purpose: 'status',
      manager: MANAGER,
      subresource: 'status',
    })
    if (!done.ok) return failedWrite(this.c, done.error)
    this.theirs.observeWrite(done.value)
    return { ok: true }
  }

  /** The newest of each environment, where somebody can read that. */
  private promotions(ours: Stored<Pipeline> | undefined): ReadonlyMap<string, JsonObject> {
    const out = new Map<string, JsonObject>()
    if (!ours || !this.theirs.keepsStatus('environments.*.promotion')) return out
    for (const { name } of ours.spec.environments) {
      const last = promotionHistory(this.c.hub, ours, name).findLast((p) => weavePromotion(p) !== undefined)
      if (last) out.set(name, weavePromotion(last)!)
    }
    return out
  }

  /** Revisions that wait for an Approval. */
  private waiting(ours: Stored<Pipeline> | undefined): ReadonlyMap<string, string> {
    const out = new Map<string, string>()
    if (!ours) return out
    for (const { spec, status } of this.c.hub.promotions.store.by('pipeline', keyText(ours.metadata)))
      if ((status?.blockers ?? []).some((b) => AWAITED.has(b.reason)))
        out.set(spec.environment, spec.revision)
    return out
  }
}

/** Apart from what the engine and people write there, which an apply must not take back. */
const COMPANION_MANAGER = 'lockstep-weave-pipelines'

const AWAITED: ReadonlySet<string> = new Set(['AwaitingApproval', 'ApprovalForOtherRevision'])

/** Who asks for a promotion may do so at either. */
const requestsIn = ({ metadata: { annotations = {} } }: Stored): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([k]) => k.startsWith(REQUEST_PREFIX)))
