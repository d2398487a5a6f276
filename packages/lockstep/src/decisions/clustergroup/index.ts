// The face of this folder: what others import.
export {
  type Application,
  type ApplicationModule,
  applicationModuleName,
  applicationModules,
} from './modules/applicationmodules.ts'
export {
  type ClusterGroupEvaluation,
  type ClusterGroupInput,
  evaluateClusterGroup,
  renderClusterGroup,
} from './render/renderclustergroup.ts'
export { WAIT_JOB_MEMBERS, waitLoopOf, waitLoopOfJob } from './render/waitloop.ts'
export type { FilePosition } from './values/fileposition.ts'
export { isTruthy, templateText } from './values/gotext.ts'
export type { Group } from './values/group.ts'
export { type ClusterGroupValuesFile, decodeValues } from './values/layers.ts'
export type { Problem, ValuesNote } from './values/problem.ts'
