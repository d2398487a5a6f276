// The face of this folder: what others import.
export { installCommand } from './install.ts'
