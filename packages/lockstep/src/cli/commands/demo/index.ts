// The face of this folder: what others import.
export { demoCommand, STORIES } from './demo.ts'
