// The face of this folder: what others import.
export { versionCommand } from './version.ts'
