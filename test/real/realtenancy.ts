/** Real API servers of their own for tests of tenancy: a controller of the whole hub would disturb other files. */
import { openWatchesIn, readAuditLog } from '../audit/auditlog.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'
import type { TenancyServers } from '../tenancy/tenancystage.ts'
import { endpointOf, findPrograms, kubeconfigOf, startRealServers } from './realservers.ts'

export async function realTenancy(): Promise<TenancyServers> {
  const servers = await startRealServers(findPrograms()!, ['hub', 'c1'])
  const [hub, c1] = servers.clusters
  return {
    env: loopbackEnv(),
    admin: endpointOf(hub!),
    dev: endpointOf({ ...hub!, token: hub!.plainToken }),
    devName: 'plain',
    kubeconfig: kubeconfigOf(c1!),
    audit: () => readAuditLog(hub!.auditLog),
    openWatches: (user) => openWatchesIn(hub!.auditLog, user),
    stop: () => servers.stop(),
  }
}
