/** The Lease of the real manager, kept for it: outside of a cluster it does not know the namespace of its own election. */

import { type JsonObject, microTimestamp } from '../../packages/kube/src/object/index.ts'
import { LEASE, LEASE_NAMESPACE } from '../../packages/simulators/src/clusterapi/lease.ts'

/** A request to the hub, as an administrator; the status of its answer. */
type Send = (method: string, path: string, body: JsonObject, type?: string) => Promise<number>

/** `--leader-elect-retry-period`, after which it would renew it. */
const RENEW_MS = 2000
const PATH = `/apis/coordination.k8s.io/v1/namespaces/${LEASE_NAMESPACE}/leases`

/** From now on until `stop`; the Lease stays, as after a kill. */
export async function keepLease(send: Send, holder: string): Promise<() => void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LEASE_NAMESPACE } }
  await send('POST', '/api/v1/namespaces', namespace)
  const renew = async (): Promise<void> => {
    const renewTime = microTimestamp(Date.now())
    const spec = { holderIdentity: holder, leaseDurationSeconds: 15, renewTime }
    const type = 'application/merge-patch+json'
    if ((await send('PATCH', `${PATH}/${LEASE}`, { spec }, type)) !== 404) return
    await send('POST', PATH, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: LEASE, namespace: LEASE_NAMESPACE },
      spec: { ...spec, acquireTime: renewTime, leaseTransitions: 0 },
    })
  }
  await renew()
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS)
  return () => clearInterval(timer)
}
