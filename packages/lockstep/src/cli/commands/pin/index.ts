// The face of this folder: what others import.
export { pinCommand, unpinCommand } from './pin.ts'
