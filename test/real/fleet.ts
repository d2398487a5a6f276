/** Hub and cluster on real API servers, with simulated Pods. */
import { startWorldOn } from '../../src/apiserver/world/world.ts'
import { createNodeEnv } from '../../src/env/node/node.ts'
import { createKubeClient } from '../../src/kube/http.ts'
import { DELAYS } from '../integration/embedded.ts'
import type { FleetSubject } from '../integration/subject.ts'
import { quiet } from '../kube/subjects.ts'
import { endpointOf, kubeconfigOf } from './server.ts'
import { realCluster } from './subject.ts'
import { kubeWorldApi } from './world.ts'

export async function realFleet(): Promise<FleetSubject> {
  const env = createNodeEnv(quiet)
  const use = (name: string) => {
    const cluster = realCluster(name)
    const client = createKubeClient(env, name, env.net.connect(endpointOf(cluster)), 'test')
    const world = startWorldOn(env, kubeWorldApi(env, client), { name, profile: 'pods', delays: DELAYS })
    return { client, world, kubeconfig: kubeconfigOf(cluster) }
  }
  const [hub, c1] = [use('hub'), use('c1')]
  return {
    env,
    hub,
    c1,
    controllerClient: () =>
      createKubeClient(env, 'hub', env.net.connect(endpointOf(realCluster('hub'))), 'lockstep-controller'),
    async stop() {
      for (const s of [hub, c1]) {
        s.world.stop()
        await s.client.close()
      }
    },
  }
}
