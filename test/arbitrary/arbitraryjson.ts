/** Values that an API lets through where nobody has declared a type, and words that are more than words to JavaScript. */
import fc from 'fast-check'
import type { JsonValue } from '../../packages/kube/src/object/index.ts'

/** Names that every object of JavaScript seems to have. */
export const inherited = fc.constantFrom('constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty')

const nested = (depth: number): JsonValue => (depth === 0 ? 'deep' : [{ a: nested(depth - 1) }])

/** One that has own members where JavaScript looks for methods. */
const impostor: JsonValue = JSON.parse(
  '{"toString": "x", "valueOf": 1, "__proto__": {"polluted": true}, "constructor": null, "length": -1, "toJSON": 3}',
)

export const hostile: fc.Arbitrary<JsonValue | undefined> = fc.constantFrom<JsonValue | undefined>(
  undefined,
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e300,
  9_007_199_254_740_993n,
  '',
  'x',
  '__proto__',
  [],
  [null],
  [[]],
  [{}],
  ['x', 1],
  {},
  { '': '' },
  impostor,
  [impostor],
  nested(50),
)

/** Mostly what is expected, sometimes anything. */
export const mostly = <T>(...expected: readonly T[]): fc.Arbitrary<T | JsonValue | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...expected) }, { weight: 1, arbitrary: hostile })
