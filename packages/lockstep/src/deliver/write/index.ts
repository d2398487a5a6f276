// The face of this folder: what others import.
export { applyObject, bodyOf, type ObjectApplyTarget, typed } from './applyobject.ts'
export { sendApplyRequest } from './applyrequest.ts'
export { lossOf } from './recreate.ts'
export { deletionRefusal, refusal, refusalOf, type WriteRefusal } from './refusals.ts'
