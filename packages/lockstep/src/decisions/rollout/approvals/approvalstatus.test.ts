import { describe, expect, it } from 'vitest'
import type { ApprovalView } from '../types.ts'
import type { HoldView } from '../unitholds.ts'
import { type ApprovalTarget, approvalStatusOf, holdStatusOf } from './approvalstatus.ts'

const NOW = 1_000_000
const CLUSTERS = ['c2', 'c1', 'c0']
const hold = (name: string, over: Partial<HoldView> = {}): HoldView => ({
  name,
  clusters: undefined,
  action: over.pin ? 'Pin' : 'Suspend',
  untilMs: undefined,
  ...over,
})
const pin = (name: string, revision: string, clusters: readonly string[], isKnown = true): HoldView =>
  hold(name, { pin: { revision, isKnown }, clusters })

interface HoldCase {
  readonly name: string
  readonly hold: HoldView
  readonly beside?: readonly HoldView[]
  readonly on: readonly string[]
  readonly is: string
  readonly says: string
}

describe('what becomes of a Hold', () => {
  it.each<HoldCase>([
    {
      name: 'a pause',
      hold: hold('h'),
      on: ['c0', 'c1', 'c2'],
      is: 'True Active',
      says: 'writes suspended on 3 clusters of the Module',
    },
    {
      name: 'a pause of starts, on some',
      hold: hold('h', { clusters: ['c1', 'x'], action: 'Pause' }),
      on: ['c1'],
      is: 'True Active',
      says: 'new deployments paused on 1 cluster of the Module',
    },
    {
      name: 'a pause of what is not there',
      hold: hold('h', { clusters: ['x'] }),
      on: [],
      is: 'True Active',
      says: 'writes suspended on no cluster of the Module',
    },
    {
      name: 'before its end',
      hold: hold('h', { untilMs: NOW + 1 }),
      on: ['c0', 'c1', 'c2'],
      is: 'True Active',
      says: 'writes suspended',
    },
    {
      name: 'at its end',
      hold: hold('h', { untilMs: NOW }),
      on: [],
      is: 'False Expired',
      says: 'spec.until is in the past',
    },
    {
      name: 'a pin',
      hold: pin('h', 'v1:1', ['c0', 'c1']),
      on: ['c0', 'c1'],
      is: 'True Active',
      says: 'revision 1 pinned on 2 clusters of the Module',
    },
    {
      name: 'a pin to nothing',
      hold: pin('h', '0123456789', ['c0'], false),
      on: [],
      is: 'False PinnedRevisionUnknown',
      says: 'Hold h pins revision 0123456789, which is not in the history',
    },
    {
      name: 'two pins at different revisions',
      hold: pin('h', 'v1:1', ['c0', 'c1']),
      beside: [pin('i', 'v1:2', ['c1', 'c2'])],
      on: ['c0'],
      is: 'False HoldConflict',
      says: 'Holds h and i pin different revisions on c1; the current revision stays',
    },
    {
      name: 'two pins at one revision',
      hold: pin('h', 'v1:1', ['c0']),
      beside: [pin('i', 'v1:1', ['c0'])],
      on: ['c0'],
      is: 'True Active',
      says: 'revision 1 pinned on 1 cluster',
    },
    {
      name: 'a pin against one that has ended',
      hold: pin('h', 'v1:1', ['c0']),
      beside: [{ ...pin('i', 'v1:2', ['c0']), untilMs: NOW }],
      on: ['c0'],
      is: 'True Active',
      says: 'revision 1 pinned on 1 cluster',
    },
    {
      name: 'a pause comes before a pin',
      hold: pin('h', 'v1:1', ['c0', 'c1']),
      beside: [hold('p', { clusters: ['c1'] })],
      on: ['c0'],
      is: 'True Active',
      says: 'revision 1 pinned on 1 cluster of the Module; Hold p suspends c1',
    },
  ])('$name', ({ hold: h, beside = [], on, is, says }) => {
    const { clusters, condition } = holdStatusOf(h, [h, ...beside], CLUSTERS, NOW)
    expect([clusters, `${condition.status} ${condition.reason}`]).toEqual([on, is])
    expect(condition.message).toContain(says)
  })
})

