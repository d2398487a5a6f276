import { describe, expect, it } from 'vitest'
import { type LastPromotion, leftBy, rollbackHold, wayBack } from './backwards.ts'

const last: LastPromotion = {
  ...{ name: 'podinfo-prod-7-x', phase: 'Failed', failedIn: 'Verifying', reason: 'VerificationFailed' },
  ...{
    message: 'check slo: error rate 2%',
    epoch: 7,
    revision: 'v2',
    isRollback: false,
    rollback: 'OnFailure',
  },
}

describe('the way back', () => {
  it('is taken once, after a failure there, to what succeeded last', () => {
    expect(wayBack(last, 'v1')).toEqual({ type: 'Back', to: 'v1' })
    expect(wayBack(last, undefined)).toEqual({ type: 'NothingToRollBackTo' })
    expect(wayBack({ ...last, failedIn: 'Applying' }, 'v1')).toEqual({ type: 'None' })
    expect(wayBack({ ...last, isRollback: true }, 'v1')).toEqual({ type: 'None' })
    expect(wayBack({ ...last, rollback: 'Off' }, 'v1')).toEqual({ type: 'None' })
    expect(wayBack({ ...last, phase: 'Succeeded' }, 'v1')).toEqual({ type: 'None' })
  })

  it('has a Hold that only it passes', () => {
    expect(rollbackHold('podinfo', 'prod', last, 'podinfo-prod-8-y')).toMatchObject({
      ...{ name: 'podinfo-prod-7-rollback', passedBy: 'podinfo-prod-8-y' },
      reason: expect.stringContaining('v2 failed in prod (check slo: error rate 2%)'),
    })
  })
})

describe('an environment that is led elsewhere', () => {
  const done: LastPromotion = { ...last, phase: 'Succeeded', failedIn: undefined }
  const at = (revision: string) => ({ type: 'At', revision, release: undefined }) as const
  const left = (revision: string, status: object, of: LastPromotion = done) =>
    leftBy({ environment: 'prod', pipeline: 'podinfo', last: of, level: at(revision), status })

  it('is held once, after it was seen at what was promoted', () => {
    const status = { arrived: done.name }
    expect(left('v1', status)).toMatchObject({ name: 'podinfo-prod-7-left', passedBy: undefined })
    expect(left('v2', status)).toBeUndefined()
    expect(left('v1', { ...status, left: done.name })).toBeUndefined()
    expect(left('v2@sha1:9b1c', status)).toBeUndefined()
  })

  it('not before it has arrived, and not while something is under way', () => {
    expect(left('v1', {})).toBeUndefined()
    expect(left('v1', { arrived: done.name }, { ...done, phase: 'Open' })).toBeUndefined()
  })
})
