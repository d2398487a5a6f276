// The face of this folder: what others import.
export { type CelValue, failure, type MapValue, none, some, typeNameOf } from './celvalue.ts'
