/** Hub and clusters on real API servers, with simulated Pods. */

import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { startWorldOn } from '../../packages/simulators/src/world/startworld.ts'
import { DELAYS } from '../integration/embeddedfleet.ts'
import type { FleetSubject } from '../integration/fleetsubject.ts'
import { connectAs } from '../kube/connectas.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'
import { endpointOf, kubeconfigOf, type RealCluster } from './realservers.ts'
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
  const [hub, c1, c2] = [use(hubCluster), use(c1Cluster), use(c2Cluster)]
  return {
    env,
    hub,
    c1,
    c2,
    controllerClient: (around = (net) => net) =>
      createHttpClient(
        env,
        'hub',
        around(env.net).connect(endpointOf(hubCluster), 'operator'),
        'lockstep-controller',
      ),
    hubAs: (user) =>
      createHttpClient(
        env,
        'hub',
        connectAs(env.net.connect(endpointOf(hubCluster), 'operator'), user),
        user,
      ),
    async stop() {
      for (const s of [hub, c1, c2]) {
        s.world.stop()
        await s.client.close()
      }
    },
  }
}
