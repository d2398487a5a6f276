import { describe, expect, it } from 'vitest'
import {
  detectDivergence,
  divergenceHold,
  epochOfHold,
  findRollback,
  type LastPromotion,
  ownHoldName,
  recordDivergence,
  retainDivergence,
  revertedHold,
  rollbackHold,
  unrecordedRevert,
} from './rollback.ts'

const last: LastPromotion = {
  name: 'podinfo-prod-7-x',
  phase: 'Failed',
  failedIn: 'Verifying',
  reason: 'VerificationFailed',
  message: 'check slo: error rate 2%',
  epoch: 7,
  revision: 'v2',
  rollbackOf: undefined,
  rollback: 'OnFailure',
  isAsked: false,
  isHandedOn: false,
  isAtBase: false,
}

describe('the way back', () => {
  it('is taken once, after a failure there, to what succeeded last', () => {
    expect(findRollback([last], 'v1')).toEqual({
      type: 'Back',
      to: { revision: 'v1', release: undefined },
      failed: last,
    })
    expect(findRollback([last], undefined)).toEqual({ type: 'NothingToRollBackTo' })
    expect(findRollback([{ ...last, failedIn: 'Applying' }], 'v1')).toEqual({ type: 'None' })
    expect(findRollback([{ ...last, rollbackOf: 'podinfo-prod-6-w' }], 'v1')).toEqual({ type: 'None' })
    expect(findRollback([{ ...last, rollback: 'Off' }], 'v1')).toEqual({ type: 'None' })
    expect(findRollback([{ ...last, phase: 'Succeeded' }], 'v1')).toEqual({ type: 'None' })
  })

  it('takes along the release that came with it, if that is known', () => {
    const done: LastPromotion = { ...last, phase: 'Succeeded', epoch: 6, revision: 'v1', release: '2026.10' }
    const all = [done, { ...last, release: '2026.11' }]
    expect(findRollback(all, 'v1')).toMatchObject({ to: { revision: 'v1', release: '2026.10' } })
    expect(findRollback(all, 'v0')).toMatchObject({ to: { revision: 'v0', release: undefined } })
  })

  it.each<[string, Partial<LastPromotion>, 'Back' | 'None']>([
    ['waits behind it', { phase: 'Pending' }, 'Back'],
    ['was superseded while it waited', { phase: 'Superseded', failedIn: 'Pending' }, 'Back'],
    ['was asked for', { phase: 'Pending', isAsked: true }, 'None'],
    ['has begun', { phase: 'Applying' }, 'None'],
    ['has succeeded', { phase: 'Succeeded' }, 'None'],
    ['is that way back', { phase: 'Failed', failedIn: 'Pending', rollbackOf: last.name }, 'None'],
  ])('is or is not taken where a later one %s', (_, o, type) => {
    const later = { ...last, failedIn: undefined, name: 'podinfo-prod-8-y', epoch: 8, revision: 'v3', ...o }
    expect(findRollback([last, later], 'v1').type).toBe(type)
  })

  it('has a Hold that only it passes', () => {
    expect(rollbackHold('podinfo', 'prod', last, 'podinfo-prod-8-y')).toMatchObject({
      name: 'podinfo-prod-7-rollback',
      passedBy: 'podinfo-prod-8-y',
      reason: expect.stringContaining('v2 failed in prod (check slo: error rate 2%)'),
    })
  })
})

