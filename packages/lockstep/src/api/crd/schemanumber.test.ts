import { at } from '@lockstep/kube/object'
import { describe, expect, it } from 'vitest'
import { SCHEMA_ANNOTATION } from '../labels.ts'
import { ownKinds } from '../registry.ts'
import { ownCrds } from './crd.ts'
import { definitionName, definitionsProblem, type FoundDefinition, schemaNumber } from './schemanumber.ts'

const current = new Map(ownCrds().map((crd) => [String(at(crd, 'metadata', 'name')), crd as never]))
const problemWith = (changes: Readonly<Record<string, FoundDefinition | undefined>>) =>
  definitionsProblem((name) => (name in changes ? changes[name] : current.get(name)), '0.4.0')

describe('definitions of the hub', () => {
  it('are current if they are those of this version', () => {
    expect(problemWith({})).toBeUndefined()
    for (const kind of ownKinds) expect(schemaNumber(kind)).toBeGreaterThan(0)
  })

  it('may be newer', () => {
    const newer = { metadata: { annotations: { [SCHEMA_ANNOTATION]: '999' } } }
    expect(problemWith({ 'modules.lockstep.dev': newer })).toBeUndefined()
  })

  it.each([
    ['without a number', { metadata: {} }, 'is at 0, this version needs'],
    ['with a word for a number', { metadata: { annotations: { [SCHEMA_ANNOTATION]: 'x' } } }, 'is at 0'],
    ['absent', undefined, 'does not exist'],
  ])('%s: the problem names the definition and the action', (_, found, text) => {
    const problem = problemWith({ 'modules.lockstep.dev': found })
    expect(problem).toContain(`modules.lockstep.dev ${text}`)
    expect(problem).toMatch(/; apply the CRDs of 0\.4\.0$/)
  })

  it('counts further problems', () => {
    const all = Object.fromEntries(ownKinds.map((k) => [definitionName(k), undefined]))
    expect(problemWith(all)).toContain(`(and ${ownKinds.length - 1} more)`)
  })
})
