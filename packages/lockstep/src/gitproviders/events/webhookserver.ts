/**
 * The endpoint of events: who may say that something has happened to a target. It decides nothing about promotions, which are
 * decided upon what targets say themselves.
 */

import type { Env, Handler, ServerRequest } from '@lockstep/kube/env'
import { sha256Hex } from '@lockstep/kube/object'
import {
  callerOf,
  eventProblem,
  heardRevision,
  isJson,
  isSigned,
  pathOf,
  readEvent,
  routeOf,
  timeProblem,
  type WebhookResponse,
} from '../../decisions/promotion/index.ts'
import { RequestLimit } from './requestlimit.ts'
import { SeenRequests } from './seenrequests.ts'
import type { WebhookPipeline, WebhookReceiver, WebhookRef } from './webhookreceiver.ts'

export interface WebhookServerOptions {
  /** Whose `X-Forwarded-For` counts. */
  readonly trusted: Parameters<typeof callerOf>[2]
  /** Undefined: this process does not lead, or has not read all that it needs. */
  desk(): WebhookReceiver | undefined
}

/** Of a request, in bytes; and until all of it is there. */
export const WEBHOOK_LIMITS = { headerBytes: 16 * 1024, requestMs: 15_000 } as const
const MOST_BODY = 1024 * 1024

const WINDOW_MS = 30_000
const PER_CALLER = 60
const PER_PIPELINE = 20

/** One for all reasons: who has no key learns nothing of what is there. */
const UNAUTHORIZED: WebhookResponse = {
  status: 401,
  text: 'X-Signature: sha256|384|512=<hex HMAC of the body>, by the hmac-key of spec.webhook.secretRef',
}

export function openWebhookServer(
  env: Pick<Env, 'clock' | 'log' | 'meters'>,
  options: WebhookServerOptions,
): Handler {
  const hook = new WebhookServer(env, options)
  return async (request) => {
    const { status, text, headers } = await hook.answer(request)
    env.meters.count('lockstep_webhook_requests_total', { code: String(status) })
    return {
      status,
      headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
      body: text === '' ? '' : `${text}\n`,
    }
  }
}

class WebhookServer {
  private readonly env: Pick<Env, 'clock' | 'log'>
  private readonly options: WebhookServerOptions
  private readonly callers = new RequestLimit({ most: PER_CALLER, withinMs: WINDOW_MS })
  private readonly pipelines = new RequestLimit({ most: PER_PIPELINE, withinMs: WINDOW_MS })
  private readonly seen = new SeenRequests()

  constructor(env: Pick<Env, 'clock' | 'log'>, options: WebhookServerOptions) {
    this.env = env
    this.options = options
  }

  async answer(request: ServerRequest): Promise<WebhookResponse> {
    const { headers } = request
    const caller = callerOf(request.peer, headers['x-forwarded-for'], this.options.trusted)
    const waitMs = this.callers.take(caller, this.env.clock.steady())
    if (waitMs > 0) return tooMany(waitMs)
    const route = routeOf(request.method, request.url)
    if ('status' in route) return route
    const desk = this.options.desk()
    // Senders come again: one of their tries finds who leads.
    if (!desk)
      return {
        status: 503,
        text: 'another process leads, or this one begins',
        headers: { 'retry-after': '1' },
      }
    if (!isJson(headers['content-type'])) return { status: 415, text: 'Content-Type: application/json' }
    const body = await request.body(MOST_BODY)
    if (!body.ok)
      return body.error === 'too-large'
        ? { status: 413, text: `at most ${MOST_BODY} bytes` }
        : { status: 400, text: 'the body ended too early' }
    const pipeline = await desk.find(route)
    const signed = {
      signature: headers['x-signature'],
      time: headers['x-lockstep-time'],
      body: body.value,
      path: pathOf(request.url),
    }
    if (!isSigned(signed, pipeline?.keys ?? []) || !pipeline) return UNAUTHORIZED
    return this.signed(desk, pipeline, route, signed)
  }

  /** Of somebody who has a key. */
  private signed(
    desk: WebhookReceiver,
    { key, subject }: WebhookPipeline,
    ref: WebhookRef,
    {
      body,
      path,
      time,
    }: { readonly body: Uint8Array; readonly path: string; readonly time: string | undefined },
  ): WebhookResponse {
    const waitMs = this.pipelines.take(key, this.env.clock.steady())
    if (waitMs > 0) return tooMany(waitMs)
    const { namespace, pipeline, environment } = ref
    if (!subject)
      return { status: 404, text: `Pipeline ${namespace}/${pipeline} has no environment ${environment}` }
    const event = readEvent(body)
    if (!event.ok) return { status: 400, text: event.error }
    const nowMs = desk.nowMs()
    const problem =
      eventProblem(event.value, subject, nowMs) ??
      (time === undefined ? undefined : timeProblem('x-lockstep-time', Number(time) * 1000, nowMs))
    if (problem !== undefined) return { status: 422, text: problem }
    if (!this.seen.isNew(`${path} ${sha256Hex(body)}`, this.env.clock.steady()))
      return { status: 202, text: 'the same was here within 10 minutes: nothing is done again' }
    this.env.log.debug('event taken', { namespace, pipeline, environment, reason: event.value.reason })
    desk.news(ref, heardRevision(event.value, subject))
    return { status: 202, text: '' }
  }
}

const tooMany = (waitMs: number): WebhookResponse => ({
  status: 429,
  text: 'too many requests',
  headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
})
