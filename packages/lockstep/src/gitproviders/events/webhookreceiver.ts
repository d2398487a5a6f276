/** What the endpoint of events asks of whoever works on pipelines, and tells it. */
import type { EventSubject, HeardRevision } from '../../decisions/promotion/index.ts'

export interface WebhookPipeline {
  /** Unique and the same as long as the pipeline is. */
  readonly key: string
  /** `hmac-key`, then `hmac-key-previous`, as its Secret has them now. */
  readonly keys: readonly Uint8Array[]
  /** Undefined: it has no such environment. */
  readonly subject: EventSubject | undefined
}

export interface WebhookRef {
  readonly namespace: string
  readonly pipeline: string
  readonly environment: string
}

export interface WebhookReceiver {
  /** Undefined: there is none. */
  find(ref: WebhookRef): Promise<WebhookPipeline | undefined>
  /** Something happened to a target: it is looked at. `heard`: what was said of its revision. */
  news(ref: WebhookRef, heard: HeardRevision | undefined): void
  /** The hub's time, in milliseconds since the epoch. */
  nowMs(): number
}
