/** Events from outside: who may send them, and what is looked at because of them. */

import { supervise } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { base64ToBytes, keyText, type Stored } from '@lockstep/kube/object'
import { accountOf } from '../../api/account.ts'
import type { Pipeline } from '../../api/kinds/index.ts'
import type { HeardRevision } from '../../decisions/promotion/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import type { WebhookPipeline, WebhookReceiver, WebhookRef } from '../../gitproviders/events/index.ts'
import { inputSelection } from '../cache/index.ts'
import { hubTime, type ObjectName } from '../runtime/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'
import { isReadable, promotionTargets, targetObservedAt } from './promotiontargets.ts'

/** While one key is exchanged for another. */
const HMAC_KEY_PREVIOUS = 'hmac-key-previous'

type EventReceiverDeps = Pick<PipelineDeps, 'hub' | 'env' | 'fleet' | 'reportedRevisions'>

export class EventReceiver implements WebhookReceiver {
  private readonly c: EventReceiverDeps
  private readonly wake: (pipeline: ObjectName) => void

  constructor(c: EventReceiverDeps, wake: (pipeline: ObjectName) => void) {
    this.c = c
    this.wake = wake
  }

  async find({ namespace, pipeline: name, environment }: WebhookRef): Promise<WebhookPipeline | undefined> {
    const pipeline = this.c.hub.pipelines.store.get({ namespace, name })
    if (!pipeline || pipeline.metadata.deletionTimestamp !== undefined) return undefined
    const found = pipeline.spec.environments.find((e) => e.name === environment)
    return {
      key: pipeline.metadata.uid,
      keys: keysIn(await this.secretOf(pipeline)),
      subject: found && { appRef: pipeline.spec.appRef, environment, targets: promotionTargets(found) },
    }
  }

  news({ namespace, pipeline: name }: WebhookRef, heard: HeardRevision | undefined): void {
    const key = keyText({ namespace, name })
    const pipeline = this.c.hub.pipelines.store.get(key)
    this.wake({ namespace, name })
    if (heard && pipeline?.spec.revisionsFrom === 'TargetsAndEvents')
      supervise(this.c.env, () => this.hear(pipeline, heard))
  }

  /** Of one that can be read, nothing has to be believed. */
  private async hear(pipeline: Stored<Pipeline>, heard: HeardRevision): Promise<void> {
    if (await isReadable(this.c, pipeline, heard)) return
    const key = keyText(pipeline.metadata)
    const isNews = this.c.reportedRevisions.note(
      key,
      heard,
      targetObservedAt(this.c, pipeline, heard),
      this.nowMs(),
    )
    if (isNews) this.wake(pipeline.metadata)
  }

  nowMs(): number {
    return hubTime(this.c).nowMs
  }

  /** Its watch is open from the first look at the pipeline on; only what came in meanwhile reads by itself. */
  private async secretOf(pipeline: Stored<Pipeline>): Promise<Secret | undefined> {
    const selection = webhookSecret(pipeline)
    if (!selection) return undefined
    const { secrets } = this.c.hub
    const account = accountOf(pipeline)
    const seen = secrets.select(account, selection)
    if (seen.type === 'Read') return seen.objects[0] as Secret | undefined
    const read = await secrets.list(account, selection)
    return read.ok && read.value.type === 'Read' ? (read.value.objects[0] as Secret | undefined) : undefined
  }
}

function keysIn(secret: Secret | undefined): Uint8Array[] {
  return [HMAC_KEY, HMAC_KEY_PREVIOUS].flatMap((name) => {
    const text = secret?.data?.[name]
    return text === undefined ? [] : [base64ToBytes(text)]
  })
}

/** Undefined: it takes no events. */
const webhookSecret = ({ metadata, spec }: Stored<Pipeline>) => {
  const name = spec.webhook?.secretRef.name
  return name === undefined
    ? undefined
    : inputSelection('Secret', { namespace: metadata.namespace ?? '', name })
}

export const isWebhookSecret = (pipeline: Stored<Pipeline>, id: string): boolean => {
  const selection = webhookSecret(pipeline)
  return selection !== undefined && selectionId(selection) === id
}

/** So that the first event finds it read. */
export function openWebhookSecret({ hub }: Pick<PipelineDeps, 'hub'>, pipeline: Stored<Pipeline>): void {
  const selection = webhookSecret(pipeline)
  if (selection) hub.secrets.select(accountOf(pipeline), selection)
}

export const HMAC_KEY = 'hmac-key'