const TARGET: ApprovalTarget = {
  revisions: ['v1:2', 'v1:3'],
  admitted: ['v1:1'],
  policy: {
    strategy: 'Staged',
    stages: [
      { name: 'canary', clusters: ['c0'], approvalBefore: 'Required', approval: 'Required' },
      { name: 'regions', groupBy: 'region', approval: 'Required' },
      { name: 'rest', clusterSelector: {} },
    ],
  } as never,
  stages: [],
}
const approval = (over: Partial<ApprovalView> = {}): ApprovalView => ({
  name: 'a1',
  stage: 'canary',
  point: 'After',
  revisionHash: 'v1:2',
  approvedBy: 'ann',
  ...over,
})

interface ApprovalCase {
  readonly name: string
  readonly approval?: Partial<ApprovalView>
  readonly target?: Partial<ApprovalTarget> | 'missing'
  readonly revision?: string
  readonly is: string
  readonly says: string
}

describe('what becomes of an Approval', () => {
  it.each<ApprovalCase>([
    {
      name: 'given early',
      revision: 'v1:2',
      is: 'True Counts',
      says: 'stage canary may complete with revision 2',
    },
    {
      name: 'for a beginning',
      approval: { point: 'Before' },
      revision: 'v1:2',
      is: 'True Counts',
      says: 'stage canary may open with revision 2',
    },
    {
      name: 'for what is published while another rollout runs',
      approval: { revisionHash: 'v1:3' },
      revision: 'v1:3',
      is: 'True Counts',
      says: 'revision 3',
    },
    {
      name: 'its stage has passed',
      target: { stages: [{ name: 'canary', openedAt: 'then', completedAt: 'then' }] },
      revision: 'v1:2',
      is: 'True Used',
      says: 'stage canary completed with revision 2; the approval cannot be revoked',
    },
    {
      name: 'its stage has begun',
      approval: { point: 'Before' },
      target: { stages: [{ name: 'canary', openedAt: 'then' }] },
      revision: 'v1:2',
      is: 'True Used',
      says: 'stage canary opened with revision 2',
    },
    {
      name: 'of part of a stage',
      approval: { stage: 'regions/eu' },
      revision: 'v1:2',
      is: 'True Counts',
      says: 'stage regions/eu',
    },
    {
      name: 'for another revision',
      approval: { revisionHash: 'v1:1' },
      is: 'False ApprovalForOtherRevision',
      says: 'stage canary: Approval a1 approves 1, not 2',
    },
    {
      name: 'before anything is published',
      target: { revisions: [] },
      is: 'False ApprovalForOtherRevision',
      says: 'Approval a1 approves 2, but no revision is published',
    },
    {
      name: 'of no stage',
      approval: { stage: 'canry' },
      is: 'False StageUnknown',
      says: 'Module web has no stage canry: its stages are canary, regions and rest',
    },
    {
      name: 'without stages',
      target: { policy: { strategy: 'Replace' } as never },
      is: 'False StageUnknown',
      says: 'its rollout has no stages',
    },
    {
      name: 'that nobody asks for',
      approval: { stage: 'rest' },
      is: 'False NotRequired',
      says: 'stage rest requires no approval to complete',
    },
    {
      name: 'of no module',
      target: 'missing',
      is: 'False TargetMissing',
      says: 'Module web not found in the namespace',
    },
    {
      name: 'of deletions',
      approval: { stage: 'prune', revisionHash: 'v1:1' },
      revision: 'v1:1',
      is: 'True Counts',
      says: 'revision 1 may delete objects',
    },
    {
      name: 'of deletions by what no cluster has',
      approval: { stage: 'prune' },
      is: 'False ApprovalForOtherRevision',
      says: 'Approval a1 approves 2, not 1',
    },
  ])('$name', ({ approval: over, target, revision, is, says }) => {
    const whole = target === 'missing' ? undefined : { ...TARGET, ...target }
    const said = approvalStatusOf(approval(over), 'Module/web', whole)
    expect([said.revision, `${said.condition.status} ${said.condition.reason}`]).toEqual([revision, is])
    expect(said.condition.message).toContain(says)
  })
})
