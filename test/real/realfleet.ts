/** Hub and clusters on real API servers, with simulated Pods. */

import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { startWorldOn } from '../../packages/simulators/src/world/startworld.ts'
import { DELAYS } from '../integration/embeddedfleet.ts'
import { type FleetSubject, fleetOf, type Server } from '../integration/fleetsubject.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'
import { endpointOf, kubeconfigOf, type RealCluster } from './realservers.ts'
import { realCluster } from './realsubject.ts'
import { kubeWorldApi } from './world.ts'

export async function realFleet(
  hubCluster: RealCluster,
  c1Cluster: RealCluster,
  c2Cluster: RealCluster,
): Promise<FleetSubject> {
  const env = loopbackEnv()
  const use = (cluster: RealCluster) => {
    const { name } = cluster
    const client = createHttpClient(env, name, env.net.connect(endpointOf(cluster), 'operator'), 'test')
    const world = startWorldOn(env, kubeWorldApi(env, client), { name, profile: 'pods', delays: DELAYS })
    return { client, world, kubeconfig: kubeconfigOf(cluster) }
  }
  const [c1, c2] = [use(c1Cluster), use(c2Cluster)]
  const under = (cluster: RealCluster, stopped: readonly Server[]): FleetSubject => {
    const hub = use(cluster)
    return {
      ...fleetOf(env, endpointOf(cluster), { hub, c1, c2 }),
      async stop() {
        for (const s of [hub, ...stopped]) {
          s.world.stop()
          await s.client.close()
        }
      },
      withOtherHub: async () => under(realCluster('bare'), []),
    }
  }
  return under(hubCluster, [c1, c2])
}
