/**
 * Where takeover and hand-back are tried: a hub with Cluster API and Lockstep, workload clusters, and upstream's controller, simulated
 * or real. A case that says only what this interface offers runs on both.
 */
import { ownCrds } from '../../src/api/crd.ts'
import { ADDONS_GROUP } from '../../src/api/kinds/resourceset.ts'
import type { ClusterApiOptions, ClusterApiVersion } from '../../src/apiserver/world/clusterapi/options.ts'
import { simStage } from '../../src/apiserver/world/clusterapi/simstage.cases.ts'
import { type HeardWrite, must, type Stage } from '../../src/apiserver/world/clusterapi/stage.cases.ts'
import { type Manager, startManager } from '../../src/controllers/manager.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { createKubeClient } from '../../src/kube/http.ts'
import { at, type JsonObject } from '../../src/object/object.ts'

export type { HeardWrite, Stage, Upstream } from '../../src/apiserver/world/clusterapi/stage.cases.ts'
export {
  addCluster,
  addConfigMap,
  addSecret,
  addSet,
  bindingsPath,
  merge,
  must,
  setsPath,
} from '../../src/apiserver/world/clusterapi/stage.cases.ts'

/** The user agent, and so the field manager, of Lockstep's own requests. */
export const LOCKSTEP_AGENT = 'lockstep-controller'
/** That of upstream's: its binary is `/manager`. */
export const UPSTREAM_AGENT = 'manager'

export interface TakeoverWorld extends Stage {
  /** A client of the hub, or of a workload cluster, that acts as a person. */
  client(cluster: string): KubeClient
  /** A new process of Lockstep's controllers. */
  startLockstep(): Manager
}

export interface WorldChoice {
  readonly version: ClusterApiVersion
  readonly clusters: readonly string[]
}

/** With the simulated upstream, in virtual time. Nothing runs yet. */
export async function simTakeover(
  { version, clusters }: WorldChoice,
  options: Partial<ClusterApiOptions> & { readonly checked?: boolean } = {},
): Promise<TakeoverWorld> {
  return takeoverOn(await simStage(version, clusters, options))
}

/** The same on any stage: installs Lockstep's own definitions on the hub; those of resource sets are Cluster API's. */
export async function takeoverOn(stage: Stage): Promise<TakeoverWorld> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (const crd of ownCrds()) {
    if (at(crd, 'spec', 'group') === ADDONS_GROUP) continue
    // Stages of one real hub share its definitions.
    const there = await stage.send('', 'GET', `${path}/${at(crd, 'metadata', 'name')}`)
    if (there.status === 404) await must(stage, '', 'POST', path, crd as JsonObject)
  }
  await stage.wait(1000)
  const clients: KubeClient[] = []
  const connect = (cluster: string, agent: string): KubeClient => {
    const { env } = stage
    const name = cluster === '' ? 'hub' : cluster
    const client = createKubeClient(env, name, env.net.connect(stage.endpoint(cluster)), agent)
    clients.push(client)
    return client
  }
  return {
    ...stage,
    client: (cluster) => connect(cluster, 'kubectl'),
    startLockstep: () => startManager(stage.env, connect('', LOCKSTEP_AGENT)),
    async close() {
      await stage.close()
      for (const c of clients) await c.close()
    },
  }
}

/** Writes of one agent to workload clusters: what must not happen twice. */
export const workloadWrites = (stage: Stage, agent: string): readonly HeardWrite[] =>
  stage.writes().filter((w) => w.cluster !== '' && w.agent === agent)
