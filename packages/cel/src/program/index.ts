// The face of this folder: what others import.
export {
  type CelBudget,
  type CelProgram,
  compile,
  type Declarations,
  freshBudget,
  PER_CALL_LIMIT,
} from './celprogram.ts'
export {
  anything,
  type CelSchema,
  type Declared,
  declared,
  optionally,
  type ValidationRule,
} from './celschema.ts'
export { escapedName } from './escapedname.ts'
export { fromJson } from './fromjson.ts'
