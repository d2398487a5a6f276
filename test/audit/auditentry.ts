/** One request to the hub, as an audit log has it. */
import { type Attributes, attributesOf } from '../../packages/apiserver/src/auth/attributes.ts'
import type { Handler } from '../../packages/kube/src/env/net.ts'

export interface AuditEntry {
  /** User agent. */
  readonly agent: string
  /** User as whom it was sent; undefined: with the rights of the sender. */
  readonly impersonated: string | undefined
  readonly verb: string
  readonly group: string
  /** `modules`, `modules/status`. */
  readonly resource: string
  /** Empty: of the whole hub. */
  readonly namespace: string
  /** Empty: all, or not known yet. */
  readonly name: string
  /** Undefined: not known. */
  readonly code: number | undefined
}

export interface AuditedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly code: number | undefined
}

/** Undefined: it is about no resource. */
export function auditEntry({ method, url, headers, code }: AuditedRequest): AuditEntry | undefined {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const asked: Attributes = attributesOf(method, path, new URLSearchParams(mark < 0 ? '' : url.slice(mark)))
  if (!('resource' in asked)) return undefined
  const { verb, group, resource, subresource, namespace, name } = asked
  return {
    agent: headers['user-agent'] ?? '',
    impersonated: headers['impersonate-user'],
    verb,
    group,
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    code,
  }
}

/** Tells of each answered request. */
export const auditedHandler =
  (handler: Handler, tell: (entry: AuditEntry) => void): Handler =>
  async (request) => {
    const answer = await handler(request)
    const entry = auditEntry({
      method: request.method,
      url: request.url,
      headers: request.headers,
      code: answer.status,
    })
    if (entry) tell(entry)
    return answer
  }
