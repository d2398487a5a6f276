/** From a kubeconfig to the server and credential of one context: pure. */
import { dirname, isAbsolute, join } from 'node:path'
import { type Endpoint, type ImpersonatedUser, ok, type Result, type TlsOptions } from '@lockstep/kube/env'
import { at, bytesToBase64, isObject, isString } from '@lockstep/kube/object'
import type { CredentialFiles, DirectSource } from '../credentials/credentialsource.ts'
import { type AllowedProxies, proxyUrl } from './clusterproxy.ts'
import { execProgramOf, texts } from './execprogramof.ts'
import { type KubeconfigFailure, kubeconfigFailure } from './kubeconfigfailure.ts'
import type { KubeconfigSelection, KubeconfigTrust } from './kubeconfigselection.ts'
import { type KubeconfigEntry, type MergedKubeconfig, mergeKubeconfigs } from './mergekubeconfigs.ts'
import { isSet, refusedField, unknownMember } from './refusedfield.ts'
import { type SelectedEntries, selectEntries } from './selectentries.ts'
import { pem, serverUrl } from './serverurl.ts'

export interface KubeconfigTarget {
  readonly source: DirectSource
  /** Empty: flags alone name the server. */
  readonly context: string
  /** The context's namespace. */
  readonly namespace: string | undefined
}

/** The target of one text (default: of its current context). */
export function parseKubeconfig(
  text: string,
  trust: KubeconfigTrust,
  context?: string,
): Result<KubeconfigTarget, KubeconfigFailure> {
  return parseText(text, { trust, ...(context === undefined ? {} : { context }) })
}

/** The target of the kubeconfig in an object on the hub. */
export const parseClusterKubeconfig = (
  text: string,
  proxies: AllowedProxies,
): Result<KubeconfigTarget, KubeconfigFailure> => parseText(text, { trust: 'Secret', proxies })

function parseText(
  text: string,
  selection: KubeconfigSelection,
): Result<KubeconfigTarget, KubeconfigFailure> {
  const config = mergeKubeconfigs([{ text }])
  return config.ok ? kubeconfigTarget(config.value, selection) : config
}

export function kubeconfigTarget(
  config: MergedKubeconfig,
  selection: KubeconfigSelection,
): Result<KubeconfigTarget, KubeconfigFailure> {
  const { trust } = selection
  const unknown = unknownMember(trust, config)
  if (unknown !== undefined) return kubeconfigFailure(undefined, unknown, 'unknown field')
  const entries = selectEntries(config, selection)
  if (!entries.ok) return entries
  for (const kind of ['context', 'cluster', 'user'] as const) {
    const entry = entries.value[kind]
    const refused = refusedField(trust, kind, entry.value)
    if (refused) return kubeconfigFailure(entry.path, `${entry.field}.${refused.name}`, refused.why)
  }
  const source = sourceOf(entries.value, selection)
  if (!source.ok) return source
  const { context } = entries.value
  return ok({ source: source.value, context: context.name, namespace: textOf(context, 'namespace') })
}

function sourceOf(
  e: SelectedEntries,
  selection: KubeconfigSelection,
): Result<DirectSource, KubeconfigFailure> {
  const { cluster, user } = e
  const given = givenCredential(user)
  if (!given.ok) return given
  const { headers, tls, files } = given.value
  const hasExec = user.value.exec !== undefined && user.value.exec !== null
  const hasCredential =
    headers !== undefined || hasExec || Object.keys(files).length > 0 || tls.cert !== undefined
  const server = serverOf(cluster, selection, hasCredential)
  if (!server.ok) return server
  const impersonate = impersonationOf(user)
  if (!impersonate.ok) return impersonate
  const allTls = { ...server.value.tls, ...tls }
  const endpoint: Endpoint = {
    url: server.value.url,
    ...(Object.keys(allTls).length > 0 ? { tls: allTls } : {}),
    ...(headers ? { headers } : {}),
    ...(impersonate.value ? { impersonate: impersonate.value } : {}),
    ...(server.value.proxy === undefined ? {} : { proxy: server.value.proxy }),
  }
  const paths = { ...server.value.files, ...files }
  // As client-go: a program runs only where nothing else identifies the user.
  const isIdentified = headers !== undefined || tls.cert !== undefined || Object.keys(files).length > 0
  if (hasExec && !isIdentified) {
    const program = execProgramOf(e)
    return program.ok ? ok({ type: 'Exec', endpoint, files: paths, program: program.value }) : program
  }
  return ok(
    Object.keys(paths).length > 0 ? { type: 'Files', endpoint, files: paths } : { type: 'Static', endpoint },
  )
}

