import { describe, expect, it } from 'vitest'
import { HELD, newer, promotion } from './promotion.cases.ts'
import type { PromotionHold } from './promotionstate.ts'
import type { BaseObservation } from './pullrequest/pullrequestlookup.ts'
import { pushStep } from './pushstep.ts'

const settings = {
  strategy: 'push',
  push: { url: 'https://example.com/o/r', secretRef: { name: 'git' } },
}
const after = (
  phase: 'Prepared' | 'Applying',
  base: Partial<BaseObservation>,
  o: { newer?: typeof newer; held?: PromotionHold } = {},
) =>
  pushStep({
    promotion: promotion(phase, {}, settings),
    newer: undefined,
    held: undefined,
    nowMs: 0,
    ...o,
    base: {
      head: 'b1',
      hasValue: false,
      hasTrailer: false,
      isRewritten: false,
      replacedBy: undefined,
      ...base,
    },
  })

describe('a push', () => {
  it('is not done over a later epoch, nor taken for one that was taken back', () => {
    const superseded = { to: 'Superseded', message: 'branch is at 6.0.2 of a later epoch' }
    expect(after('Applying', { replacedBy: '6.0.2' })).toMatchObject(superseded)
    expect(after('Applying', { replacedBy: '6.0.2', hasTrailer: true })).toMatchObject(superseded)
  })

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

  it('that is held is not done, as long as nothing of it is there, and is looked at each minute', () => {
    expect(after('Applying', {}, { held: HELD })).toEqual({
      type: 'Wait',
      blockers: [HELD.blocker],
      untilMs: 60_000,
    })
    expect(after('Applying', {}, { held: { ...HELD, untilMs: 5000 } })).toMatchObject({ untilMs: 5000 })
    expect(after('Applying', {}, { held: HELD, newer })).toMatchObject({ to: 'Superseded' })
    expect(after('Applying', { hasValue: true, hasTrailer: true }, { held: HELD })).toMatchObject({
      to: 'Converging',
    })
  })

  it('what was taken back is not done again', () => {
    expect(after('Applying', { head: 'b9', hasTrailer: true })).toMatchObject({
      to: 'Failed',
      reason: 'RevertedInGit',
    })
  })

  it('a newer revision takes its place before, not after it', () => {
    expect(after('Applying', {}, { newer })).toMatchObject({ to: 'Superseded' })
    expect(after('Applying', { hasValue: true, hasTrailer: true }, { newer })).toMatchObject({
      to: 'Converging',
    })
  })
})
