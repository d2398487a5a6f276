/** Promotions by module: the version of Modules on the hub, applied beside whoever else writes them, and never over them. */

import { err, ok } from '@lockstep/kube/env'
import {
  applyMergePatch,
  isObject,
  type JsonObject,
  type JsonValue,
  type Kind,
  type KubeObject,
  type Stored,
} from '@lockstep/kube/object'
import { accountOf } from '../../../api/account.ts'
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import {
  bootstrapModuleKind,
  type Module,
  moduleKind,
  type Pipeline,
  type Promotion,
  type PromotionIntent,
} from '../../../api/kinds/index.ts'
import {
  afterModules,
  type ModuleFound,
  type ModuleObservation,
  type ModuleSource,
  type ModuleVersion,
  moduleEdit,
  moduleVersionOf,
  noEdit,
  PROMOTION_ANNOTATION,
  type PromotionEffect,
  type PromotionState,
  type PromotionStep,
  pendingModules,
  pipelineRef,
  type TargetRef,
} from '../../../decisions/promotion/index.ts'
import type { CallOptions } from '../../../gitproviders/gitprovider.ts'
import { fieldOwned, type GitProviderError, hubFailure } from '../../pipeline/index.ts'
import type { PromotionDeps } from '../promotiondeps.ts'
import type { PreparedChange, PromotionStrategy, ProviderResult, StrategyContext } from './strategy.ts'

/** Of what a promotion applies, apart from all else that Lockstep writes: the field is its own, and nobody's controller takes it back. */
export const PROMOTION_MANAGER = 'lockstep-promotion'

interface LiveModule {
  readonly found: ModuleFound
  readonly object: Stored<Module> | undefined
}

/** Who makes it, and for whom. */
export interface ModuleStrategyOptions {
  readonly promotion: Stored<Promotion>
  readonly view: PromotionState
  readonly pipeline: Stored<Pipeline>
  readonly targets: readonly TargetRef[]
}

/**
 * All targets have one name, each in its own namespace, and edges between Modules never leave a namespace: none of them waits for
 * another, so that the order of the pipeline is one in which each comes after what it needs.
 */
export class ModuleStrategy implements PromotionStrategy {
  private readonly c: Pick<PromotionDeps, 'hub' | 'env'>
  private readonly view: PromotionState
  private readonly pipeline: Stored<Pipeline>
  private readonly targets: readonly TargetRef[]
  private readonly wanted: ModuleVersion

  constructor(c: Pick<PromotionDeps, 'hub' | 'env'>, o: ModuleStrategyOptions) {
    this.c = c
    this.view = o.view
    this.pipeline = o.pipeline
    this.targets = o.targets
    this.wanted = moduleVersionOf(o.view, o.promotion.spec.release)
  }

  private get kind(): Kind<Module> {
    return this.pipeline.spec.appRef.kind === bootstrapModuleKind.kind ? bootstrapModuleKind : moduleKind
  }

  /** Everything that would be refused is refused here, before the first of them is another: a dry run asks the server. */
  async prepare(_previous: string | undefined, o: CallOptions): ProviderResult<PreparedChange> {
    const far = this.targets
      .filter((t) => t.cluster !== undefined)
      .map((t) => onAnotherCluster(this.pipeline, t))
    if (far.length > 0) return ok({ type: 'Refused', refusals: far })
    const live = await this.read()
    if (!live.ok) return live
    const refusals: NewBlocker[] = []
    const modules: NonNullable<PromotionIntent['modules']> = []
    for (const { found, object } of live.value) {
      const { namespace, name, module } = found
      const edit = module ? moduleEdit(module, this.wanted) : err(noEdit(found, { because: 'ModuleMissing' }))
      if (!edit.ok) {
        refusals.push(edit.error)
        continue
      }
      const { from, to, isThere } = edit.value
      modules.push({ namespace, name, uid: module!.uid, from, to })
      if (isThere) continue
      const tried = await this.apply(object!, edit.value.spec, o, true)
      if (tried.ok) continue
      if (tried.error.kind !== 'FieldOwned') return tried
      if ('module' in tried.error) refusals.push(fieldOwned(tried.error))
    }
    return ok(refusals.length > 0 ? { type: 'Refused', refusals } : { type: 'Intent', intent: { modules } })
  }

  async look(around: StrategyContext, o: CallOptions): ProviderResult<PromotionStep> {
    const live = await this.read()
    if (!live.ok) return live
    const found = live.value.map((l) => l.found)
    const step = afterModules({ ...around, promotion: this.view, wanted: this.wanted, found })
    if (step.type !== 'Effect' || live.value.some(this.isOurs)) return ok(step)
    const tried = await this.tryAll(live.value, o)
    return tried.ok ? ok(step) : tried
  }

