/** Metrics that checks ask for: each every 30 seconds, and not because something else happens. */

import { requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { secretKind } from '@lockstep/kube/kinds'
import { keyText, type Stored } from '@lockstep/kube/object'
import type { Promotion, PromotionCheck } from '../../api/kinds/index.ts'
import { type CheckResult, failedCheck, metricCheck, runningCheck } from '../../decisions/promotion/index.ts'
import {
  metricProblem,
  type PrometheusTarget,
  queryPrometheus,
} from '../../gitproviders/verification/index.ts'
import { gitCredentials } from '../../sources/git/index.ts'
import { CONTROLLER_ACCOUNT } from '../runtime/index.ts'
import type { PromotionDeps } from './promotiondeps.ts'

export const METRIC_INTERVAL_MS = 30_000

interface CachedMetric {
  readonly atMs: number
  readonly seen: CheckResult
}

export class MetricCache {
  private readonly c: Pick<PromotionDeps, 'env' | 'hub'>
  /** By promotion, then by check. */
  private readonly known = new Map<string, Map<string, CachedMetric>>()

  constructor(c: Pick<PromotionDeps, 'env' | 'hub'>) {
    this.c = c
  }

  async see(
    promotion: Stored<Promotion>,
    check: PromotionCheck,
  ): Promise<{ readonly seen: CheckResult; readonly againMs: number }> {
    const key = keyText(promotion.metadata)
    const now = this.c.env.clock.steady()
    const last = this.known.get(key)?.get(check.name)
    const leftMs = last ? last.atMs + METRIC_INTERVAL_MS - now : 0
    if (last && leftMs > 0) return { seen: last.seen, againMs: leftMs }
    const seen = await this.ask(promotion, check)
    const all = this.known.get(key) ?? new Map<string, CachedMetric>()
    this.known.set(key, all.set(check.name, { atMs: now, seen }))
    return { seen, againMs: METRIC_INTERVAL_MS }
  }

  forget(key: string): void {
    this.known.delete(key)
  }

  private async ask(promotion: Stored<Promotion>, check: PromotionCheck): Promise<CheckResult> {
    const metric = check.metric!
    const problem = metricProblem(metric.url, metric.secretRef !== undefined)
    if (problem !== undefined) return failedCheck(check.name, `metric.url: ${problem}`)
    const asker = await this.asker(promotion.metadata.namespace ?? '', metric)
    if (!asker.ok) return runningCheck(check.name, asker.error)
    const value = await queryPrometheus(this.c.env, asker.value, metric.query)
    return value.ok ? metricCheck(check, value.value) : runningCheck(check.name, value.error)
  }

  /** Credentials are read for each question, and never kept. */
  private async asker(
    namespace: string,
    { url, secretRef }: NonNullable<PromotionCheck['metric']>,
  ): Promise<Result<PrometheusTarget, string>> {
    if (!secretRef) return ok({ namespace, url })
    const read = await this.c.hub
      .inputs(CONTROLLER_ACCOUNT)
      .get(secretKind, { namespace, name: secretRef.name }, { purpose: 'reread' })
    if (!read.ok) return err(requestErrorText(read.error))
    const credentials = gitCredentials(
      { text: url, scheme: 'https', host: new URL(url).host } as never,
      read.value,
    )
    if (!credentials.ok) return err(credentials.error)
    const { value } = credentials
    const ca = value.type === 'ssh' ? undefined : value.tls?.ca
    return ok({ namespace, url, ca, authorization: value.type === 'header' ? value.value : undefined })
  }
}
