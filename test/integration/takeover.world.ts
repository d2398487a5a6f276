/**
 * Where takeover and hand-back are tried: a hub with Cluster API and Lockstep, workload clusters, and upstream's controller, simulated
 * or real. A case that says only what this interface offers runs on both.
 */

import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { at, type JsonObject } from '../../packages/kube/src/object/index.ts'
import { ownCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import { ADDONS_GROUP } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type {
  ClusterApiOptions,
  ClusterApiVersion,
} from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { simStage } from '../../packages/simulators/src/clusterapi/simstage.cases.ts'
import { type HeardWrite, must, type Stage } from '../../packages/simulators/src/clusterapi/stage.cases.ts'
import { accountsAdmin } from '../fleet/accountrights.ts'

/** The user agent, and so the field manager, of Lockstep's own requests. */
export const LOCKSTEP_AGENT = 'lockstep-controller'
/** That of upstream's: its binary is `/manager`. */
export const UPSTREAM_AGENT = 'manager'

export interface TakeoverWorld extends Stage {
  /** A new process of Lockstep's controllers. */
  startLockstep(): Manager
}

/** With the simulated upstream, in virtual time. Nothing runs yet. */
export async function simTakeover(
  version: ClusterApiVersion,
  clusters: readonly string[],
  options: Partial<ClusterApiOptions> & { readonly checked?: boolean } = {},
): Promise<TakeoverWorld> {
  return takeoverOn(await simStage(version, clusters, options))
}

/** The same on any stage: installs Lockstep's own definitions and rights of accounts on the hub; those of resource sets are Cluster API's. */
export async function takeoverOn(stage: Stage): Promise<TakeoverWorld> {
  // Stages of one real hub share these.
  const put = async (path: string, o: JsonObject): Promise<void> => {
    const there = await stage.send('', 'GET', `${path}/${at(o, 'metadata', 'name')}`)
    if (there.status === 404) await must(stage, '', 'POST', path, o)
  }
  for (const crd of ownCrds())
    if (at(crd, 'spec', 'group') !== ADDONS_GROUP)
      await put('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)
  // Sets act as the account of their namespace.
  await put(
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    accountsAdmin(stage.namespace) as unknown as JsonObject,
  )
  await stage.wait(1000)
  const clients: KubeClient[] = []
  return {
    ...stage,
    startLockstep() {
      const { env } = stage
      const client = createHttpClient(
        env,
        'hub',
        env.net.connect(stage.endpoint(''), 'operator'),
        LOCKSTEP_AGENT,
      )
      clients.push(client)
      return startManager(env, client)
    },
    async close() {
      await stage.close()
      for (const c of clients) await c.close()
    },
  }
}

/** Writes of one agent to workload clusters: what must not happen twice. */
export const workloadWrites = (stage: Stage, agent: string): readonly HeardWrite[] =>
  stage.writes().filter((w) => w.cluster !== '' && w.agent === agent)

/** One story of a takeover, for both upstreams. */
export interface TakeoverCase {
  readonly name: string
  /** All unless said otherwise. */
  readonly versions?: readonly ClusterApiVersion[]
  readonly clusters: readonly string[]
  /** Upstream runs, Lockstep does not yet. */
  readonly run: (w: TakeoverWorld) => Promise<void>
}
