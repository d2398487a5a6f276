/** Who the clusters are: one view for every inventory that knows them. */
import type { Endpoint } from '../env/net.ts'

export interface ClusterView {
  /** `Secret` or `Hub`. */
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly paused: boolean
  readonly deleting: boolean
  readonly access: Access
}

export type Access =
  | {
      readonly type: 'Kubeconfig'
      readonly endpoint: Endpoint /** Changes when the credential does. */
      readonly version: string
    }
  | { readonly type: 'Hub' }
  | { readonly type: 'Missing'; readonly message: string }
  | { readonly type: 'Refused'; readonly message: string }

/** `namespace/name`; the hub is a cluster of every namespace. */
export const clusterKey = (c: { namespace: string; name: string }): string => `${c.namespace}/${c.name}`

export const HUB_CLUSTER = 'hub'
