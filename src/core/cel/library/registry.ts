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
} from '../check/type.ts'
import { addressFunctions } from './addresses.ts'
import { authorizerFunctions } from './authorizer.ts'
import { conversions } from './conversions.ts'
import { formatFunctions } from './formats.ts'
import { listFunctions } from './lists.ts'
import { operators } from './operators.ts'
import { optionalFunctions } from './optionals.ts'
import type { Overload } from './overload.ts'
import { quantityFunctions } from './quantities.ts'
import { regexFunctions } from './regex.ts'
import { semverFunctions } from './semver.ts'
import { setFunctions } from './sets.ts'
import { LIBRARY_TYPES } from './signature.ts'
import { stringFunctions } from './strings.ts'
import { timeFunctions } from './times.ts'
import { urlFunctions } from './urls.ts'

/** All functions of Kubernetes' environment. Those of `authorizer` need that variable, which only policies have. */
const all: readonly Overload[] = [
  ...operators,
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
