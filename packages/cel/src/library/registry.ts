import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../type/celtype.ts'
import { addressFunctions } from './addressfunctions.ts'
import { authorizerFunctions } from './authorizerfunctions.ts'
import { conversions } from './conversions.ts'
import { formatFunctions } from './formatfunctions.ts'
import { listFunctions } from './listfunctions.ts'
import { operatorFunctions } from './operatorfunctions.ts'
import { optionalFunctions } from './optionalfunctions.ts'
import type { Overload } from './overload.ts'
import { LIBRARY_TYPES } from './parsesignature.ts'
import { quantityFunctions } from './quantityfunctions.ts'
import { regexFunctions } from './regexfunctions.ts'
import { semverFunctions } from './semverfunctions.ts'
import { setFunctions } from './setfunctions.ts'
import { stringFunctions } from './stringfunctions.ts'
import { timeFunctions } from './timefunctions.ts'
import { urlFunctions } from './urlfunctions.ts'

/** All functions of Kubernetes' environment. Those of `authorizer` need that variable, which only policies have. */
const all: readonly Overload[] = [
  ...operatorFunctions,
  ...conversions,
  ...stringFunctions,
  ...timeFunctions,
  ...optionalFunctions,
  ...listFunctions,
  ...setFunctions,
  ...regexFunctions,
  ...urlFunctions,
  ...quantityFunctions,
  ...addressFunctions,
  ...formatFunctions,
  ...semverFunctions,
  ...authorizerFunctions,
]

const byName = new Map<string, Overload[]>()
for (const overload of all) {
  const known = byName.get(overload.fn)
  if (known) known.push(overload)
  else byName.set(overload.fn, [overload])
}

export const overloadsOf = (fn: string): readonly Overload[] | undefined => byName.get(fn)

const constants = new Map<string, CelType>(
  [
    ['bool', BOOL],
    ['bytes', BYTES],
    ['double', DOUBLE],
    ['google.protobuf.Duration', DURATION],
    ['google.protobuf.Timestamp', TIMESTAMP],
    ['int', INT],
    ['list', listOf(DYN)],
    ['map', mapOf(DYN, DYN)],
    ['null_type', NULL],
    ['optional_type', optionalOf(DYN)],
    ['string', STRING],
    ['type', typeOf(DYN)],
    ['uint', UINT],
    ...Object.values(LIBRARY_TYPES).map((t): [string, CelType] => [t.name, t]),
  ].map(([name, type]) => [name as string, typeOf(type as CelType)]),
)

/** The type of a name that is a type itself; undefined for any other name. */
export const constantType = (name: string): CelType | undefined => constants.get(name)
