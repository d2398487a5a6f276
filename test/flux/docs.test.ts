/** The reference says of every rule and of every code what it is. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errors } from '../../packages/lockstep/src/api/errors.ts'
import { fluxRuleIds, fluxRuleTable } from '../../packages/lockstep/src/tools/fluxcheck/fluxruletable.ts'
import { leavesOf } from './crdfields.ts'

const rowsOf = (file: string): string[] =>
  readFileSync(`docs/reference/${file}`, 'utf8')
    .split('\n')
    .filter((l) => l.startsWith('| `'))

it('check-flux.md has every rule, with its text', () => {
  const rows = rowsOf('check-flux.md')
  expect(rows.map((r) => r.slice(3, 6))).toEqual(fluxRuleIds)
  for (const [i, id] of fluxRuleIds.entries()) expect(rows[i]).toContain(fluxRuleTable[id].text)
})

it('post-render.md has every code', () => {
  const codes = Object.keys(errors).filter((c) => /^PR\d\d$/.test(c))
  expect(rowsOf('post-render.md').map((r) => r.slice(3, 7))).toEqual(codes)
})

it.each(['Kustomization', 'GitRepository'])('import-flux.md has every field of a %s', (kind) => {
  const text = readFileSync('docs/reference/import-flux.md', 'utf8')
  const section = text.slice(text.indexOf(`## Fields of a ${kind}`)).split('\n## ')[0]!
  const firsts = section.split('\n').filter((l) => l.startsWith('| `'))
  const named = firsts.flatMap((l) => [...l.split(' | ')[0]!.matchAll(/`(\w+)`/g)].map((m) => m[1]))
  const fields = leavesOf(kind).map((l) => String(l.path[1]))
  expect(named.toSorted()).toEqual([...new Set(fields)].toSorted())
})