interface KubeconfigServer {
  readonly url: string
  readonly tls: TlsOptions
  readonly files: CredentialFiles
  readonly proxy?: string
}

function serverOf(
  cluster: KubeconfigEntry,
  { trust, proxies = [] }: KubeconfigSelection,
  hasCredential: boolean,
): Result<KubeconfigServer, KubeconfigFailure> {
  const fail = (key: string, message: string) =>
    kubeconfigFailure(cluster.path, `${cluster.field}.${key}`, message)
  const url = serverUrl(cluster.value.server, trust, hasCredential)
  if (!url.ok) return fail('server', url.error)
  const given = cluster.value['proxy-url']
  const proxy = isSet(given) ? proxyUrl(given, trust === 'Secret' ? proxies : undefined) : undefined
  if (proxy && !proxy.ok) return fail('proxy-url', proxy.error)
  const ca = pem(cluster.value['certificate-authority-data'])
  const caFile = pathOf(cluster, 'certificate-authority')
  const serverName = textOf(cluster, 'tls-server-name')
  return ok({
    url: url.value,
    ...(proxy ? { proxy: proxy.value } : {}),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(serverName === undefined ? {} : { serverName }),
      ...(cluster.value['insecure-skip-tls-verify'] === true ? { insecure: true } : {}),
    },
    files: ca === undefined && caFile !== undefined ? { ca: caFile } : {},
  })
}

interface GivenCredential {
  readonly headers?: Readonly<Record<string, string>>
  readonly tls: TlsOptions
  readonly files: CredentialFiles
}

/** Token and certificate; a server gets both. */
function givenCredential(user: KubeconfigEntry): Result<GivenCredential, KubeconfigFailure> {
  const [token, tokenFile, username] = [
    textOf(user, 'token'),
    pathOf(user, 'tokenFile'),
    textOf(user, 'username'),
  ]
  if (token !== undefined && username !== undefined)
    return kubeconfigFailure(user.path, user.field, 'token and username exclude each other')
  const basic = username === undefined ? undefined : `${username}:${textOf(user, 'password') ?? ''}`
  const authorization =
    token !== undefined
      ? `Bearer ${token}`
      : basic && `Basic ${bytesToBase64(new TextEncoder().encode(basic))}`
  const [cert, key] = [pem(user.value['client-certificate-data']), pem(user.value['client-key-data'])]
  const certFile = cert === undefined ? pathOf(user, 'client-certificate') : undefined
  const keyFile = key === undefined ? pathOf(user, 'client-key') : undefined
  if ((cert ?? certFile) === undefined ? (key ?? keyFile) !== undefined : (key ?? keyFile) === undefined)
    return kubeconfigFailure(user.path, user.field, 'client-certificate and client-key come together')
  return ok({
    ...(authorization === undefined ? {} : { headers: { authorization } }),
    tls: { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) },
    files: {
      ...(tokenFile === undefined ? {} : { token: tokenFile }),
      ...(certFile === undefined ? {} : { cert: certFile }),
      ...(keyFile === undefined ? {} : { key: keyFile }),
    },
  })
}

function impersonationOf(user: KubeconfigEntry): Result<ImpersonatedUser | undefined, KubeconfigFailure> {
  const as = textOf(user, 'as')
  const uid = textOf(user, 'as-uid')
  const groups = texts(user.value['as-groups'])
  const extra = user.value['as-user-extra']
  const pairs = isObject(extra) ? Object.entries(extra).map(([k, v]) => [k, texts(v)] as const) : []
  if (as === undefined)
    return uid === undefined && groups.length === 0 && pairs.length === 0
      ? ok(undefined)
      : kubeconfigFailure(user.path, user.field, 'as-uid, as-groups and as-user-extra need as')
  return ok({
    user: as,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length > 0 ? { groups } : {}),
    ...(pairs.length > 0 ? { extra: Object.fromEntries(pairs) } : {}),
  })
}

function textOf({ value }: KubeconfigEntry, key: string): string | undefined {
  const text = at(value, key)
  return isString(text) && text !== '' ? text : undefined
}

/** Paths are relative to the file that has them. */
function pathOf(entry: KubeconfigEntry, key: string): string | undefined {
  const path = textOf(entry, key)
  if (path === undefined || isAbsolute(path) || entry.path === undefined) return path
  return join(dirname(entry.path), path)
}
