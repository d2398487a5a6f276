// The face of this folder: what others import.
export { rolloutCommand } from './rollout.ts'
