// The face of this folder: what others import.
export { installCommand, installManifests } from './install.ts'
