// The face of this folder: what others import.
export { controllerCommand } from './controller.ts'
