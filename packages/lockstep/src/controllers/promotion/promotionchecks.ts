/** Checks of promotions that are there: Jobs and metrics are asked for, expressions are evaluated on what caches have. */

import { requestErrorText } from '@lockstep/kube/client'
import {
  defineKind,
  isObject,
  type JsonObject,
  type KubeObject,
  keyText,
  type Stored,
} from '@lockstep/kube/object'
import { GROUP, VERSION } from '../../api/apiversion.ts'
import {
  type Promotion,
  type PromotionCheck,
  type PromotionStatus,
  promotionKind,
} from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import {
  type CheckResult,
  failedCheck,
  jobCheck,
  jobInTheWay,
  jobName,
  passedCheck,
  readyCheck,
  runningCheck,
  startingCheck,
} from '../../decisions/promotion/index.ts'
import { HUB_CLUSTER } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import { targetObjects } from '../pipeline/index.ts'
import type { ObjectName } from '../runtime/index.ts'
import { MetricCache } from './metriccache.ts'
import type { PromotionContext } from './promotioncontext.ts'
import type { PromotionDeps } from './promotiondeps.ts'
import { accountOfPromotion, promotionRequest } from './promotiondeps.ts'

const jobKind = defineKind<KubeObject>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
})

/** A Job that could not be made is tried again after so long. */
const AGAIN_MS = 10_000

export interface PromotionCheckResults {
  readonly checks: readonly CheckResult[]
  /** When something is to be asked again, in milliseconds. */
  readonly wakeMs: number | undefined
}

export class PromotionChecks {
  private readonly c: PromotionDeps
  private readonly metrics: MetricCache

  constructor(c: PromotionDeps) {
    this.c = c
    this.metrics = new MetricCache(c)
  }

  async see(promotion: Stored<Promotion>, around: PromotionContext): Promise<PromotionCheckResults> {
    const asked = promotion.spec.settings.verify?.checks ?? []
    const checks: CheckResult[] = []
    let wakeMs: number | undefined
    for (const check of asked) {
      if (check.readyExpr !== undefined) {
        const targets = targetObjects(this.c, around.pipeline, around.environment)
        checks.push(readyCheck(check, targets, promotion.spec.revision))
      } else if (check.metric) {
        const { seen, againMs } = await this.metrics.see(promotion, check)
        checks.push(seen)
        wakeMs = Math.min(wakeMs ?? againMs, againMs)
      } else {
        const seen = await this.job(promotion, check, around.nowMs)
        checks.push(seen)
        const isNew = !promotion.status?.checks?.some((c) => c.name === check.name)
        // It is made once it is stored that it will be.
        if (seen.state === 'Starting') wakeMs = Math.min(wakeMs ?? AGAIN_MS, isNew ? 1 : AGAIN_MS)
      }
    }
    return { checks, wakeMs }
  }

  forget(name: ObjectName): void {
    this.c.watchIndex.keep(promotionRequest(name), new Set())
    this.metrics.forget(keyText(name))
  }

  /** What has ended stays so, whatever becomes of the Job; nothing is made before it is stored that it will be. */
  private async job(
    promotion: Stored<Promotion>,
    check: PromotionCheck,
    nowMs: number,
  ): Promise<CheckResult> {
    const { name } = check
    const before = promotion.status?.checks?.find((c) => c.name === name)
    if (!before) return startingCheck(name)
    if (before.state === 'Passed') return passedCheck(name)
    if (before.state === 'Failed') return failedCheck(name, before.message ?? '')
    const { namespace = '', uid } = promotion.metadata
    const ref = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace,
      name: jobName(promotion.metadata.name, name),
    }
    let isTaken = false
    if (before.state === 'Starting') {
      const made = await this.c.hub
        .inputs(accountOfPromotion(this.c, promotion))
        .create(jobKind, this.body(promotion, check, ref), {
          purpose: 'hook',
          manager: MANAGER,
        })
      if (!made.ok && made.error.kind === 'Invalid') return failedCheck(name, requestErrorText(made.error))
      if (!made.ok && made.error.kind !== 'AlreadyExists')
        return startingCheck(name, requestErrorText(made.error))
      isTaken = !made.ok
    }
    const view = this.c.fleet.view(namespace, HUB_CLUSTER)
    const session = view && this.c.fleet.session(view, accountOfPromotion(this.c, promotion))
    const unread = isTaken ? startingCheck(name) : runningCheck(name, `Job ${namespace}/${ref.name}`)
    if (!view || !session) return unread
    this.c.watchIndex.add(promotionRequest(promotion.metadata), { view, id: selectionId(ref) })
    session.selections.get(ref)
    const read = await session.selections.read(ref)
    if (!read.ok || read.value.type === 'Unread') return unread
    const found = read.value.type === 'Present' ? read.value.object : undefined
    return (isTaken && jobInTheWay(name, found, uid)) || jobCheck(name, found, uid, nowMs)
  }

  private body(
    { metadata }: Stored<Promotion>,
    { job }: PromotionCheck,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): KubeObject {
    const template = (isObject(job?.template as never) ? job!.template : {}) as JsonObject
    const { labels, annotations } = (isObject(template.metadata) ? template.metadata : {}) as JsonObject
    const owner = {
      apiVersion: `${GROUP}/${VERSION}`,
      kind: promotionKind.kind,
      name: metadata.name,
      uid: metadata.uid,
      controller: true,
    }
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        namespace,
        ownerReferences: [owner],
        ...(isObject(labels) ? { labels } : {}),
        ...(isObject(annotations) ? { annotations } : {}),
      },
      spec: template.spec ?? {},
    } as KubeObject
  }
}

/** As they are stored. */
export const storedChecks = (checks: readonly CheckResult[]): PromotionStatus['checks'] =>
  checks.map(({ name, state, message }) => ({ name, state, ...(message === '' ? {} : { message }) }))
