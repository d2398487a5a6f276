import type { KubeClient } from '@lockstep/kube/client'

/** Whose rights a request uses. */
export type Account = 'controller'

/** The controller itself reads and writes every input. */
export const CONTROLLER_ACCOUNT: Account = 'controller'

/** Clients of the hub, by the objects that their requests name. */
export interface HubClients {
  /** Kinds and records of Lockstep. */
  readonly own: KubeClient
  /** Objects that a Module, a ClusterResourceSet or a Pipeline names. */
  inputs(account: Account): KubeClient
}

export const controllerClients = (client: KubeClient): HubClients => ({
  own: client,
  inputs: () => client,
})
