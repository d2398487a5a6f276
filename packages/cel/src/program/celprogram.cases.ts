/** Expressions that cost much, for tests of limits and of time. */
import { renderProblems } from '../syntax/celproblem.ts'
import { type CelProgram, compile } from './celprogram.ts'
import { anything } from './celschema.ts'

export function program(text: string, declarations = {}): CelProgram {
  const compiled = compile(text, declarations)
  if (!compiled.ok) throw new Error(renderProblems(text, compiled.error))
  return compiled.value
}

const thousand = `[${Array.from({ length: 1000 }, (_, i) => i).join(', ')}]`
/** A call that costs more than any limit. */
export const billion = `${thousand}.all(a, ${thousand}.all(b, ${thousand}.all(c, a + b + c >= 0)))`

/** Name, start and step of values that grow with each step. */
export const growing: readonly (readonly [string, string, string])[] = [
  ['texts put into themselves', `[${'"aaaaaaaaaa"'}].map(x, X)`, 'x.replace("", x)'],
  ['lists joined to themselves', '[[1, 2, 3, 4]].map(x, X)', 'x + x + x + x'],
  ['formats of formats', '["aaaaaaaaaa"].map(x, X)', '"%s%s%s%s%s%s%s%s".format([x, x, x, x, x, x, x, x])'],
  ['lists within lists', '[[1, 2]].map(x, X)', '[x, x, x]'],
  ['maps within maps', '[{"a": [1]}].map(x, X)', '{"a": x, "b": x, "c": x}'],
  ['lists joined to texts', '["aaaaaaaaaa"].map(x, X)', '[x, x, x, x, x, x, x, x, x, x].join("-")'],
]

/** Thirty steps. */
export function growth(start: string, step: string): CelProgram {
  const text = start.replace('X', step) + `.map(x, ${step})`.repeat(30)
  return program(`${text}.size() >= 0`)
}

/** Compares a large list with itself, for each element of `self`. */
export function comparisons(): CelProgram {
  const heavy = `[[1, 2]]${'.map(x, [x, x])'.repeat(16)}`
  return program(`${heavy}.all(h, self.all(x, h == h))`, { self: anything })
}
