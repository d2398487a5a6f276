import type { Stored } from '../../api/kind.ts'
import type { Secret } from '../../api/kinds/foreign.ts'
import { PAUSED_ANNOTATION } from '../../api/labels.ts'
import { base64ToBytes, sha256Hex } from '../../object/object.ts'
import type { Access, ClusterView } from '../cluster.ts'
import { parseKubeconfig } from '../kubeconfig.ts'

const KEYS = ['kubeconfig', 'value']

/** A Secret labelled `lockstep.dev/cluster: "true"`. Pure: one that does not parse is refused, and stops only itself. */
export function clusterOfSecret(secret: Stored<Secret>): ClusterView {
  const { metadata } = secret
  return {
    kind: 'Secret',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    labels: metadata.labels ?? {},
    paused: metadata.annotations?.[PAUSED_ANNOTATION] === 'true',
    deleting: metadata.deletionTimestamp !== undefined,
    access: accessOf(secret),
  }
}

function accessOf(secret: Stored<Secret>): Access {
  const where = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`
  const data = KEYS.map((k) => secret.data?.[k]).find((v) => v !== undefined && v !== '')
  if (data === undefined) return { type: 'Missing', message: `${where} has no key ${KEYS.join(' or ')}` }
  const text = new TextDecoder().decode(base64ToBytes(data))
  const parsed = parseKubeconfig(text, 'Secret')
  if (!parsed.ok) {
    const { field, message } = parsed.error
    return { type: 'Refused', message: `${where}: kubeconfig${field ? `: ${field}` : ''}: ${message}` }
  }
  return { type: 'Kubeconfig', endpoint: parsed.value.endpoint, version: sha256Hex(text).slice(0, 16) }
}
