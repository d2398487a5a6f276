import type { ImpersonatingClient, KubeClient } from '@lockstep/kube/client'
import { type Account, userOfAccount } from '../../api/account.ts'
import type { CredentialReader, CredentialWriter, RecordClient } from '../../api/records.ts'

/** Clients of the hub, by the objects that their requests name. */
export interface HubClients {
  /** Kinds and records of Lockstep: with the rights of the controller. */
  readonly own: RecordClient
  /** Secrets of clusters: with the rights of the controller. */
  readonly credentials: CredentialReader & CredentialWriter
  /** Objects that a Module, a ClusterResourceSet or a Pipeline names: with the rights of its account. */
  inputs(account: Account): KubeClient
  /** The user as whom requests for an account are sent. */
  userOf(account: Account): string
}

/** The hub as one of the clusters, too. */
export interface SharedHubClients extends HubClients {
  /** For facts that all accounts share: identity and served kinds. Connections without an account do not show it. */
  readonly shared: KubeClient
}

/** `guard` is put around each of them. */
export function hubClients(
  client: ImpersonatingClient,
  guard: (client: KubeClient) => KubeClient,
): SharedHubClients {
  const acting = new Map<string, KubeClient>()
  const guarded = guard(client)
  return {
    own: guarded,
    credentials: guarded,
    shared: guarded,
    userOf: userOfAccount,
    inputs(account) {
      const user = userOfAccount(account)
      const known = acting.get(user) ?? guard(client.as(user))
      acting.set(user, known)
      return known
    },
  }
}
