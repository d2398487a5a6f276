// The face of this folder: what others import.
export { childrenOf } from './literalproblems.ts'
