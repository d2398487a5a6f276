// The face of this folder: what others import.
export { cycleThrough } from './cycle.ts'
export { moduleCycle } from './modulecycle.ts'
export {
  type DependencyEdge,
  type DependencyObjectRef,
  isModuleEdge,
  type ModuleEdge,
  type ModuleRef,
  moduleEdges,
  moduleId,
  moduleText,
  type ObjectEdge,
  objectEdges,
  objectId,
  objectText,
  refOfId,
  waveEdges,
} from './moduleref.ts'
export { moduleWaitRef, namedModule, namedUnit, objectRef, SET_API_VERSION, unitRef } from './waitref.ts'
