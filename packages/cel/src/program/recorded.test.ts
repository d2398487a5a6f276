import { describe, expect, it } from 'vitest'
import { rowsOfTier } from '../../../../test/tier.ts'
import { compile, freshBudget } from './celprogram.ts'
import { declared } from './celschema.ts'
import { fromJson } from './fromjson.ts'
import { fields } from './recorded.fields.cases.ts'
import { language } from './recorded.language.cases.ts'
import { libraries } from './recorded.libraries.cases.ts'
import { problems } from './recorded.problems.cases.ts'
import { schema, self } from './recorded.world.cases.ts'
import { show } from './show.cases.ts'

/**
 * What kube-apiserver's own CEL makes of each expression (k8s.io/apiserver 0.33.4 with cel-go 0.23.2, compatibility
 * version 1.33). A line is one of
 *
 *     expression ⟹ value, or !error ⟹ type ⟹ cost, least and most estimated cost
 *     expression ⟹ problem ⟹ line:column message ⏎ …
 *     expression ⟹ broken ⟹ why it cannot be run
 *
 * and `\n\` in an expression is a line's end.
 */
const recorded = [fields, language, libraries, problems].flatMap((text) => text.trim().split('\n'))

/** Where we differ, and why that is all right. */
const different: ReadonlyMap<string, string> = new Map([
  ['double("0x1p-2")', 'Go reads hexadecimal doubles, which nothing else writes'],
])

const declarations = { self: declared(schema, 'selfType')! }
const bindings = { self: fromJson(self, declarations.self) }

function ours(expression: string): string {
  const program = compile(expression.replaceAll('\\n\\', '\n'), declarations)
  if (!program.ok) {
    const [first] = program.error
    if (first!.line === 0) return `broken ⟹ ${first!.message}`
    return `problem ⟹ ${program.error.map((p) => `${p.line}:${p.column} ${p.message.replaceAll('\n', '\\n')}`).join(' ⏎ ')}`
  }
  const budget = freshBudget()
  const before = budget.left
  const result = program.value.evaluate(bindings, budget)
  const { min, max } = program.value.estimate()
  const value = result.ok ? show(result.value) : `!${result.error.message}`
  return `${value} ⟹ ${program.value.type} ⟹ ${before - budget.left} ${min} ${max}`
}

const rows = recorded.map((line) => {
  const plain = line.replaceAll('\\`', '`')
  const at = plain.indexOf(' ⟹ ')
  return { expression: plain.slice(0, at), theirs: plain.slice(at + 3) }
})

const alike = rows.filter((r) => !different.has(r.expression))

/** The functions that an expression calls; its operators if it calls none. */
const functionsOf = (expression: string): string =>
  [...new Set(expression.match(/\w+(?=\()/g) ?? expression.match(/[^\w\s"'.,]+/g) ?? [])].sort().join(' ')

describe('recorded expressions: value, error, type, cost and estimate', () => {
  it.each(rowsOfTier(alike, ({ expression }) => functionsOf(expression)))(
    '$expression',
    ({ expression, theirs }) => {
      expect(ours(expression)).toBe(theirs)
    },
  )

  it.each([...different])('%s differs: %s', (expression) => {
    const row = rows.find((r) => r.expression === expression)
    expect(row).toBeDefined()
    expect(ours(expression)).not.toBe(row!.theirs)
  })

  it('are many, and nearly all alike', () => {
    expect(new Set(rows.map((r) => r.expression)).size).toBe(rows.length)
    expect(rows.length).toBeGreaterThan(900)
    expect(different.size / rows.length).toBeLessThan(0.02)
  })
})
