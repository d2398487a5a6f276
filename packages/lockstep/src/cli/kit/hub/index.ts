// The face of this folder: what others import.
export {
  type ClusterConnection,
  ClusterConnections,
  noCluster,
  PROXY_OF_HUB,
} from './clusterconnections.ts'
export { clusterSources, listClusters, withUniqueNames } from './clustersources.ts'
export { findHub, readKubeconfigs } from './findhub.ts'
export { type HubConnection, hubOrNone, listAll, type OpenedHub, openHub, requireInstalled } from './hub.ts'
export { noneText, notFound } from './notfound.ts'
export { type OpenedContext, openContext } from './opencontext.ts'
export { whoAmI } from './whoami.ts'
