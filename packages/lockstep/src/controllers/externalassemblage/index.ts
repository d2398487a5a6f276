// The face of this folder: what others import.
export { externalController } from './externalcontroller.ts'
