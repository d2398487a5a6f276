import type { ImpersonatingClient, KubeClient } from '@lockstep/kube/client'
import { type Account, userOfAccount } from '../../api/account.ts'

/** Clients of the hub, by the objects that their requests name. */
export interface HubClients {
  /** Kinds and records of Lockstep: with the rights of the controller. */
  readonly own: KubeClient
  /** Objects that a Module, a ClusterResourceSet or a Pipeline names: with the rights of its account. */
  inputs(account: Account): KubeClient
  /** The user as whom requests for an account are sent. */
  userOf(account: Account): string
}

/** `guard` is put around each of them. */
export function hubClients(
  client: ImpersonatingClient,
  guard: (client: KubeClient) => KubeClient,
): HubClients {
  const acting = new Map<string, KubeClient>()
  return {
    own: guard(client),
    userOf: userOfAccount,
    inputs(account) {
      const user = userOfAccount(account)
      const known = acting.get(user) ?? guard(client.as(user))
      acting.set(user, known)
      return known
    },
  }
}
