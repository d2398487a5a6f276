import type { Handler, ServerRequest } from '@lockstep/kube/env'
import { failureAnswer } from '../render/jsonanswer.ts'
import type { ApiFailure } from '../status/apifailure.ts'

/**
 * In front of a server that is for programs of this machine. A web page in a browser of this machine reaches it, too: pages that
 * are asked by another name (DNS rebinding), from another origin, or with a body that a form may send are refused unread.
 */
export function localGuard(handler: Handler): Handler {
  return async (request) => {
    const refusal = refusalOf(request)
    return refusal ? failureAnswer(refusal) : handler(request)
  }
}

/** Names of this machine; the port may be another one where connections are forwarded. */
const LOCAL = /^(127\.0\.0\.1|localhost)(:\d+)?$/i

/** Media types that the API reads: JSON, YAML, protobuf, and patches in one of these. */
const READABLE = /^application\/(json|yaml|vnd\.kubernetes\.protobuf|[a-z-]+\+(json|yaml))$/

function refusalOf({ headers }: ServerRequest): ApiFailure | undefined {
  const { host = '', origin } = headers
  if (!LOCAL.test(host))
    return {
      code: 421,
      reason: 'BadRequest',
      message: `this server is not ${JSON.stringify(host)}: ask for 127.0.0.1`,
    }
  if (origin !== undefined || headers['sec-fetch-site'] === 'cross-site')
    return { code: 403, reason: 'Forbidden', message: 'requests of web pages are refused' }
  if (!hasBody(headers)) return undefined
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (READABLE.test(type)) return undefined
  return {
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `content type ${JSON.stringify(type)} is not read: send application/json, application/yaml or application/vnd.kubernetes.protobuf`,
  }
}

const hasBody = (headers: ServerRequest['headers']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
