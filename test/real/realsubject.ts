import { inject } from 'vitest'
import type { ClientSubject } from '../../packages/kube/src/client/client.cases.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { quiet } from '../kube/subjects.ts'
import { endpointOf, type RealCluster } from './realservers.ts'

/** A server that this run has started. */
export function realCluster(name: string): RealCluster {
  const found = inject('realClusters').find((c) => c.name === name)
  if (!found) throw new Error(`no real cluster ${name}`)
  return found
}

export async function onRealServer(): Promise<ClientSubject> {
  const env = createNodeEnv(quiet)
  const endpoint = endpointOf(realCluster('c1'))
  return { env, connect: () => env.net.connect(endpoint, 'operator'), stop: async () => {} }
}
