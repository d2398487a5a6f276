/** The same requests to an embedded and to a real API server, and what differs in their answers. */
import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { connectInProcess } from '../../packages/kube/src/env/inprocess.ts'
import type { Connection } from '../../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import {
  at,
  encodeJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
} from '../../packages/kube/src/object/index.ts'
import { quiet } from '../kube/subjects.ts'
import { realCluster } from './realsubject.ts'

export interface TwinRequest {
  readonly method: string
  readonly path: string
  readonly body?: JsonValue
  readonly type?: string
  /** The administrator unless said otherwise. */
  readonly by?: 'plain' | 'nobody'
  readonly headers?: Readonly<Record<string, string>>
}

export interface TwinAnswer {
  readonly status: number
  readonly body: JsonValue
  readonly warning?: string
}

export interface Twin {
  readonly embedded: Connection
  readonly real: Connection
  close(): Promise<void>
}

export function openTwin(): Twin {
  const env = createNodeEnv(quiet)
  const { url, ca, token, plainToken } = realCluster('bare')
  const tokens = new Map([
    [token, { name: 'admin', groups: ['system:masters'] }],
    [plainToken, { name: 'plain', groups: ['people'] }],
  ])
  const api = createApiServer(env, { name: 'twin', access: { tokens, anonymous: 'nobody' } })
  const [embedded, real] = [connectInProcess(api.handle), env.net.connect({ url, tls: { ca } }, 'operator')]
  return {
    embedded,
    real,
    close: async () => {
      await embedded.close()
      await real.close()
    },
  }
}

/** Both servers know the same tokens. */
export async function send(connection: Connection, r: TwinRequest): Promise<TwinAnswer> {
  const { token, plainToken } = realCluster('bare')
  const authorization = `Bearer ${r.by === 'plain' ? plainToken : token}`
  const answer = await connection.request({
    method: r.method,
    path: r.path,
    headers: {
      'content-type': r.type ?? 'application/json',
      accept: 'application/json',
      ...(r.by === 'nobody' ? {} : { authorization }),
      ...r.headers,
    },
    ...(r.body === undefined ? {} : { body: encodeJson(r.body) }),
  })
  if (!answer.ok) throw new Error(answer.error.detail)
  const text = await answer.value.text()
  if (!text.ok) throw new Error(text.error.detail)
  const isJson = answer.value.headers['content-type']?.startsWith('application/json')
  return {
    status: answer.value.status,
    body: isJson ? (JSON.parse(text.value) as JsonValue) : text.value,
    warning: answer.value.headers.warning,
  }
}

/** What no two servers have in common: identities, times, versions, addresses that were allocated. */
export function comparable(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(comparable)
  if (!isObject(value)) return value
  const out: { [key: string]: JsonValue } = {}
  for (const [key, v] of Object.entries(value)) {
    if (v === undefined || OWN.has(key)) continue
    out[key] = key === 'managedFields' ? sortedManagers(v) : comparable(v)
  }
  return out
}

const OWN = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'clusterIP', 'clusterIPs'])

/** Equal times are in the order of seconds that passed between two writes. */
function sortedManagers(value: JsonValue): JsonValue {
  if (!isArray(value)) return value
  const key = (m: JsonValue): string =>
    `${String(at(m, 'operation'))} ${String(at(m, 'manager'))} ${String(at(m, 'subresource'))}`
  return [...value].map(comparable).sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** A refusal as its reason and the fields that it names, in no order. */
export function refusal({ status, body }: TwinAnswer): JsonValue {
  if (status < 400) return 'accepted'
  const causes = at(body, 'details', 'causes')
  const fields = isArray(causes) ? [...new Set(causes.map((c) => String(at(c, 'field'))))].sort() : []
  const out: JsonObject = { status, reason: at(body, 'reason') ?? '', fields }
  return out
}

/**
 * Newer servers show values where older ones show the type, leave out those that are large, print rules as JSON, and do not
 * repeat the name of the field. This is what both say.
 */
export const words = (message: string): string =>
  message
    .replace(/apiextensions\.ValidationRule\{.*?\(\*bool\)\([0-9a-z]+\)\}: /s, '')
    .replace(/\{"Rule":.*?"OptionalOldSelf":\w+\}: /s, '')
    .replace(
      /(Invalid|Duplicate) value: (?:"(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null)(?:: (?!\S+ in body )|$)/g,
      '$1 value: ',
    )
    .replace(/(Invalid|Duplicate) value: $/, '$1 value')
    .replace(/authorization\.NonResourceAttributes\{Path:(".*?"), Verb:(".*?")\}/, '{"Path":$1,"Verb":$2}')
    .replace(/\[\][\w.]+\{(.*?)\}/, (_, list: string) => `[${list.replaceAll('", "', '","')}]`)
    .replaceAll("',  or '", "' or '")
    .replace(/: (message|fieldPath) (must)/, ': $2')
    .trim()

/** Reason, field and words of each cause, sorted. */
export function causesOf({ body }: TwinAnswer): string[] {
  const causes = at(body, 'details', 'causes')
  return (isArray(causes) ? causes : [])
    .map((c) => `${at(c, 'reason')} ${at(c, 'field')}: ${words(String(at(c, 'message')))}`)
    .sort()
}

/** The first places at which two values differ. */
export function differences(a: JsonValue | undefined, b: JsonValue | undefined, path = ''): string[] {
  if (a === b) return []
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    return keys.flatMap((k) => differences(a[k], b[k], `${path}.${k}`))
  }
  if (isArray(a) && isArray(b) && a.length === b.length)
    return a.flatMap((v, i) => differences(v, b[i], `${path}[${i}]`))
  if (a !== undefined && b !== undefined && jsonEqual(a, b)) return []
  return [`${path || '.'}: embedded ${short(a)}, real ${short(b)}`]
}

const short = (v: JsonValue | undefined): string =>
  v === undefined ? 'absent' : JSON.stringify(v).slice(0, 300)
