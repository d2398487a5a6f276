// The face of this folder: what others import.
export { seededRandom } from './seededrandom.ts'
export { createSimEnv, type SimEnv } from './simenv.ts'
