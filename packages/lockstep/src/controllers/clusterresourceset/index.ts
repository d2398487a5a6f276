// The face of this folder: what others import.
export { companionRef } from './companionmodule.ts'
export { setWordsOf } from './continuousstatus.ts'
export { isOfSet, Sets } from './sets.ts'
export { countParsed } from './setsources.ts'
