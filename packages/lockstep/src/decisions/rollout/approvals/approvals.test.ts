import { describe, expect, it } from 'vitest'
import type { StagePolicy } from '../policy.ts'
import type { ApprovalView, StageState } from '../types.ts'
import { findApproval, usedFirst } from './approvals.ts'

const NOW = '2026-11-22T12:00:00Z'
const TARGET = { revision: 'v1:2', bundle: 'v1:b2' }
const STAGES: StagePolicy[] = [
  { name: 'canary', clusters: ['c0'], approvalBefore: 'Required', approval: 'Required' },
  { name: 'region', groupBy: 'region', approval: 'Required' },
  { name: 'rest', clusterSelector: {} },
]
const approval = (
  stage: string,
  point: 'Before' | 'After',
  revisionHash = TARGET.revision,
): ApprovalView => ({
  name: `${stage}-${point}-${revisionHash}`,
  stage,
  point,
  revisionHash,
  approvedBy: 'ann',
})
const APPROVALS = [
  approval('canary', 'Before'),
  approval('canary', 'After'),
  approval('canary', 'After', 'v1:1'),
  approval('region/eu', 'After'),
]

interface Case {
  readonly name: string
  readonly before?: readonly StageState[]
  readonly after: readonly StageState[]
  readonly rollbackCause?: 'Undo'
  readonly completedAt?: string
  readonly used: readonly string[]
}

describe('the Approvals that a decision uses first', () => {
  const opened: StageState = { name: 'canary', openedAt: NOW }
  const passed: StageState = { ...opened, completedAt: NOW, approvedBy: 'ann' }
  it.each<Case>([
    { name: 'a stage begins', after: [opened], used: ['canary-Before-v1:2'] },
    { name: 'it had begun', before: [opened], after: [opened], used: [] },
    { name: 'it passes', before: [opened], after: [passed], used: ['canary-After-v1:2'] },
    { name: 'both at once', after: [passed], used: ['canary-Before-v1:2', 'canary-After-v1:2'] },
    { name: 'it had passed', before: [passed], after: [passed], used: [] },
    {
      name: 'a part of a stage passes',
      after: [{ name: 'region/eu', openedAt: NOW, completedAt: NOW }],
      used: ['region/eu-After-v1:2'],
    },
    {
      name: 'a stage that asks nobody passes',
      after: [{ name: 'rest', openedAt: NOW, completedAt: NOW }],
      used: [],
    },
    { name: 'on the way back nobody is asked', after: [passed], rollbackCause: 'Undo', used: [] },
    { name: 'nor after the end', after: [passed], completedAt: TARGET.revision, used: [] },
  ])('$name', ({ before = [], after, rollbackCause, completedAt, used }) => {
    const input = {
      module: 'Module/web',
      target: TARGET,
      approvals: APPROVALS,
      stages: before,
      completedAt,
      rollbackCause,
      policy: { strategy: 'Staged', stages: STAGES } as never,
    }
    expect(usedFirst(input, after)).toEqual(used)
  })
})

describe('consent to a stage', () => {
  const asked = (approvals: readonly ApprovalView[]) =>
    findApproval({ module: 'Module/web', approvals, stage: 'canary', point: 'After', revision: 'v1:2' })
  const unread = { ...approval('canary', 'After'), unread: 'the hub does not answer: try again' }
  it('is by the first that can be read, whatever their order', () => {
    const readable = { ...approval('canary', 'After'), name: 'z', approvedBy: 'bob' }
    for (const approvals of [
      [unread, readable],
      [readable, unread],
    ])
      expect(asked(approvals)).toEqual({ by: 'bob', name: 'z' })
  })
  it('that cannot be read once more does not count yet, and says why', () =>
    expect(asked([unread])).toEqual({
      blocker: {
        reason: 'ApprovalUnreadable',
        on: [{ kind: 'Approval', name: 'canary-After-v1:2' }],
        facts: { stage: 'canary', error: 'the hub does not answer: try again' },
        message:
          'stage canary: Approval canary-After-v1:2 cannot be verified: the hub does not answer: try again',
      },
    }))
})
