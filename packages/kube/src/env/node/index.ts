// The face of this folder: what others import.
export { createNodeEnv } from './nodeenv.ts'
export { nodeLog } from './nodelog.ts'
export { inThread } from './nodethreads.ts'
