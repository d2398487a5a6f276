// The face of this folder: what others import.
export { type Act, actText, type BlockerReason, type EventReason, reasons } from './reasons.ts'
