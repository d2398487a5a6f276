/**
 * Pipelines of weaveworks, served as they are: each has one of ours, of the same name, that is promoted as any other, and its
 * status is told in the words of its own controller.
 */

import { OptionalKind, type OptionalKindEvents } from '@lockstep/kube/cache'
import type { Env } from '@lockstep/kube/env'
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
import { type Pipeline, pipelineKind, pipelineSpec } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { type RecordClient, type RecordMark, records } from '../../api/records.ts'
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
import { type HubInformers, promotionHistory } from '../cache/index.ts'
import {
  always,
  type Controller,
  changed,
  defineController,
  done,
  ensure,
  failed,
  hubTime,
  type ObjectKey,
  objectKey,
  on,
  requeueAfter,
  type StatusWriter,
  type WeaveOptions,
} from '../runtime/index.ts'
import { WEAVE_RETRY_MS } from './weavegate.ts'
import type { WeavePredecessor } from './weavepredecessor.ts'

const WEAVE_CONTROLLER = 'weave-pipeline'

export interface WeaveDeps {
  readonly env: Env
  readonly hub: Pick<HubInformers, 'own' | 'pipelines' | 'promotions'>
  readonly status: StatusWriter
  readonly predecessor: WeavePredecessor
  readonly theirs: WeaveKind
}

/** Pipelines of weaveworks, where the hub serves them. */
export type WeaveKind = OptionalKind<KubeObject, Stored, RecordMark>

export const openWeaveKind = (
  env: Env,
  client: RecordClient,
  events: Pick<OptionalKindEvents<Stored>, 'changed' | 'settled'>,
): WeaveKind =>
  new OptionalKind<KubeObject, Stored, RecordMark>(
    env,
    client,
    {
      definitions: records.definition,
      kinds: [weavePipelineKind],
      project: withoutManagers,
      meanwhile: 'none of them is promoted',
    },
    { changed: events.changed, opened: () => {}, settled: events.settled },
  )

export function weaveController(d: WeaveDeps, options: WeaveOptions): Controller<ObjectKey> {
  const reconciler = new WeavePipelines(d, options)
  return defineController({
    name: WEAVE_CONTROLLER,
    key: objectKey,
    // What was served before, and is not there any more, goes with its owner.
    for: on('weavePipelines', always),
    owns: [
      on('pipelines', changed),
      on('promotions', changed, ({ metadata, spec }) => [
        objectKey.of({ namespace: metadata.namespace, name: spec.pipelineRef.name }),
      ]),
    ],
    watches: [],
    reconcile: (key) => reconciler.reconcile(key),
  })
}

class WeavePipelines {
  private readonly d: WeaveDeps
  private readonly options: WeaveOptions

  constructor(d: WeaveDeps, options: WeaveOptions) {
    this.d = d
    this.options = options
  }

  async reconcile({ namespace, name }: ObjectKey): Promise<ReconcileResult> {
    const key = keyText({ namespace, name })
    const theirs = this.d.theirs.get({ namespace, name })
    if (!theirs) return { ok: true }
    const ours = this.d.hub.pipelines.store.get(key)
    const isOwn = ours !== undefined && weaveOwner(ours) === theirs.metadata.uid
    if (!isServed(theirs, this.options.managesAll) && !isOwn) return { ok: true }
    if ((await this.d.predecessor.active()) !== undefined) return requeueAfter(WEAVE_RETRY_MS)
    // Given back: nothing of it is promoted here any more, and what is open stays open.
    if (!isServed(theirs, this.options.managesAll)) return this.leave(ours!)
    const read = readWeavePipeline(theirs as unknown as JsonObject)
    const problems = read.ok ? [] : read.error.map((p) => `${valuePathText(p.path)}: ${p.problem}`)
    if (ours && !isOwn)
      problems.push(
        `Pipeline ${key} of lockstep.dev exists and does not belong to this one: delete one of the two, or remove the annotation`,
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
    const isSame = ({ spec, metadata }: Stored<Pipeline>): boolean =>
      jsonEqual(spec as never, pipelineSpec.parse(given) as never) &&
      Object.entries(requests).every(([k, v]) => metadata.annotations?.[k] === v)
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
    const { hub } = this.d
    const target = {
      own: hub.own,
      kind: pipelineKind,
      manager: COMPANION_MANAGER,
      observeWrite: (o: Stored<Pipeline>) => hub.pipelines.observeWrite(o),
    }
    // The caller has checked the owner.
    const kept = await ensure(target, { found: ours, desired: body, isOwn: () => true, isSame })
    return kept.type === 'Failed' ? failed(kept.error) : undefined
  }

  private async leave({ metadata }: Stored<Pipeline>): Promise<ReconcileResult> {
    const { uid, resourceVersion, namespace = '', name } = metadata
    const o = { purpose: 'record', manager: MANAGER, precondition: { uid, resourceVersion } } as const
    const done = await this.d.hub.own.delete(pipelineKind, { namespace, name }, o)
    return done.ok || done.error.kind === 'NotFound' ? { ok: true } : failed(done.error)
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
      nowMs: hubTime(this.d).nowMs,
    })
    if (status === undefined) return done
    return this.d.status.update('weavePipelines', theirs, status)
  }

  /** The newest of each environment, where somebody can read that. */
  private promotions(ours: Stored<Pipeline> | undefined): ReadonlyMap<string, JsonObject> {
    const out = new Map<string, JsonObject>()
    if (!ours || !this.d.theirs.keepsStatus('environments.*.promotion')) return out
    for (const { name } of ours.spec.environments) {
      const last = promotionHistory(this.d.hub, ours, name).findLast((p) => weavePromotion(p) !== undefined)
      if (last) out.set(name, weavePromotion(last)!)
    }
    return out
  }

  /** Revisions that wait for an Approval. */
  private waiting(ours: Stored<Pipeline> | undefined): ReadonlyMap<string, string> {
    const out = new Map<string, string>()
    if (!ours) return out
    for (const { spec, status } of this.d.hub.promotions.store.by('pipeline', keyText(ours.metadata)))
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
