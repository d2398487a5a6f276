import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { reasonNames } from './reasons.ts'

it('each stands in the reference, with what it means and what to do', () => {
  const page = readFileSync('docs/reference/reasons.md', 'utf8')
  const rows = page.split('\n').filter((l) => /^\|( `\w+`,?)+ \|[^|]+\|[^|]+\|$/.test(l.replace(/\\\|/g, '')))
  const named = rows.flatMap((l) => [...l.split('|')[1]!.matchAll(/`(\w+)`/g)].map((m) => m[1]))
  expect(reasonNames.filter((r) => !named.includes(r))).toEqual([])
})
