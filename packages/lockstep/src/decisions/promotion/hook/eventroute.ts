/** What a request to the endpoint of events is about, by its method and its path alone. */

export interface EventRoute {
  readonly namespace: string
  readonly pipeline: string
  readonly environment: string
}

/** What whoever asks is told. */
export interface WebhookResponse {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Names of Kubernetes; nothing of them has to be escaped. */
const NAME = '[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?'
const EVENT = new RegExp(`^/promotion/(${NAME})/(${NAME})/(${NAME})$`)

/** Approvals by a request, as weaveworks' pipeline-controller takes them: whoever saw one could send it for ever. */
const APPROVAL = /^\/approval(?:\/|$)/

export function routeOf(method: string, url: string): EventRoute | WebhookResponse {
  const path = pathOf(url)
  if (APPROVAL.test(path))
    return { status: 410, text: 'create an Approval, as lockstep rollout approve does' }
  const found = EVENT.exec(path)
  if (!found) return { status: 404, text: 'there is POST /promotion/<namespace>/<pipeline>/<environment>' }
  if (method !== 'POST') return { status: 405, text: 'only POST', headers: { allow: 'POST' } }
  const [, namespace = '', pipeline = '', environment = ''] = found
  return { namespace, pipeline, environment }
}

/** Without its query, which nobody reads. */
export const pathOf = (url: string): string => url.replace(/[?#].*$/, '')

/** `application/json`, with parameters or without; also `application/cloudevents+json`. */
export const isJson = (contentType: string | undefined): boolean =>
  /^application\/([-\w.]+\+)?json\s*(;|$)/i.test(contentType ?? '')
