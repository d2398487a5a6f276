// The face of this folder: what others import.
export { bindingController } from './bindingreconciler.ts'
export { setController } from './setreconciler.ts'
export { setUnitController, setUnitRequest } from './setunit.ts'
