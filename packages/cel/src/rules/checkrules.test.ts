import { expect, it } from 'vitest'
import type { CelSchema } from '../program/celschema.ts'
import { checkRules, pathText } from './checkrules.ts'
import { recorded } from './recorded.cases.ts'

const KINDS = { invalid: 'Invalid value', forbidden: 'Forbidden', internal: 'Internal error' }

const rows = recorded
  .trim()
  .split('\n')
  .map((line, i) => {
    const [schema, theirs] = line.split(' ⟹ ').map((json) => JSON.parse(json))
    return { i, schema: schema as CelSchema, theirs: theirs as string[] }
  })

it.each(rows)('rules of schema $i', ({ schema, theirs }) => {
  const ours = checkRules(schema).map((p) => `${KINDS[p.kind]} ${pathText(p.path)}: ${p.message}`)
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
