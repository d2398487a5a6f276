import { describe, expect, it } from 'vitest'
import { type BeginInput, begin, type EnvironmentHold } from './begin.ts'
import { failing, newer, PULL, promotion, silent, TARGET } from './promotion.cases.ts'

const hold: EnvironmentHold = {
  name: 'freeze',
  reason: 'audit',
  environments: ['prod'],
  passedBy: undefined,
  untilMs: undefined,
}
const settled = { name: 'dev', settled: { revision: '6.0.1' }, unreachable: undefined, unsettled: undefined }

const after = (o: Partial<BeginInput> = {}) =>
  begin({
    promotion: promotion('Pending'),
    pipeline: 'podinfo',
    namespace: 'platform',
    newer: undefined,
    running: [],
    sources: [settled],
    goesBack: undefined,
    lost: [],
    holds: [],
    consents: [],
    window: { isOpen: true, changesAtMs: undefined, opens: undefined },
    ...o,
  })
const reasons = (o: Partial<BeginInput>) => {
  const step = after(o)
  return step.type === 'Wait' ? step.blockers.map((b) => b.reason) : step.type
}

describe('a promotion begins', () => {
  it('when nothing keeps it', () => expect(after()).toEqual({ type: 'Prepare' }))

  it('an Approval is asked for by a command that can be run as it stands', () => {
    const step = after({ promotion: promotion('Pending', {}, { ...PULL, approval: 'Required' }) })
    expect(step).toMatchObject({
      blockers: [
        {
          message: expect.stringMatching(
            /lockstep rollout approve pipeline\/podinfo --stage prod -n platform$/,
          ),
        },
      ],
    })
  })

  it('not at all once a newer one is there', () => {
    expect(after({ newer, holds: [hold] })).toMatchObject({ to: 'Superseded', reason: 'NewerRevision' })
  })

  it('nor where it has succeeded before its status was lost: that is what it says then', () => {
    expect(after({ newer, isForgotten: true })).toMatchObject({ to: 'Succeeded', reason: 'Promoted' })
    expect(after({ isForgotten: true })).toEqual({ type: 'Prepare' })
  })

  const approved = { ...PULL, approval: 'Required' }
  const unreadable = {
    namespace: 'prod',
    cluster: 'eu',
    state: 'Unreadable' as const,
    revision: undefined,
    release: undefined,
    ref: TARGET,
    blocker: silent,
  }
  it.each<[string, Partial<BeginInput>, unknown]>([
    [
      'its source has moved on',
      { sources: [{ ...settled, settled: { revision: '6.0.2' } }] },
      ['SourceNotSettled'],
    ],
    [
      'its source is not ready, or on its way elsewhere',
      { sources: [{ ...settled, unsettled: { because: 'NotReady', cause: failing } }] },
      ['SourceNotSettled'],
    ],
    ['its source is held', { holds: [{ ...hold, environments: ['dev'] }] }, ['SourceNotSettled']],
    [
      'what it follows has failed, and goes back first',
      { goesBack: { name: 'podinfo-prod-6-x', revision: '6.0.0' } },
      ['PromotionInProgress'],
    ],
    ['its source cannot be read', { sources: [{ ...settled, unreachable: silent }] }, ['SourceUnreachable']],
    [
      'another is under way',
      { running: [{ name: 'podinfo-prod-6-x', phase: 'Converging' }] },
      ['PromotionInProgress'],
    ],
    ['a target cannot be read', { lost: [unreadable] }, ['TargetUnreachable']],
    ['somebody holds the environment', { holds: [hold] }, ['Held']],
    ['somebody holds another one', { holds: [{ ...hold, environments: ['qa'] }] }, 'Prepare'],
    ['somebody holds all', { holds: [{ ...hold, environments: undefined }] }, ['Held']],
    ['its own Hold', { holds: [{ ...hold, passedBy: promotion('Pending').name }] }, 'Prepare'],
    ['nobody has consented', { promotion: promotion('Pending', {}, approved) }, ['AwaitingApproval']],
    [
      'a consent to another promotion',
      { promotion: promotion('Pending', {}, approved), consents: [{ name: 'a', key: 'f'.repeat(64) }] },
      ['ApprovalForOtherRevision'],
    ],
    [
      'a consent to this one',
      {
        promotion: promotion('Pending', {}, approved),
        consents: [{ name: 'a', key: promotion('Pending').key.slice(0, 10) }],
      },
      'Prepare',
    ],
    [
      'the way back asks nobody',
      { promotion: promotion('Pending', {}, approved, { isRollback: true }) },
      'Prepare',
    ],
  ])('%s', (_, o, wanted) => expect(reasons(o)).toEqual(wanted))

  it('looks again when its window opens, or a Hold ends', () => {
    const window = { isOpen: false, changesAtMs: 5000, opens: '1970-01-01T00:00:05Z' }
    expect(after({ window, holds: [{ ...hold, untilMs: 3000 }] })).toMatchObject({
      type: 'Wait',
      untilMs: 3000,
      blockers: [
        { reason: 'Held' },
        { reason: 'WindowClosed', message: 'environment prod: window closed, opens 1970-01-01T00:00:05Z' },
      ],
    })
  })

  it('a source that is not ready is named with its target and the reason', () => {
    const step = after({ sources: [{ ...settled, unsettled: { because: 'NotReady', cause: failing } }] })
    expect(step).toMatchObject({
      blockers: [
        {
          on: [{ kind: 'Object', name: 'podinfo', object: { kind: 'Pipeline' } }, TARGET],
          facts: { environments: ['dev'], reason: 'TargetNotReady', detail: 'UpgradeFailed' },
          message:
            'waiting for environment dev: HelmRelease prod/podinfo on eu: TargetNotReady: UpgradeFailed',
        },
      ],
    })
  })
})
