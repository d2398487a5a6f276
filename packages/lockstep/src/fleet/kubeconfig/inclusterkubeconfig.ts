import { join } from 'node:path'
import { encodeJson } from '@lockstep/kube/object'
import type { KubeconfigText } from './mergekubeconfigs.ts'

/**
 * A Pod's ServiceAccount as a kubeconfig with the context `in-cluster`, so that flags mean the same as outside. Undefined: the variables are not those of a Pod.
 */
export function inClusterKubeconfig(
  variables: Readonly<Record<string, string | undefined>>,
  folder: string,
  namespace: string | undefined,
): KubeconfigText | undefined {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = variables
  if (host === '' || port === '') return undefined
  const name = 'in-cluster'
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  const config = {
    clusters: [{ name, cluster: { server, 'certificate-authority': join(folder, 'ca.crt') } }],
    users: [{ name, user: { tokenFile: join(folder, 'token') } }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace ? { namespace } : {}) } }],
    'current-context': name,
  }
  return { text: encodeJson(config) }
}
