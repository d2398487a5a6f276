import {
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  jsonEqual,
} from '../../../packages/kube/src/object/index.ts'
import { isTruthy } from '../../../packages/lockstep/src/decisions/clustergroup/values/gotext.ts'
import { BadInput } from '../conformancekind.ts'
import { textOf } from '../datashape.ts'

type Value = JsonValue | undefined

/** What an assert of helm-unittest asks of each document. */
export interface AssertQuestion {
  /** What it has to be given, beside the path. */
  readonly needs: readonly string[]
  readonly may?: readonly string[]
  /** Of those that are given none. */
  readonly path?: string
  /** It is asked also where there is nothing; the others are not so then. */
  readonly ofNothing?: true
  /** A text: only of that can it be asked, whether it should be so or not. */
  holds(value: Value, args: JsonObject): boolean | string
}

const hasMembers = (v: JsonObject, content: JsonObject): boolean =>
  Object.entries(content).every(([key, value]) => jsonEqual(v[key], value))

/** With `any`, items may have more members than the content. */
function contains(v: Value, { content, count, any }: JsonObject): boolean | string {
  if (!isArray(v)) return 'a list'
  const isIt = (item: JsonValue): boolean =>
    any === true && isObject(item) && isObject(content) ? hasMembers(item, content) : jsonEqual(item, content)
  const found = v.filter(isIt).length
  return count === undefined ? found > 0 : found === count
}

function isSubset(v: Value, { content }: JsonObject): boolean | string {
  if (!isObject(content)) throw new BadInput('content must be an object')
  return isObject(v) ? hasMembers(v, content) : 'an object'
}

const matches = (v: Value, { pattern }: JsonObject): boolean | string =>
  isString(v) ? new RegExp(textOf(pattern, 'pattern')).test(v) : 'a string'

const hasLength = (v: Value, { count }: JsonObject): boolean | string =>
  isArray(v) ? v.length === count : 'a list'

const is = (path: string): AssertQuestion => ({ needs: ['of'], path, holds: (v, { of }) => jsonEqual(v, of) })

export const QUESTIONS: Readonly<Record<string, AssertQuestion>> = {
  contains: { needs: ['content'], may: ['count', 'any'], holds: contains },
  equal: { needs: ['value'], holds: (v, { value }) => jsonEqual(v, value) },
  exists: { needs: [], ofNothing: true, holds: (v) => v !== undefined },
  isAPIVersion: is('apiVersion'),
  isKind: is('kind'),
  isNull: { needs: [], ofNothing: true, holds: (v) => v === undefined || v === null },
  isNullOrEmpty: { needs: [], holds: (v) => !isTruthy(v) },
  isSubset: { needs: ['content'], holds: isSubset },
  lengthEqual: { needs: ['count'], holds: hasLength },
  matchRegex: { needs: ['pattern'], holds: matches },
}

/** Other names for the same, and for the opposite. */
export const SAME: Readonly<Record<string, string>> = { isEmpty: 'isNullOrEmpty' }
export const OPPOSITE: Readonly<Record<string, string>> = {
  isNotEmpty: 'isNullOrEmpty',
  isNotNull: 'isNull',
  isNotNullOrEmpty: 'isNullOrEmpty',
  isNotSubset: 'isSubset',
  notContains: 'contains',
  notEqual: 'equal',
  notExists: 'exists',
  notFailedTemplate: 'failedTemplate',
  notLengthEqual: 'lengthEqual',
  notMatchRegex: 'matchRegex',
}
