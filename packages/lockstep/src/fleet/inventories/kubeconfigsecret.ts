import type { Secret } from '@lockstep/kube/kinds'
import { base64ToBytes, type Stored, sha256Hex } from '@lockstep/kube/object'
import type { ClusterAccess, ClusterView } from '../clusters/cluster.ts'
import type { AllowedProxies } from '../kubeconfig/clusterproxy.ts'
import { kubeconfigFailureText } from '../kubeconfig/kubeconfigfailure.ts'
import { parseClusterKubeconfig } from '../kubeconfig/kubeconfigtarget.ts'
import { inventoryHeadOf } from './inventoryhead.ts'

const KEYS = ['kubeconfig', 'value']

/** A Secret labelled `lockstep.dev/cluster: "true"`. Pure: one that does not parse is refused, and stops only itself. */
export const clusterOfKubeconfigSecret = (secret: Stored<Secret>, proxies: AllowedProxies): ClusterView => ({
  ...inventoryHeadOf('Secret', secret),
  access: kubeconfigAccess(secret, KEYS, proxies),
})

/** The kubeconfig in the first of some keys that has one. */
export function kubeconfigAccess(
  secret: Stored<Secret>,
  keys: readonly string[],
  proxies: AllowedProxies,
): ClusterAccess {
  const where = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`
  const data = keys.map((k) => secret.data?.[k]).find((v) => v !== undefined && v !== '')
  if (data === undefined) return { type: 'Missing', message: `${where} has no key ${keys.join(' or ')}` }
  const text = new TextDecoder().decode(base64ToBytes(data))
  const parsed = parseClusterKubeconfig(text, proxies)
  if (!parsed.ok)
    return { type: 'Refused', message: `${where}: kubeconfig: ${kubeconfigFailureText(parsed.error)}` }
  return { type: 'Source', source: parsed.value.source, version: sha256Hex(text).slice(0, 16) }
}
