/** Kubeconfigs of cluster Secrets, with a token in them: pure. */
import { ok, type Result } from '@lockstep/kube/env'
import {
  at,
  bytesToBase64,
  encodeYaml,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseYamlStream,
} from '@lockstep/kube/object'
import { type KubeconfigFailure, kubeconfigFailure } from './kubeconfigfailure.ts'
import { mergeKubeconfigs } from './mergekubeconfigs.ts'
import { selectEntries } from './selectentries.ts'

export interface TokenKubeconfig {
  /** Name of its cluster, user and context. */
  readonly name: string
  readonly server: string
  /** PEM; absent: the roots of the system. */
  readonly ca?: string | undefined
  readonly tlsServerName?: string | undefined
  readonly token: string
}

export function tokenKubeconfig({ name, server, ca, tlsServerName, token }: TokenKubeconfig): string {
  const authority = ca === undefined ? undefined : bytesToBase64(new TextEncoder().encode(ca))
  const cluster = {
    server,
    ...(authority === undefined ? {} : { 'certificate-authority-data': authority }),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
  }
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}

/** The same text with another token for the user of its current context; all else stays. */
export function withToken(text: string, token: string): Result<string, KubeconfigFailure> {
  const merged = mergeKubeconfigs([{ text }])
  if (!merged.ok) return merged
  const entries = selectEntries(merged.value, { trust: 'Secret' })
  if (!entries.ok) return entries
  const { name } = entries.value.user
  const [before] = parseYamlStream(text)
  const users = at(before, 'users')
  if (!isObject(before) || !isArray(users)) return kubeconfigFailure(undefined, 'users', 'is not a list')
  const after = { ...before, users: users.map((u) => (at(u, 'name') === name ? renewed(u, token) : u)) }
  return ok(encodeYaml(after))
}

function renewed(entry: JsonValue, token: string): JsonValue {
  const user = at(entry, 'user')
  return { ...(entry as JsonObject), user: { ...(isObject(user) ? user : {}), token } }
}
