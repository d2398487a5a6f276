/** Fields of a kubeconfig, and who may set them. */
import type { JsonObject, JsonValue } from '@lockstep/kube/object'
import { isArray, isObject } from '@lockstep/kube/object'
import type { KubeconfigTrust } from './kubeconfigselection.ts'
import type { MergedKubeconfig } from './mergekubeconfigs.ts'

/** Why a field is refused, by the owner of the kubeconfig; absent: it is allowed. */
type FieldRule = Partial<Readonly<Record<KubeconfigTrust, string>>>
type FieldRules = Readonly<Record<string, FieldRule>>

const ALL: FieldRule = {}
const inSecret = (instead: string): FieldRule => ({
  Secret: `is not allowed in a cluster Secret; use ${instead}`,
})
const TOKEN = 'token or a credential provider'
const ACCOUNT = 'spec.serviceAccountName of the Module'
const NO_AUTH_PROVIDER = 'is not supported; use exec (for OIDC: kubectl oidc-login)'

const CONFIG_RULES: FieldRules = {
  apiVersion: ALL,
  kind: ALL,
  preferences: ALL,
  extensions: ALL,
}
const CONTEXT_RULES: FieldRules = { cluster: ALL, user: ALL, namespace: ALL, extensions: ALL }
const CLUSTER_RULES: FieldRules = {
  server: ALL,
  'tls-server-name': ALL,
  'certificate-authority-data': ALL,
  'certificate-authority': inSecret('certificate-authority-data'),
  'insecure-skip-tls-verify': {
    ...inSecret('certificate-authority-data'),
    Controller: 'is not allowed for the controller; use certificate-authority-data',
  },
  // Its host is checked (`clusterproxy.ts`).
  'proxy-url': ALL,
  'disable-compression': ALL,
  extensions: ALL,
}
const USER_RULES: FieldRules = {
  token: ALL,
  tokenFile: inSecret(TOKEN),
  username: ALL,
  password: ALL,
  'client-certificate-data': ALL,
  'client-key-data': ALL,
  'client-certificate': inSecret('client-certificate-data'),
  'client-key': inSecret('client-key-data'),
  exec: inSecret(TOKEN),
  'auth-provider': { Person: NO_AUTH_PROVIDER, Controller: NO_AUTH_PROVIDER, ...inSecret(TOKEN) },
  as: inSecret(ACCOUNT),
  'as-uid': inSecret(ACCOUNT),
  'as-groups': inSecret(ACCOUNT),
  'as-user-extra': inSecret(ACCOUNT),
  extensions: ALL,
}

const RULES = { cluster: CLUSTER_RULES, user: USER_RULES, context: CONTEXT_RULES } as const

/** The first field of an entry that its owner may not set, and why. People may write fields that are unknown here, as with kubectl. */
export function refusedField(
  trust: KubeconfigTrust,
  entry: keyof typeof RULES,
  value: JsonObject,
): { readonly name: string; readonly why: string } | undefined {
  for (const [name, set] of Object.entries(value)) {
    const rule = Object.hasOwn(RULES[entry], name) ? RULES[entry][name] : undefined
    if (rule === undefined && trust === 'Secret') return { name, why: 'unknown field' }
    const why = rule?.[trust]
    if (why !== undefined && isSet(set)) return { name, why }
  }
  return undefined
}

/** A member of the whole that is unknown. */
export const unknownMember = (trust: KubeconfigTrust, { others }: MergedKubeconfig): string | undefined =>
  trust === 'Secret' ? others.find((name) => !Object.hasOwn(CONFIG_RULES, name)) : undefined

/** Zero values count as unset, as in Go. */
export function isSet(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length > 0
  if (isObject(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== null && value !== '' && value !== false
}
