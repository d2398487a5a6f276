// The face of this folder: what others import.
export {
  type ClusterAccess,
  type ClusterView,
  clusterKey,
  clusterRef,
  clusterText,
  HUB_CLUSTER,
  hubView,
  type InventoryKind,
} from './cluster.ts'
export { type ClusterCondition, clusterConditionOf, identityChanged } from './clustercondition.ts'
export { nextClusterIdentity } from './clusteridentity.ts'
export { assignClusterNames } from './clusternames.ts'
export { selectsCluster } from './clusterselection.ts'
export { Fleet } from './fleet.ts'
export type { FleetReader, SessionReader } from './fleetreader.ts'
export { goneCondition } from './gonecondition.ts'
export { type HubClients, hubClients } from './hubclients.ts'
