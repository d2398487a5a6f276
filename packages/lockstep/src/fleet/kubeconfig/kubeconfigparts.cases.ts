/** A kubeconfig with two contexts, of which tests replace parts, and its source. */
import { kubeconfigFailureText } from './kubeconfigfailure.ts'
import type { KubeconfigSelection } from './kubeconfigselection.ts'
import { kubeconfigTarget } from './kubeconfigtarget.ts'
import { mergeKubeconfigs } from './mergekubeconfigs.ts'

export interface KubeconfigParts {
  readonly user?: object
  readonly cluster?: object
  readonly context?: object
  readonly more?: object
}

export const SERVER = 'https://eu.test'
export const base64 = (text: string): string => Buffer.from(text).toString('base64')

export function readParts(
  { user = {}, cluster = {}, context = {}, more = {} }: KubeconfigParts,
  selection: KubeconfigSelection,
) {
  const config = {
    'current-context': 'eu',
    contexts: [
      { name: 'eu', context: { cluster: 'c', user: 'u', ...context } },
      { name: 'us', context: { cluster: 'd' } },
    ],
    clusters: [
      { name: 'c', cluster: { server: SERVER, ...cluster } },
      { name: 'd', cluster: { server: 'https://us.test' } },
    ],
    users: [
      { name: 'u', user },
      { name: 'v', user: { token: 'v' } },
    ],
    ...more,
  }
  const merged = mergeKubeconfigs([{ path: '/home/me/.kube/config', text: JSON.stringify(config) }])
  return merged.ok ? kubeconfigTarget(merged.value, selection) : merged
}

/** The source, or the text of the refusal. */
export function sourceText(given: KubeconfigParts, selection: KubeconfigSelection) {
  const found = readParts(given, selection)
  return found.ok ? found.value.source : kubeconfigFailureText(found.error)
}

export const withToken = { url: SERVER, headers: { authorization: 'Bearer t' } }
export const fixed = (endpoint: object) => ({ type: 'Static', endpoint: { url: SERVER, ...endpoint } })
export const ofFiles = (files: object, endpoint: object = {}) => ({
  type: 'Files',
  files,
  endpoint: { url: SERVER, ...endpoint },
})
export const execConfig = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'aws',
  args: ['eks'],
  env: [{ name: 'A', value: 'b' }],
}
export const impersonation = {
  as: 'jane',
  'as-uid': '7',
  'as-groups': ['dev'],
  'as-user-extra': { team: ['a'] },
}