  /** One after the other, as they are now. What is not written in time is written after the next look. */
  async perform(_effect: PromotionEffect, o: CallOptions): ProviderResult<void> {
    const { clock } = this.c.env
    const until = clock.steady() + o.timeoutMs
    const live = await this.read()
    if (!live.ok) return live
    const pending = new Set(pendingModules({ found: live.value.map((l) => l.found), wanted: this.wanted }))
    let hasBegun = live.value.some(this.isOurs)
    for (const { found, object } of live.value) {
      const { module } = found
      if (!module || !object || !pending.has(module)) continue
      const left = until - clock.steady()
      if (left <= 0) return ok(undefined)
      const edit = moduleEdit(module, this.wanted)
      if (!edit.ok) return err(refused(found, edit.error))
      const done = await this.apply(object, edit.value.spec, { ...o, timeoutMs: left }, false)
      if (!done.ok) return err({ ...done.error, hasBegun })
      hasBegun = true
    }
    return ok(undefined)
  }

  /** Before the first of them is written: since they were made ready somebody may have taken a field of one. */
  private async tryAll(live: readonly LiveModule[], o: CallOptions): ProviderResult<void> {
    for (const { found, object } of live) {
      const edit = found.module && moduleEdit(found.module, this.wanted)
      if (!edit || !object) continue
      if (!edit.ok) return err(refused(found, edit.error))
      if (edit.value.isThere) continue
      const tried = await this.apply(object, edit.value.spec, o, true)
      if (!tried.ok) return tried
    }
    return ok(undefined)
  }

  private readonly isOurs = ({ found }: LiveModule): boolean => found.module?.promotion === this.view.key

  /** All of them, and not from a cache. */
  private async read(): ProviderResult<readonly LiveModule[]> {
    const out: LiveModule[] = []
    for (const { namespace } of this.targets) {
      const { name } = this.pipeline.spec.appRef
      const read = await this.c.hub
        .inputs(accountOf(this.pipeline))
        .get(this.kind, { namespace, name }, { purpose: 'reread' })
      const none = !read.ok && read.error.kind === 'NotFound'
      if (!read.ok && !none) return err(hubFailure({ namespace, name }, read.error))
      const object = read.ok && read.value.metadata.deletionTimestamp === undefined ? read.value : undefined
      out.push({ found: { namespace, name, module: object && seen(object) }, object })
    }
    return ok(out)
  }

  private async apply(
    object: Stored<Module>,
    spec: JsonObject,
    o: CallOptions,
    dryRun: boolean,
  ): ProviderResult<void> {
    const { namespace = '', name, uid, resourceVersion } = object.metadata
    const { clock } = this.c.env
    const late = new AbortController()
    const cancel = clock.at(clock.steady() + o.timeoutMs, () => late.abort())
    const done = await this.c.hub.inputs(accountOf(this.pipeline)).apply(this.kind, this.body(object, spec), {
      purpose: dryRun ? 'dryrun' : 'apply',
      manager: PROMOTION_MANAGER,
      dryRun,
      signal: late.signal,
      precondition: { uid, resourceVersion },
    })
    cancel()
    return done.ok ? ok(undefined) : err(hubFailure({ namespace, name }, done.error))
  }

  /** What we have applied before and do not apply any more would go: of that all stays as it is, but for what changes. */
  private body(object: Stored<Module>, spec: JsonObject): KubeObject {
    const { namespace = '', name, managedFields = [] } = object.metadata
    const ours = managedFields.find(
      (m) => m.manager === PROMOTION_MANAGER && m.operation === 'Apply' && m.subresource === undefined,
    )
    const kept = ownedPart(object as unknown as JsonObject, (ours?.fieldsV1 ?? {}) as JsonObject)
    const change: JsonObject = {
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { name, namespace, annotations: { [PROMOTION_ANNOTATION]: this.view.key } },
      spec,
    }
    return applyMergePatch(kept, change) as unknown as KubeObject
  }
}

/** Members of maps; a list of which something is ours is taken as it is. */
function ownedPart(live: JsonObject, fields: JsonObject): JsonObject {
  const out: { [name: string]: JsonValue | undefined } = {}
  for (const [step, below] of Object.entries(fields)) {
    const name = step.slice(2)
    const value = step.startsWith('f:') ? live[name] : undefined
    if (value === undefined) continue
    const deeper = isObject(below) && Object.keys(below).some((k) => k.startsWith('f:'))
    out[name] = deeper && isObject(value) ? ownedPart(value, below) : value
  }
  return out
}

const seen = ({ metadata, spec }: Stored<Module>): ModuleObservation => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid,
  source: spec.source as ModuleSource,
  release: spec.release,
  promotion: metadata.annotations?.[PROMOTION_ANNOTATION],
})

const onAnotherCluster = (pipeline: Stored<Pipeline>, { namespace, cluster }: TargetRef): NewBlocker =>
  blocked('InvalidSpec', [pipelineRef(pipeline.metadata)], {
    field: `target ${namespace} on ${cluster}`,
    problem: 'strategy module changes Modules of the hub only; remove clusterRef, or use pull-request',
  })

const refused = ({ namespace, name }: ModuleFound, refusal: NewBlocker): GitProviderError => ({
  kind: 'NothingToEdit',
  wrote: 'no',
  module: { namespace, name },
  request: '',
  message: refusal.message,
  refusal,
})
