// The face of this folder: what others import.
export { demoCommand } from './demo.ts'
