/** kubeconfig texts: from Secrets of clusters, and from files of people. */
import { type Endpoint, err, ok, type Result, type TlsOptions } from '@lockstep/kube/env'
import {
  at,
  base64ToBytes,
  bytesToBase64,
  isArray,
  isString,
  type JsonValue,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'

export interface KubeconfigFailure {
  /** Where: `users[0].exec`; empty for the text as a whole. */
  readonly field: string
  readonly message: string
}

/** Whose kubeconfig it is: a Secret's must not make us run programs or read files of this machine. */
export type KubeconfigTrust = 'Secret' | 'File'

export interface KubeconfigTarget {
  readonly endpoint: Endpoint
  readonly context: string
  /** The context's namespace. */
  readonly namespace: string | undefined
}

const fail = (field: string, message: string) => err<KubeconfigFailure>({ field, message })

/** The server and credential of one context (default: `current-context`). */
export function parseKubeconfig(
  text: string,
  trust: KubeconfigTrust,
  contextName?: string,
): Result<KubeconfigTarget, KubeconfigFailure> {
  const parsed = parseText(text)
  if (!parsed.ok) return parsed
  const config = parsed.value
  const name = contextName ?? at(config, 'current-context')
  if (!isString(name) || name === '') return fail('current-context', 'is missing')
  const context = entry(config, 'contexts', name)
  if (!context) return fail('contexts', `has no context "${name}"${known(config)}`)
  const clusterName = at(context.value, 'context', 'cluster')
  const cluster = isString(clusterName) ? entry(config, 'clusters', clusterName) : undefined
  if (!cluster)
    return fail(`${context.field}.context.cluster`, `"${String(clusterName ?? '')}" is not among clusters`)
  const userName = at(context.value, 'context', 'user')
  const user = isString(userName) ? entry(config, 'users', userName) : undefined
  if (isString(userName) && userName !== '' && !user)
    return fail(`${context.field}.context.user`, `"${userName}" is not among users`)
  const server = serverOf(cluster, trust)
  if (!server.ok) return server
  const credential = user ? credentialOf(user, trust) : ok<UserCredential>({})
  if (!credential.ok) return credential
  const tls: TlsOptions = { ...server.value.tls, ...credential.value.tls }
  const namespace = at(context.value, 'context', 'namespace')
  return ok({
    context: name,
    namespace: isString(namespace) && namespace !== '' ? namespace : undefined,
    endpoint: {
      url: server.value.url,
      ...(Object.keys(tls).length > 0 ? { tls } : {}),
      ...(credential.value.headers ? { headers: credential.value.headers } : {}),
    },
  })
}

function parseText(text: string): Result<JsonValue, KubeconfigFailure> {
  try {
    const docs = parseYamlStream(text)
    return docs[0] === undefined ? fail('', 'is empty') : ok(docs[0])
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return fail('', `line ${e.line}: ${e.message}`)
  }
}

interface NamedEntry {
  readonly value: JsonValue
  readonly field: string
}

function entry(config: JsonValue, list: string, name: string): NamedEntry | undefined {
  const all = at(config, list)
  if (!isArray(all)) return undefined
  const index = all.findIndex((e) => at(e, 'name') === name)
  return index < 0 ? undefined : { value: all[index]!, field: `${list}[${index}]` }
}

function known(config: JsonValue): string {
  const all = at(config, 'contexts')
  const names = isArray(all) ? all.map((c) => at(c, 'name')).filter(isString) : []
  return names.length > 0 ? `; there are: ${names.join(', ')}` : ''
}

function serverOf(
  cluster: NamedEntry,
  trust: KubeconfigTrust,
): Result<{ url: string; tls: TlsOptions }, KubeconfigFailure> {
  const field = `${cluster.field}.cluster`
  const get = (key: string): JsonValue | undefined => at(cluster.value, 'cluster', key)
  const url = get('server')
  const server = serverUrl(url, trust)
  if (!server.ok) return fail(`${field}.server`, server.error)
  for (const key of ['certificate-authority', 'proxy-url']) {
    if (get(key) !== undefined && trust === 'Secret')
      return fail(`${field}.${key}`, 'is not allowed; give certificate-authority-data')
  }
  if (get('insecure-skip-tls-verify') === true && trust === 'Secret')
    return fail(`${field}.insecure-skip-tls-verify`, 'is not allowed')
  const ca = pem(get('certificate-authority-data'))
  const serverName = get('tls-server-name')
  const tls: TlsOptions = {
    ...(ca === undefined ? {} : { ca }),
    ...(isString(serverName) ? { serverName } : {}),
    ...(get('insecure-skip-tls-verify') === true ? { insecure: true } : {}),
  }
  return ok({ url: server.value, tls })
}

/** The address of a server, if we may send a credential there, or why not. */
export function serverUrl(url: unknown, trust: KubeconfigTrust): Result<string, string> {
  if (!isString(url) || !URL.canParse(url)) return err('is not a URL')
  const { protocol } = new URL(url)
  const isPlain = protocol === 'http:' && trust === 'File'
  return protocol === 'https:' || isPlain ? ok(url) : err(`${url}: only https is allowed`)
}

interface UserCredential {
  readonly tls?: TlsOptions
  readonly headers?: Readonly<Record<string, string>>
}

/** What would run a program, or read a file here, on behalf of whoever wrote the Secret. */
const FORBIDDEN = [
  'exec',
  'auth-provider',
  'tokenFile',
  'client-certificate',
  'client-key',
  'as',
  'as-groups',
  'as-user-extra',
]

function credentialOf(user: NamedEntry, trust: KubeconfigTrust): Result<UserCredential, KubeconfigFailure> {
  const field = `${user.field}.user`
  const get = (key: string): JsonValue | undefined => at(user.value, 'user', key)
  for (const key of FORBIDDEN) {
    if (get(key) === undefined) continue
    if (trust === 'Secret')
      return fail(
        `${user.field}.${key}`,
        'is not allowed in a cluster Secret; give a token or client-certificate-data',
      )
    return fail(`${user.field}.${key}`, 'is not supported; give a token or client-certificate-data')
  }
  const token = get('token')
  if (isString(token) && token !== '') return ok({ headers: { authorization: `Bearer ${token}` } })
  const username = get('username')
  if (isString(username) && username !== '') {
    const pair = new TextEncoder().encode(`${username}:${String(get('password') ?? '')}`)
    return ok({ headers: { authorization: `Basic ${bytesToBase64(pair)}` } })
  }
  const cert = pem(get('client-certificate-data'))
  const key = pem(get('client-key-data'))
  if ((cert === undefined) !== (key === undefined))
    return fail(field, 'client-certificate-data and client-key-data come together')
  return ok(cert !== undefined && key !== undefined ? { tls: { cert, key } } : {})
}

/** PEM text out of base64. */
export function pem(data: JsonValue | undefined): string | undefined {
  return isString(data) && data !== '' ? new TextDecoder().decode(base64ToBytes(data)) : undefined
}
