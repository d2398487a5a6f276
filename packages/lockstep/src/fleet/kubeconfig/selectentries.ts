/** The entries of a kubeconfig that a command line chooses, with its flags laid over them as kubectl does. */
import { ok, type Result } from '@lockstep/kube/env'
import { isString, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import { type KubeconfigFailure, kubeconfigFailure } from './kubeconfigfailure.ts'
import type { KubeconfigSelection } from './kubeconfigselection.ts'
import type { KubeconfigEntry, MergedKubeconfig } from './mergekubeconfigs.ts'

export interface SelectedEntries {
  readonly context: KubeconfigEntry
  readonly cluster: KubeconfigEntry
  readonly user: KubeconfigEntry
}

const entryOf = (kind: string): KubeconfigEntry => ({ name: '', value: {}, field: kind, path: undefined })

export function selectEntries(
  config: MergedKubeconfig,
  s: KubeconfigSelection,
): Result<SelectedEntries, KubeconfigFailure> {
  const name = s.context ?? config.currentContext
  const context = name === undefined ? entryOf('context') : config.contexts.get(name)
  if (!context) {
    const names = [...config.contexts.keys()].join(', ')
    return kubeconfigFailure(
      undefined,
      'contexts',
      `has no context "${name}"${names && `; there are: ${names}`}`,
    )
  }
  const cluster = chosen(config.clusters, 'cluster', s.cluster, context)
  if (!cluster.ok) return cluster
  const user = chosen(config.users, 'user', s.user, context)
  if (!user.ok) return user
  if (name === undefined && s.cluster === undefined && s.server === undefined)
    return kubeconfigFailure(undefined, 'current-context', 'is missing')
  return ok({
    context,
    cluster: { ...cluster.value, value: clusterWith(cluster.value.value, s) },
    user: { ...user.value, value: userWith(user.value.value, s) },
  })
}

function chosen(
  entries: MergedKubeconfig['clusters'],
  kind: 'cluster' | 'user',
  flag: string | undefined,
  context: KubeconfigEntry,
): Result<KubeconfigEntry, KubeconfigFailure> {
  const named = context.value[kind]
  const name = flag ?? (isString(named) ? named : '')
  const found = entries.get(name)
  if (found) return ok(found)
  if (flag === undefined && name === '') return ok(entryOf(kind))
  return flag === undefined
    ? kubeconfigFailure(context.path, `${context.field}.${kind}`, `"${name}" is not among ${kind}s`)
    : kubeconfigFailure(undefined, `${kind}s`, `has no ${kind} "${name}" (--${kind})`)
}

/** Another server is not checked by the name of the first one; another CA replaces data. */
function clusterWith(cluster: JsonObject, s: KubeconfigSelection): JsonObject {
  const { server, tlsServerName, certificateAuthority: ca, insecureSkipTlsVerify: insecure } = s
  return {
    ...cluster,
    ...(server === undefined ? {} : { server, 'tls-server-name': undefined }),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(ca === undefined && !insecure
      ? {}
      : {
          'certificate-authority': ca,
          'certificate-authority-data': undefined,
          'insecure-skip-tls-verify': insecure,
        }),
  }
}

/** A token replaces every other credential but a certificate; a user to act as replaces its groups, too. */
function userWith(user: JsonObject, s: KubeconfigSelection): JsonObject {
  const { token, clientCertificate: cert, clientKey: key, as, asUid, asGroups } = s
  const isImpersonation = as !== undefined || asUid !== undefined || asGroups !== undefined
  const none = (...names: readonly string[]): Record<string, JsonValue | undefined> =>
    Object.fromEntries(names.map((name) => [name, undefined]))
  return {
    ...user,
    ...(token === undefined
      ? {}
      : { ...none('tokenFile', 'username', 'password', 'exec', 'auth-provider'), token }),
    ...(cert === undefined ? {} : { 'client-certificate': cert, 'client-certificate-data': undefined }),
    ...(key === undefined ? {} : { 'client-key': key, 'client-key-data': undefined }),
    ...(isImpersonation
      ? { ...none('as-user-extra'), as, 'as-uid': asUid, 'as-groups': asGroups && [...asGroups] }
      : {}),
  }
}
