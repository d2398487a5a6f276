// The face of this folder: what others import.
export { applyObject, bodyOf } from './applyobject.ts'
export { sendApplyRequest } from './applyrequest.ts'
export { type ObjectApplyTarget, refusedWrite, typed } from './applytarget.ts'
export { lossOf } from './recreate.ts'
export { deletionRefusal, refusal, refusalBlocker, type WriteRefusal } from './refusals.ts'
export { about } from './refusalsubject.ts'
