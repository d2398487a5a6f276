// The face of this folder: what others import.
export { type AskAccess, authorizerValue, requestResourceValue } from './authorizerfunctions.ts'
export { LIBRARY_TYPES } from './parsesignature.ts'
export { DECIMAL, parseQuantity } from './quantity.ts'
export { compiledPattern } from './regexfunctions.ts'
