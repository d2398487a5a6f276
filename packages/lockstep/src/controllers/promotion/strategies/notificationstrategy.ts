/** Promotions by notification: somebody else is told what is to be done, and does it. */

import { ok } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { base64ToBytes, canonicalJson, parseDuration, type Stored } from '@lockstep/kube/object'
import { blocked } from '../../../api/blocker.ts'
import type { Promotion } from '../../../api/kinds/index.ts'
import {
  afterEvent,
  EVENT_TYPE,
  notificationData,
  type PromotionEffect,
  type PromotionState,
  type PromotionStep,
  promotionRef,
} from '../../../decisions/promotion/index.ts'
import type { CallOptions } from '../../../gitproviders/gitprovider.ts'
import { receiverProblem, sendNotification } from '../../../gitproviders/verification/index.ts'
import { HMAC_KEY } from '../../pipeline/index.ts'
import type { PromotionDeps } from '../promotiondeps.ts'
import type { PreparedChange, PromotionStrategy, ProviderResult, StrategyContext } from './strategy.ts'

export class NotificationStrategy implements PromotionStrategy {
  private readonly c: Pick<PromotionDeps, 'env' | 'events'>
  private readonly promotion: Stored<Promotion>
  private readonly view: PromotionState
  private readonly secret: Stored<Secret> | undefined

  /** `secret`: with a key in it; undefined: nothing is signed. */
  constructor(
    c: Pick<PromotionDeps, 'env' | 'events'>,
    promotion: Stored<Promotion>,
    view: PromotionState,
    secret: Stored<Secret> | undefined,
  ) {
    this.c = c
    this.promotion = promotion
    this.view = view
    this.secret = secret
  }

  get secretVersion(): string | undefined {
    return this.secret?.metadata.resourceVersion
  }

  private get url(): string | undefined {
    return this.view.settings.notification!.url
  }

  async prepare(): ProviderResult<PreparedChange> {
    const { url } = this
    const problem = url === undefined ? undefined : receiverProblem(url)
    if (problem !== undefined)
      return ok({
        type: 'Refused',
        refusals: [blocked('InvalidSpec', [promotionRef(this.view)], { field: 'notification.url', problem })],
      })
    return ok({
      type: 'Intent',
      intent: { event: { id: this.view.key, ...(url === undefined ? {} : { url }) } },
    })
  }

  async look(around: StrategyContext): ProviderResult<PromotionStep> {
    return ok(afterEvent({ ...around, promotion: this.view }))
  }

  async perform(_effect: PromotionEffect, o: CallOptions): ProviderResult<void> {
    const { metadata, spec } = this.promotion
    const { namespace = '', creationTimestamp } = metadata
    const { name } = spec.pipelineRef
    const { url } = this
    if (url === undefined) {
      this.announce(namespace, name)
      return ok(undefined)
    }
    const asked = parseDuration(this.view.settings.notification!.timeout) ?? o.timeoutMs
    const data = this.secret?.data ?? {}
    const ca = data['ca.crt']
    const done = await sendNotification(
      this.c.env,
      {
        namespace,
        url,
        timeoutMs: Math.min(asked, o.timeoutMs),
        key: data[HMAC_KEY] === undefined ? undefined : base64ToBytes(data[HMAC_KEY]),
        ca: ca === undefined ? undefined : new TextDecoder().decode(base64ToBytes(ca)),
      },
      {
        id: this.view.key,
        source: `/lockstep/${namespace}/${name}`,
        type: EVENT_TYPE,
        time: creationTimestamp ?? '1970-01-01T00:00:00Z',
        body: canonicalJson(notificationData(this.view, { namespace, name })),
      },
    )
    if (done.ok) this.announce(namespace, name)
    if (!done.ok && done.error.kind === 'CredentialsRejected' && this.secret) {
      const credential = `Secret ${namespace}/${this.secret.metadata.name}, key ${HMAC_KEY}`
      return { ok: false, error: { ...done.error, credential } }
    }
    return done
  }

  after(): PromotionStep {
    return { type: 'Phase', to: 'Converging', result: { delivered: true } }
  }

  /** As the pipeline controller of weaveworks announces it: for receivers of events that know nothing of us. */
  private announce(namespace: string, pipeline: string): void {
    const { environment, revision } = this.view.id
    this.c.events.record(this.promotion, [
      {
        type: 'Normal',
        reason: 'Promote',
        action: 'Promote',
        text: `Promote pipeline ${namespace}/${pipeline} to ${environment} with version ${revision}`,
        of: `${environment} ${revision}`,
        annotations: { environment, version: revision },
      },
    ])
  }
}
