/** Server-side apply and the tracking of who owns which field. */
export { createFieldManager } from './fieldmanager.ts'
export { ownersFromScale, scaleOwners } from './scale.ts'
export { withoutNewTimes } from './times.ts'
export type * from './types.ts'
