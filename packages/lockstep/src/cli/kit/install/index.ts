// The face of this folder: what others import.
export { installManifests } from './installmanifests.ts'
