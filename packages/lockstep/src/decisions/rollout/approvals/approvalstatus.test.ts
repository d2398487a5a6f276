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
      says: 'nothing is written to 3 of its clusters',
    },
    {
      name: 'a pause of starts, on some',
      hold: hold('h', { clusters: ['c1', 'x'], action: 'Pause' }),
      on: ['c1'],
      is: 'True Active',
      says: 'nothing new starts on 1 of its clusters',
    },
    {
      name: 'a pause of what is not there',
      hold: hold('h', { clusters: ['x'] }),
      on: [],
      is: 'True Active',
      says: 'nothing is written to no cluster: the module has none of them',
    },
    {
      name: 'before its end',
      hold: hold('h', { untilMs: NOW + 1 }),
      on: ['c0', 'c1', 'c2'],
      is: 'True Active',
      says: 'nothing',
    },
    {
      name: 'at its end',
      hold: hold('h', { untilMs: NOW }),
      on: [],
      is: 'False Expired',
      says: 'its end has passed',
    },
    {
      name: 'a pin',
      hold: pin('h', 'v1:1', ['c0', 'c1']),
      on: ['c0', 'c1'],
      is: 'True Active',
      says: '1 on 2 of its clusters',
    },
    {
      name: 'a pin to nothing',
      hold: pin('h', '0123456789', ['c0'], false),
      on: [],
      is: 'False PinnedRevisionUnknown',
      says: 'the history has no revision 0123456789',
    },
    {
      name: 'two pins at different revisions',
      hold: pin('h', 'v1:1', ['c0', 'c1']),
      beside: [pin('i', 'v1:2', ['c1', 'c2'])],
      on: ['c0'],
      is: 'False HoldConflict',
      says: 'Hold i pins c1 at another revision',
    },
    {
      name: 'two pins at one revision',
      hold: pin('h', 'v1:1', ['c0']),
      beside: [pin('i', 'v1:1', ['c0'])],
      on: ['c0'],
      is: 'True Active',
      says: '1 on',
    },
    {
      name: 'a pin against one that has ended',
      hold: pin('h', 'v1:1', ['c0']),
      beside: [{ ...pin('i', 'v1:2', ['c0']), untilMs: NOW }],
      on: ['c0'],
      is: 'True Active',
      says: '1 on 1',
    },
    {
      name: 'a pause comes before a pin',
      hold: pin('h', 'v1:1', ['c0', 'c1']),
      beside: [hold('p', { clusters: ['c1'] })],
      on: ['c0'],
      is: 'True Active',
      says: '1 on 1 of its clusters; Hold p suspends c1 first',
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
      says: 'what comes after stage canary may begin with revision 2',
    },
    {
      name: 'for a beginning',
      approval: { point: 'Before' },
      revision: 'v1:2',
      is: 'True Counts',
      says: 'stage canary may begin with revision 2',
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
      says: 'stage canary has passed with revision 2: it cannot be taken back',
    },
    {
      name: 'its stage has begun',
      approval: { point: 'Before' },
      target: { stages: [{ name: 'canary', openedAt: 'then' }] },
      revision: 'v1:2',
      is: 'True Used',
      says: 'stage canary has begun',
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
      says: 'it is for 1, this is 2',
    },
    {
      name: 'before anything is published',
      target: { revisions: [] },
      is: 'False ApprovalForOtherRevision',
      says: 'nothing is published yet',
    },
    {
      name: 'of no stage',
      approval: { stage: 'canry' },
      is: 'False StageUnknown',
      says: 'Module web has no stage canry: it has canary, regions, rest',
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
      says: 'stage rest asks for no consent to pass',
    },
    {
      name: 'of no module',
      target: 'missing',
      is: 'False TargetMissing',
      says: 'there is no Module web in this namespace',
    },
    {
      name: 'of deletions',
      approval: { stage: 'prune', revisionHash: 'v1:1' },
      revision: 'v1:1',
      is: 'True Counts',
      says: 'objects may be deleted by revision 1',
    },
    {
      name: 'of deletions by what no cluster has',
      approval: { stage: 'prune' },
      is: 'False ApprovalForOtherRevision',
      says: 'it is for 2, this is 1',
    },
  ])('$name', ({ approval: over, target, revision, is, says }) => {
    const whole = target === 'missing' ? undefined : { ...TARGET, ...target }
    const said = approvalStatusOf(approval(over), 'Module web', whole)
    expect([said.revision, `${said.condition.status} ${said.condition.reason}`]).toEqual([revision, is])
    expect(said.condition.message).toContain(says)
  })
})
