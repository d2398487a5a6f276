// The face of this folder: what others import.
export { bindingController } from './bindingcontroller.ts'
export { setController } from './setcontroller.ts'
export { setUnitController, setUnitRequest } from './setunit.ts'
