import { expect, it } from 'vitest'
import type { CelSchema } from '../schema.ts'
import { checkRules, type RuleProblem } from './check.ts'
import { recorded } from './recorded.cases.ts'

/** `properties[spec].items.x-kubernetes-validations[0].rule`, as the API server writes a path. */
function fieldText(path: RuleProblem['path']): string {
  return path.reduce<string>((text, step, i) => {
    const inBrackets = typeof step === 'number' || path[i - 1] === 'properties'
    return inBrackets ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${step}`
  }, '')
}

const KINDS = { invalid: 'Invalid value', forbidden: 'Forbidden' }

const rows = recorded
  .trim()
  .split('\n')
  .map((line, i) => {
    const [schema, theirs] = line.split(' ⟹ ').map((json) => JSON.parse(json))
    return { i, schema: schema as CelSchema, theirs: theirs as string[] }
  })

it.each(rows)('rules of schema $i', ({ schema, theirs }) => {
  const ours = checkRules(schema).map((p) => `${KINDS[p.kind]} ${fieldText(p.path)}: ${p.message}`)
  expect(ours.toSorted()).toEqual(theirs.toSorted())
})

it('covers refusals of every kind', () => {
  const all = rows.flatMap((r) => r.theirs).join('\n')
  for (const text of [
    'compilation failed',
    'program instantiation failed',
    'must evaluate to a bool',
    'more than 100x',
    'contributed',
  ])
    expect(all).toContain(text)
})
