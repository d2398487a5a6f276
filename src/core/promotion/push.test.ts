import { describe, expect, it } from 'vitest'
import type { BaseSeen } from './lookup.ts'
import { afterBase } from './push.ts'
import { newer, promotion } from './testing.cases.ts'

const settings = {
  strategy: 'push',
  push: { url: 'https://example.com/o/r', secretRef: { name: 'git' } },
}
const after = (phase: 'Prepared' | 'Applying', base: Partial<BaseSeen>, by?: typeof newer) =>
  afterBase({
    promotion: promotion(phase, {}, settings),
    newer: by,
    base: { head: 'b1', hasValue: false, hasTrailer: false, isRewritten: false, ...base },
  })

describe('a push', () => {
  it('is done once, after it was stored that it will be', () => {
    expect(after('Prepared', {})).toEqual({ type: 'Phase', to: 'Applying' })
    expect(after('Applying', {})).toEqual({ type: 'Effect', effect: { type: 'Push' } })
    expect(after('Applying', { hasValue: true, hasTrailer: true, head: 'c1' })).toMatchObject({
      to: 'Converging',
      result: { commit: 'c1' },
    })
  })

  it('on a base that has moved it is another commit', () => {
    expect(after('Applying', { head: 'b2' })).toEqual({ type: 'Rebuild', previous: undefined })
    expect(after('Applying', { isRewritten: true })).toEqual({ type: 'Rebuild', previous: undefined })
  })

  it('what was taken back is not done again', () => {
    expect(after('Applying', { head: 'b9', hasTrailer: true })).toMatchObject({
      to: 'Failed',
      reason: 'RevertedAtBase',
    })
  })

  it('a newer revision takes its place before, not after it', () => {
    expect(after('Applying', {}, newer)).toMatchObject({ to: 'Superseded' })
    expect(after('Applying', { hasValue: true, hasTrailer: true }, newer)).toMatchObject({ to: 'Converging' })
  })
})