describe('an environment that is led elsewhere', () => {
  const done: LastPromotion = { ...last, phase: 'Succeeded', failedIn: undefined }
  const next = (o: Partial<LastPromotion>): LastPromotion => ({
    ...done,
    name: 'podinfo-prod-8-y',
    epoch: 8,
    revision: 'v3',
    phase: 'Open',
    ...o,
  })
  const at = (revision: string, o: object = {}) =>
    ({ state: 'Ready', revision, isBehind: false, ...o }) as const
  const led = (targets: ReturnType<typeof at>[], later: LastPromotion[] = [], arrived = done.name) =>
    detectDivergence({ promotions: [done, ...later], targets, arrived })?.to

  it('is one where a target is at something else, after it was seen at what was promoted', () => {
    expect(led([at('v1')])).toBe('v1')
    expect(led([at('v2')])).toBeUndefined()
    expect(led([at('v2@sha1:9b1c')])).toBeUndefined()
    expect(led([at('v1')], [], 'another')).toBeUndefined()
    expect(led([at('v2'), at('v1'), at('v2')])).toBe('v1')
  })

  it('is said once for each revision that it is led to, whoever has led it there', () => {
    const after = (to: readonly string[] | undefined, ...targets: ReturnType<typeof at>[]) =>
      detectDivergence({ promotions: [done], targets, arrived: done.name, said: { name: done.name, to } })?.to
    expect(after(['v1'], at('v1'))).toBeUndefined()
    expect(after(['v1'], at('v1'), at('v0'))).toBe('v0')
    expect(after(['v1', 'v0'], at('v0'), at('v1'))).toBeUndefined()
    // Before revisions were told, all of them were meant.
    expect(after(undefined, at('v0'))).toBeUndefined()
    const other = { name: 'another', to: ['v1'] }
    expect(
      detectDivergence({ promotions: [done], targets: [at('v1')], arrived: done.name, said: other })?.to,
    ).toBe('v1')
    expect(recordDivergence(other, { from: done, to: 'v1' })).toEqual({ left: done.name, leftTo: ['v1'] })
    const two = recordDivergence({ name: done.name, to: ['v1'] }, { from: done, to: 'v0' })
    expect(two.leftTo).toEqual(['v1', 'v0'])
  })

  it('led there once more, after it was elsewhere, it is said once more', () => {
    const said = { name: done.name, to: ['v1', 'v0'] }
    expect(retainDivergence(said, [at('v0')])?.to).toEqual(['v0'])
    expect(retainDivergence(said, [at('v0'), at('v1')])?.to).toEqual(['v1', 'v0'])
    // What it is at is not known for sure.
    expect(retainDivergence(said, [at('v0'), at('v0', { state: 'Unready' })])?.to).toEqual(['v1', 'v0'])
    expect(retainDivergence({ name: done.name, to: undefined }, [at('v0')])?.to).toBeUndefined()
  })

  it('not to what an intent is to bring there whose promotion somebody has deleted', () => {
    const o = { promotions: [done], targets: [at('v3')], arrived: done.name }
    expect(detectDivergence({ ...o, intended: 'v3' })).toBeUndefined()
    expect(detectDivergence(o)?.to).toBe('v3')
  })

  it('not to what was handed on: the pull request may have been merged before', () => {
    const on = next({ phase: 'Superseded', failedIn: 'Open', isHandedOn: true })
    expect(led([at('v3')], [on])).toBeUndefined()
  })

  it('not by a target that fails, cannot be read, or had not arrived with the others', () => {
    expect(led([at('v1', { state: 'Unready' }), at('v1', { state: 'Unreadable' })])).toBeUndefined()
    expect(led([at('v2'), at('v1', { isBehind: true })])).toBeUndefined()
  })

  it.each([
    ['Pending', undefined],
    ['Open', undefined],
    ['Rejected', 'Open'],
    ['Superseded', 'Open'],
    ['Failed', 'Prepared'],
    ['Failed', 'Verifying'],
  ] as const)('whatever becomes of a later promotion: %s', (phase, failedIn) => {
    expect(led([at('v1')], [next({ phase, failedIn })])).toBe('v1')
  })

  it('not by a later promotion that may have brought it there', () => {
    expect(led([at('v3')], [next({})])).toBeUndefined()
    expect(led([at('v3')], [next({ phase: 'Failed', failedIn: 'Verifying' })])).toBeUndefined()
    expect(led([at('v3')], [next({ phase: 'Failed', failedIn: 'Applying' })])).toBeUndefined()
    expect(led([at('v3')], [next({ phase: 'Rejected', failedIn: 'Open' })])).toBe('v3')
    expect(led([at('v1')], [next({ phase: 'Converging' })])).toBeUndefined()
  })

  it('is held by the name of what it left', () => {
    expect(divergenceHold('podinfo', 'prod', { from: done, to: 'v1' })).toMatchObject({
      name: 'podinfo-prod-7-left',
      passedBy: undefined,
      reason: expect.stringContaining('prod changed from v2 to v1 outside Lockstep'),
    })
  })
})

describe('what was taken back at its base', () => {
  const back: LastPromotion = { ...last, failedIn: 'Applying', reason: 'RevertedInGit' }
  const later = { ...last, name: 'podinfo-prod-8-y', epoch: 8, phase: 'Pending', reason: undefined } as const

  it('is said once, also where something newer waits already', () => {
    expect(unrecordedRevert([back], [])).toBe(back)
    expect(unrecordedRevert([back, later], [])).toBe(back)
    expect(unrecordedRevert([back, later], [back.name])).toBeUndefined()
    expect(unrecordedRevert([last], [])).toBeUndefined()
  })

  it('is not said any more once somebody has asked, or something newer is there', () => {
    expect(unrecordedRevert([back, { ...later, isAsked: true }], [])).toBeUndefined()
    expect(unrecordedRevert([back, { ...later, phase: 'Succeeded' }], [])).toBeUndefined()
  })
})

it('a Hold that is made without anybody asking says of which epoch it is', () => {
  const done = { ...last, epoch: 12 }
  expect(epochOfHold(divergenceHold('podinfo', 'prod-2', { from: done, to: 'v1' }).name)).toBe(12)
  expect(epochOfHold(rollbackHold('podinfo', 'prod', done, 'podinfo-prod-13-y').name)).toBe(12)
  expect(epochOfHold(revertedHold('podinfo', 'prod', done).name)).toBe(12)
  expect(epochOfHold('freeze-2026')).toBeUndefined()
})

it('a Hold has a name of its own where that of two pipelines would be one', () => {
  const led = { from: { ...last, epoch: 12 }, to: 'v1' }
  const ofShop = divergenceHold('shop', 'eu-prod', led).name
  expect(divergenceHold('shop-eu', 'prod', led).name).toBe(ofShop)
  const own = ownHoldName(ofShop, 'shop', 'eu-prod')
  expect(own).toMatch(/^shop-eu-prod-12-left-[0-9a-f]{8}$/)
  expect(ownHoldName(ofShop, 'shop-eu', 'prod')).not.toBe(own)
  expect(epochOfHold(own)).toBe(12)
})
