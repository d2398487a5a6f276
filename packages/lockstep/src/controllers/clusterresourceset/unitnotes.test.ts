import { expect, it } from 'vitest'
import { blocked } from '../../api/blocker.ts'
import { setUnitNotes } from './unitnotes.ts'

const AT = '2026-01-01T00:00:00Z'
const a = { kind: 'ConfigMap', name: 'a' } as const
const b = { kind: 'Secret', name: 'b' } as const
const on = [{ kind: 'Object', name: 'a', object: { apiVersion: 'v1', kind: 'ConfigMap' } }] as const
const refused = (error: string) => blocked('ApplyFailed', on, { action: 'Apply', because: 'Refused', error })
const look = { cluster: 'c1', before: undefined, failures: [], applied: [], at: AT }
const lines = (notes: ReturnType<typeof setUnitNotes>) => notes.map((n) => `${n.type} ${n.reason}: ${n.text}`)

it('a cluster that begins to refuse something is told once, with the first of it', () => {
  const failures = [refused('one'), refused('two')]
  expect(lines(setUnitNotes({ ...look, failures }))).toEqual([
    'Warning ApplyFailed: c1: ConfigMap a: one; and 1 more',
  ])
  expect(setUnitNotes({ ...look, failures, before: { state: 'Failed' } })).toEqual([])
})

it('each success is told, with what was applied in it; where nothing was to be done there is none', () => {
  const applied = [a, b]
  const [note] = setUnitNotes({ ...look, applied, before: { state: 'Failed' } })
  expect(lines([note!])).toEqual(['Normal Applied: c1: ConfigMap/a, Secret/b applied'])
  const [later] = setUnitNotes({ ...look, applied, at: '2026-01-01T00:00:10Z' })
  expect(later!.of).not.toBe(note!.of)
  expect(setUnitNotes(look)).toEqual([])
})

it('what is refused beside what is applied counts more', () => {
  const notes = setUnitNotes({ ...look, failures: [refused('one')], applied: [b] })
  expect(lines(notes)).toEqual(['Warning ApplyFailed: c1: ConfigMap a: one'])
})
