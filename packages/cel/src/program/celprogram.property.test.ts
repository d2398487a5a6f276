import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertProperty } from '../../../../test/property.ts'
import { renderProblems } from '../syntax/celproblem.ts'
import { compile, freshBudget } from './celprogram.ts'
import { anything, declared } from './celschema.ts'
import { fromJson, toJson } from './fromjson.ts'
import { fields } from './recorded.fields.cases.ts'
import { language } from './recorded.language.cases.ts'
import { libraries } from './recorded.libraries.cases.ts'
import { schema, self } from './recorded.world.cases.ts'

const expressions = [fields, language, libraries]
  .flatMap((t) => t.trim().split('\n'))
  .map((line) => line.split(' ⟹ ')[0]!)
const words = [...new Set(expressions.flatMap((e) => e.match(/\w+|"[^"]*"|[^\w\s]/g) ?? []))]

const typed = { self: declared(schema, 'selfType')! }
const loose = { self: anything }

/** Compiles and runs with and without types: whatever comes out, it is a result. */
function survives(text: string, value: unknown): void {
  for (const declarations of [typed, loose]) {
    const program = compile(text, declarations)
    if (!program.ok) {
      expect(program.error.length).toBeGreaterThan(0)
      expect(renderProblems(text, program.error)).not.toBe('')
      continue
    }
    const { min, max } = program.value.estimate()
    expect(min >= 0n && max >= 0n).toBe(true)
    const result = program.value.evaluate(
      { self: fromJson(value as never, declarations.self) },
      freshBudget(),
    )
    if (result.ok) toJson(result.value)
    else expect(result.error.message).not.toBe('')
  }
}

it('never throws on any text', () => {
  assertProperty(fc.property(fc.string({ unit: 'binary' }), (text) => survives(text, self)))
})

it('never throws on words of expressions in any order', () => {
  const text = fc
    .array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join(' '))
  assertProperty(fc.property(text, (t) => survives(t, self)))
})

it('never throws on expressions cut and joined', () => {
  const piece = fc.tuple(fc.constantFrom(...expressions), fc.nat(60)).map(([e, n]) => e.slice(0, n))
  assertProperty(fc.property(piece, fc.constantFrom(...expressions), (a, b) => survives(a + b, self)))
})

it('never throws on any value, whatever the schema says of it', () => {
  const value = fc.dictionary(fc.constantFrom(...Object.keys(schema.properties!)), fc.jsonValue())
  assertProperty(fc.property(fc.constantFrom(...expressions), value, (e, v) => survives(e, v)))
})

it('keeps JSON as it is', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).filter((v) => !hasMinusZero(v))
  const keep = (v: unknown): void => {
    expect(JSON.stringify(toJson(fromJson(v as never)))).toBe(JSON.stringify(v))
  }
  assertProperty(fc.property(json, keep))
})

/** JSON text has no −0, so it does not come back. */
const hasMinusZero = (v: unknown): boolean =>
  typeof v === 'object' && v !== null ? Object.values(v).some(hasMinusZero) : Object.is(v, -0)
