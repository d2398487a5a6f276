import { describe, expect, it } from 'vitest'
import { afterEvent } from './notificationdata.ts'
import { HELD, newer, promotion } from './promotion.cases.ts'

const view = (phase: 'Prepared' | 'Applying') =>
  promotion(phase, {}, { strategy: 'notification', notification: { url: 'https://example.com' } })
const after = (phase: 'Prepared' | 'Applying', o: Partial<Parameters<typeof afterEvent>[0]> = {}) =>
  afterEvent({ promotion: view(phase), newer: undefined, isThere: false, held: undefined, nowMs: 0, ...o })

describe('a notification', () => {
  it('is sent after it was stored that it will be, and again while nobody has answered', () => {
    expect(after('Prepared')).toEqual({ type: 'Phase', to: 'Applying' })
    expect(after('Applying')).toEqual({ type: 'Effect', effect: { type: 'Notify' } })
  })

  it('that was not answered is not sent again once its targets are there', () => {
    expect(after('Applying', { isThere: true, held: HELD })).toMatchObject({ to: 'Converging' })
  })

  it('that nobody has taken yet gives way to a newer revision', () => {
    expect(after('Applying', { newer })).toMatchObject({ to: 'Superseded', reason: 'NewerRevision' })
  })

  it('is not sent again while it is held', () => {
    expect(after('Applying', { held: HELD })).toMatchObject({ type: 'Wait', blockers: [HELD.blocker] })
  })
})
