/** Who a request is made by (apiserver pkg/authentication/user). */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Nothing is refused to its members: they are asked about before any role. */
export const MASTERS = 'system:masters'
export const AUTHENTICATED = 'system:authenticated'
export const UNAUTHENTICATED = 'system:unauthenticated'

export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] }

/** The server itself. Policies are not asked about what it writes. */
export const LOOPBACK: User = { name: 'system:apiserver', groups: [MASTERS, AUTHENTICATED] }

/** An administrator of a cluster. */
export const ADMIN: User = { name: 'admin', groups: [MASTERS, AUTHENTICATED] }

const SERVICE_ACCOUNT = 'system:serviceaccount:'

export const serviceAccountName = (namespace: string, name: string): string =>
  `${SERVICE_ACCOUNT}${namespace}:${name}`

export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
]

/** A controller of the cluster: it may do everything, and policies are asked about it as about anybody. */
export const controllerUser = (name: string): User => ({
  name: serviceAccountName('kube-system', name),
  groups: [...serviceAccountGroups('kube-system'), AUTHENTICATED, MASTERS],
})

/** The ServiceAccount that a user name stands for (apiserver pkg/authentication/serviceaccount SplitUsername). */
export function serviceAccountOf(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined
  const [namespace = '', name = '', ...more] = user.slice(SERVICE_ACCOUNT.length).split(':')
  const isOne = more.length === 0 && LABEL.test(namespace) && SUBDOMAIN.test(name)
  return isOne ? { namespace, name } : undefined
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** Everybody who said who they are is told apart from those who did not. */
export const authenticated = (user: User): User =>
  user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] }
