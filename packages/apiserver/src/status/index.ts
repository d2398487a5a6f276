// The face of this folder: what others import.
export type { ApiFailure } from './apifailure.ts'
