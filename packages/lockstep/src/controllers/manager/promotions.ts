/** Pipelines and Promotions: their controllers, and which change is whose business. */
import { keyText, type Stored } from '@lockstep/kube/object'
import type { Approval, Hold, Pipeline, Promotion } from '../../api/kinds/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import { type ControllerContext, inputSelection, targetsPipeline } from '../cache/index.ts'
import {
  EpochFloorReader,
  EventReceiver,
  isWebhookSecret,
  PIPELINE_CONTROLLER,
  PipelineReconciler,
  PromotionLoopGuard,
  pipelineRequest,
  providerSecretName,
} from '../pipeline/index.ts'
import { PROMOTION_CONTROLLER, type PromotionOptions, PromotionReconciler } from '../promotion/index.ts'
import {
  type Controller,
  type ControllerGroup,
  defineController,
  type HubKind,
  kindAndName,
  type ObjectName,
  objectKey,
  type Request,
} from '../runtime/index.ts'
import { WeavePredecessor, weaveGate } from '../weave/index.ts'

const idOf = (namespace: string, name: string): string =>
  selectionId(inputSelection('Secret', { namespace, name }))

const nameOf = (key: string): ObjectName => {
  const { kind: namespace, name } = kindAndName(key)
  return { namespace, name }
}

function hasTargetOn({ metadata, spec }: Stored<Pipeline>, view: ClusterView): boolean {
  const isHub = view.access.type === 'Hub'
  if (!isHub && metadata.namespace !== view.namespace) return false
  const isThere = (name: string | undefined) => (isHub ? name === undefined : name === view.name)
  return spec.environments.some((e) => e.targets.some(({ clusterRef }) => isThere(clusterRef?.name)))
}

export class Promotions implements ControllerGroup {
  readonly controllers: readonly Controller[]
  readonly eventDesk: EventReceiver
  private readonly c: ControllerContext
  private readonly pipelines: PipelineReconciler
  private readonly promotions: PromotionReconciler

  constructor(c: ControllerContext, o: PromotionOptions) {
    this.c = c
    this.promotions = new PromotionReconciler(c, o)
    const wake = (namespace: string, name: string) => this.add(this.promotions.item(namespace, name))
    const outside = {
      floors: new EpochFloorReader(c, o.forges),
      causedByPromotion: new PromotionLoopGuard(c, o.forges),
    }
    this.pipelines = new PipelineReconciler(c, outside, wake)
    const predecessor = new WeavePredecessor(c)
    this.eventDesk = new EventReceiver(c, (key) => this.wake(key))
    const { hub } = c
    this.controllers = [
      defineController({
        name: PIPELINE_CONTROLLER,
        key: objectKey,
        watches: [],
        reconcile: async (key) =>
          (await weaveGate(predecessor, hub.pipelines.store.get(key))) ?? this.pipelines.reconcile(key),
      }),
      defineController({
        name: PROMOTION_CONTROLLER,
        key: objectKey,
        watches: [],
        reconcile: async (key) =>
          (await weaveGate(predecessor, this.pipelineOf(key))) ?? this.promotions.reconcile(key),
      }),
    ]
  }

  /** After a start. */
  enqueueAll(): void {
    for (const p of this.c.hub.pipelines.store.all()) this.pipelineChanged(p)
    for (const p of this.c.hub.promotions.store.all()) this.promotionChanged(p)
  }

  changed(what: HubKind, before: unknown, after: unknown): void {
    const object = after ?? before
    if (what === 'pipelines') this.pipelineChanged(object as Stored<Pipeline>)
    if (what === 'promotions') this.promotionChanged(object as Stored<Promotion>)
    if (what === 'holds' || what === 'approvals') this.consentChanged(object as Stored<Hold | Approval>)
  }

  /** By the id of its selection; false: no pipeline and no promotion needs it. */
  secretChanged(id: string): boolean {
    let isNamed = [...this.c.hub.pipelines.store.all()].some((p) => isWebhookSecret(p, id))
    for (const p of this.c.hub.promotions.store.all()) {
      const { namespace = '' } = p.metadata
      const secret = providerSecretName(p.spec.settings)
      if (secret === undefined || idOf(namespace, secret) !== id) continue
      isNamed = true
      this.add(this.promotions.hurry(p))
    }
    for (const p of this.c.hub.pipelines.store.all()) {
      const { namespace = '' } = p.metadata
      const names = p.spec.environments.map((e) => e.promotion && providerSecretName(e.promotion))
      if (!names.some((n) => n !== undefined && idOf(namespace, n) === id)) continue
      isNamed = true
      this.add(pipelineRequest(p.metadata))
    }
    return isNamed
  }

  /** A target; false: no pipeline looks at it. */
  selectionChanged(view: ClusterView, id: string): boolean {
    const watching = this.c.watchIndex.of({ view, id }).filter((r) => r.controller === PIPELINE_CONTROLLER)
    for (const { id: key } of watching) this.wake(key)
    return watching.length > 0
  }

  /** It came, went, fell silent or answers again. */
  clusterChanged(view: ClusterView): void {
    for (const p of this.c.hub.pipelines.store.all()) if (hasTargetOn(p, view)) this.wake(keyText(p.metadata))
  }

  /** An environment that nobody can read keeps those that follow it waiting. */
  awaits(view: ClusterView): boolean {
    for (const p of this.c.hub.pipelines.store.all()) if (hasTargetOn(p, view)) return true
    return false
  }

  private pipelineOf(promotion: ObjectName): Stored<Pipeline> | undefined {
    const { hub } = this.c
    const found = hub.promotions.store.get(promotion)
    const { namespace = '' } = found?.metadata ?? {}
    return found && hub.pipelines.store.get({ namespace, name: found.spec.pipelineRef.name })
  }

  private wake(key: string): void {
    this.add(pipelineRequest(nameOf(key)))
    for (const { metadata } of this.c.hub.promotions.store.by('pipeline', key))
      this.add(this.promotions.item(metadata.namespace ?? '', metadata.name))
  }

  private pipelineChanged(pipeline: Stored<Pipeline>): void {
    const key = keyText(pipeline.metadata)
    this.wake(key)
    // Who has the same identity may act, or may not any more.
    for (const p of this.c.hub.pipelines.store.by('identity', pipeline.spec.identity))
      if (keyText(p.metadata) !== key) this.add(pipelineRequest(p.metadata))
  }

  private promotionChanged({ metadata, spec }: Stored<Promotion>): void {
    this.wake(`${metadata.namespace}/${spec.pipelineRef.name}`)
  }

  private consentChanged(object: Stored<Hold | Approval>): void {
    if (targetsPipeline(object)) this.wake(`${object.metadata.namespace}/${object.spec.targetRef.name}`)
  }

  private add(item: Request): void {
    this.c.queue.add(item)
  }
}
