// The face of this folder: what others import.
export { buildOrder, deliveredObjects } from './buildorder.ts'
export { BUNDLE_WAIT, isBundleWait, waitProblem } from './bundlewait.ts'
export { cycleFailure, cycleText } from './cycletext.ts'
export { definedKind, definedScopes } from './definedkind.ts'
export { type DeletionAnnotations, deletionAnnotationsReader } from './deletionannotations.ts'
export type { Dialects } from './dialect/dialects.ts'
export { kappRuleText } from './dialect/kapprule.ts'
export { integer } from './dialect/orderdialect.ts'
export { STEP_ANNOTATION } from './dialect/owndialect.ts'
export { endOf } from './graphbuilder.ts'
export { configOf, podSpecOf } from './implied/podspec.ts'
export { type KappChanges, kappChangesReader } from './kappchanges.ts'
export { type MutationPath, parseMutationPath, replaceAt } from './mutationpath.ts'
export type {
  Depth,
  HookNode,
  HookPhase,
  HookSteps,
  HookTrigger,
  ObjectNode,
  OrderEdge,
  OrderFailure,
  OrderGraph,
  OrderNode,
  OrderPosition,
  RequiredState,
  WaitNode,
} from './ordergraph.ts'
export type { AnnotationTarget, Mutation, OrderOptions, WeighedRule, WriteMode } from './orderoptions.ts'
export { orderText } from './ordersteps.ts'
export { sequenceNodes } from './sequencenodes.ts'
export { TopologicalOrder } from './topologicalorder.ts'
export { WAVE } from './waves.ts'
