/** The clusters of a fleet as decisions see them. */
import type { Account } from '../../api/account.ts'
import type { ObjectObservation, ObservedSilence } from '../../decisions/gate/index.ts'
import type { DependencyObjectRef } from '../../decisions/graph/index.ts'
import type { ClusterView } from './cluster.ts'
import type { ClusterCondition } from './clustercondition.ts'
import type { KnownCluster } from './clusterregistry.ts'

/** A connection to a cluster: what it says of the cluster, the same for every account. */
export interface ConnectionReader {
  readonly state: 'Provisioning' | 'Unreachable' | 'Connected'
  /** Of Namespace kube-system; undefined: not known yet. */
  readonly uid: string | undefined
  /** What went wrong last, while something does. */
  readonly problem?: string | undefined
  /** The health of a unit was read on this connection. */
  wasJudged(unit: string): boolean
  readonly hearing: { readonly silence: ObservedSilence | undefined }
}

/** Its objects too, as an account may read them. */
export interface SessionReader extends ConnectionReader {
  readonly selections: { get(ref: DependencyObjectRef): ObjectObservation }
}

export interface FleetReader {
  /** A cluster of a namespace by the name under which its units know it; the hub is one of every namespace. */
  view(namespace: string, name: string): ClusterView | undefined
  /** All clusters that modules of a namespace can select, by name; the hub last. */
  of(namespace: string): readonly ClusterView[]
  connection(view: ClusterView): ConnectionReader | undefined
  /** `account`: objects of the hub as it may read them. */
  session(view: ClusterView, account: Account): SessionReader | undefined
  condition(view: ClusterView): ClusterCondition
  /** Without asking: what is known of it already. */
  knownCondition(view: ClusterView): ClusterCondition
  /** What was written down of a cluster. */
  record(view: ClusterView): KnownCluster | undefined
}
