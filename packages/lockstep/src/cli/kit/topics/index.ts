// The face of this folder: what others import.
export { CLUSTER_ACTIONS, type ClusterAction } from './clusteractions.ts'
export { DEMO_STORIES } from './demostories.ts'
export { IMPORT_TOPICS } from './importtopics.ts'
export { REMOVAL_ACTIONS, type RemovalAction } from './removalactions.ts'
