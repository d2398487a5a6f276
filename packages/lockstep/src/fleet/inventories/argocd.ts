/**
 * Argo CD: a Secret with `name`, `server` and, as JSON, `config` (`operator-manual/declarative-setup.md`, `ClusterConfig` in
 * `pkg/apis/application/v1alpha1/types.go` of argoproj/argo-cd).
 */

import type { Endpoint, TlsOptions } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import {
  at,
  base64ToBytes,
  bytesToBase64,
  isObject,
  isString,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
  type Stored,
  sha256Hex,
} from '@lockstep/kube/object'
import type { ClusterAccess, ClusterView } from '../clusters/cluster.ts'
import { type ExecProviders, providerNames, providerProblem } from '../credentials/provider.ts'
import { pem, serverUrl } from '../kubeconfig/serverurl.ts'
import { inventoryHeadOf } from './inventoryhead.ts'

export const ARGOCD_LABEL = 'argocd.argoproj.io/secret-type'
const SKIP = 'argocd.argoproj.io/skip-reconcile'

/** The cluster in which Argo CD runs: for us that is the hub, which modules name by itself. */
const IN_CLUSTER = 'https://kubernetes.default.svc'

/** Which Secrets of Argo CD count, and the programs that may give credentials for them. */
export interface ArgoTrust {
  readonly providers: ExecProviders
  /** Where Argo CD reads its clusters: a Secret elsewhere is another author's. */
  readonly namespaces: readonly string[]
}

/** Undefined: it is the hub. `trust` undefined: nobody knows it here. */
export function clusterOfArgo(secret: Stored<Secret>, trust: ArgoTrust | undefined): ClusterView | undefined {
  const server = textOf(secret, 'server')
  if (server?.replace(/\/$/, '') === IN_CLUSTER) return undefined
  const head = inventoryHeadOf('ArgoCD', secret)
  const namespaces = textOf(secret, 'namespaces')
    ?.split(',')
    .map((n) => n.trim())
  const named = namespaces?.filter((n) => n !== '')
  return {
    ...head,
    paused: head.annotations[SKIP] === 'true' ? `annotation ${SKIP}` : head.paused,
    ...(named && named.length > 0
      ? { namespaces: named, clusterResources: textOf(secret, 'clusterResources') === 'true' }
      : {}),
    access: accessOf(secret, server, trust),
  }
}

function textOf(secret: Secret, key: string): string | undefined {
  const data = secret.data?.[key]
  return data === undefined ? undefined : new TextDecoder().decode(base64ToBytes(data))
}

function accessOf(
  secret: Stored<Secret>,
  server: string | undefined,
  trust: ArgoTrust | undefined,
): ClusterAccess {
  const where = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`
  const refused = (problem: string): ClusterAccess => ({ type: 'Refused', message: `${where}: ${problem}` })
  const namespace = secret.metadata.namespace ?? ''
  if (trust && !trust.namespaces.includes(namespace))
    return refused(`Argo CD's clusters are read in namespaces ${trust.namespaces.join(', ')} only`)
  if (server === undefined || server === '') return { type: 'Missing', message: `${where} has no key server` }
  const text = textOf(secret, 'config')
  if (text === undefined || text === '') return { type: 'Missing', message: `${where} has no key config` }
  const config = parsed(text)
  if (!config) return refused('config: is not a JSON object')
  const url = serverUrl(server, 'Secret')
  if (!url.ok) return refused(`server: ${url.error}`)
  const problem = forbiddenIn(config)
  if (problem !== undefined) return refused(problem)
  const tls = tlsOf(config)
  if (isString(tls)) return refused(tls)
  const endpoint: Endpoint = { url: url.value, ...(Object.keys(tls).length > 0 ? { tls } : {}) }
  const version = sha256Hex(`${server}\n${text}`).slice(0, 16)
  const asked = programOf(config)
  if (!asked) {
    const source = { type: 'Static', endpoint: { ...endpoint, ...headersOf(config) } } as const
    return { type: 'Source', source, version }
  }
  if (!trust) return { type: 'Unread', message: `${where}, by a program beside the controller` }
  const provider = trust.providers.list.find((p) => p.name === asked.name)
  if (!provider)
    return refused(
      `config.${asked.field}: is not allowed without a provider ${asked.name}, and there is none in ${providerNames(trust.providers)}`,
    )
  const notFor = providerProblem(provider, namespace, url.value)
  if (notFor !== undefined) return refused(notFor)
  const program = { ...provider.program, config: asked.config }
  return { type: 'Source', source: { type: 'Exec', endpoint, files: {}, program }, version }
}

/** What is wrong with it is not quoted: a token may be among it. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch (e) {
    if (!(e instanceof JsonSyntaxError)) throw e
    return undefined
  }
}

function forbiddenIn(config: JsonObject): string | undefined {
  if (at(config, 'tlsClientConfig', 'insecure') === true)
    return 'config.tlsClientConfig.insecure: is not allowed; give caData'
  const proxy = config.proxyUrl
  return proxy !== undefined && proxy !== '' ? 'config.proxyUrl: is not allowed' : undefined
}

/** Whose program is asked for: ours of that name is run, never what the Secret says. */
function programOf(
  config: JsonObject,
): { readonly name: string; readonly field: string; readonly config: JsonObject } | undefined {
  const { awsAuthConfig, execProviderConfig } = config
  if (isObject(awsAuthConfig)) return { name: 'aws', field: 'awsAuthConfig', config: awsAuthConfig }
  if (!isObject(execProviderConfig)) return undefined
  const command = at(execProviderConfig, 'command')
  const name = isString(command) ? command.slice(command.lastIndexOf('/') + 1) : ''
  return { name, field: 'execProviderConfig', config: execProviderConfig }
}

/** Or what is wrong with it. */
function tlsOf(config: JsonObject): TlsOptions | string {
  const get = (key: string) => at(config, 'tlsClientConfig', key)
  const [ca, cert, key] = [pem(get('caData')), pem(get('certData')), pem(get('keyData'))]
  const serverName = get('serverName')
  if ((cert === undefined) !== (key === undefined))
    return 'config.tlsClientConfig: certData and keyData come together'
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert !== undefined && key !== undefined ? { cert, key } : {}),
    ...(isString(serverName) && serverName !== '' ? { serverName } : {}),
  }
}

function headersOf(config: JsonObject): Pick<Endpoint, 'headers'> {
  const { bearerToken, username, password } = config
  if (isString(bearerToken) && bearerToken !== '')
    return { headers: { authorization: `Bearer ${bearerToken}` } }
  if (!isString(username) || username === '') return {}
  const pair = new TextEncoder().encode(`${username}:${isString(password) ? password : ''}`)
  return { headers: { authorization: `Basic ${bytesToBase64(pair)}` } }
}
