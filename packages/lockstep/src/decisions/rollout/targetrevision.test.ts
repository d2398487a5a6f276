import { describe, expect, it } from 'vitest'
import {
  type HistoryRevision,
  type RolloutProgress,
  type TargetRevisionInput,
  targetRevisionOf,
} from './targetrevision.ts'

const kept = (n: number, over: Partial<HistoryRevision> = {}): HistoryRevision => ({
  revision: `v1:${String(n).repeat(64)}`,
  release: `r${n}`,
  completedAtMs: n * 1000,
  isUsable: true,
  ...over,
})
const R = (n: number): string => kept(n).revision

/** Three revisions, all of which were complete once; the third is published. */
const INPUT: TargetRevisionInput = {
  module: 'Module/web',
  published: R(3),
  policy: { onFailure: 'Halt' },
  history: [kept(1), kept(2), kept(3)],
  begun: { revision: R(3), phase: 'Progressing', cause: 'Publish' },
  retry: false,
  below: [],
  isStuck: false,
}
const ask = (over: Partial<TargetRevisionInput>): string => {
  const { revision, cause, problem, refused } = targetRevisionOf({ ...INPUT, ...over })
  const more = [
    refused === undefined ? '' : 'refused',
    problem ? `${problem.reason}: ${problem.message}` : '',
  ]
  return [cause, revision.slice(3, 4), ...more].filter((x) => x !== '').join(' ')
}
const ROLLBACK = { onFailure: 'Rollback' } as const
const halted: RolloutProgress = { revision: R(3), phase: 'Halted', haltedAt: R(3) }
const undo = (from: string, to: string) => ({ policy: { ...INPUT.policy, undo: { from, to } } })

describe('where a fleet is to be', () => {
  it.each<[what: string, over: Partial<TargetRevisionInput>, goal: string]>([
    ['what is published', {}, 'Publish 3'],
    ['halted is halted', { begun: halted }, 'Publish 3'],
    ['failed, the last complete one', { policy: ROLLBACK, begun: halted }, 'Rollback 2 refused'],
    [
      'the last that was complete, not the last that was published',
      { policy: ROLLBACK, begun: halted, history: [kept(1, { completedAtMs: 9000 }), kept(2), kept(3)] },
      'Rollback 1 refused',
    ],
    [
      'one that never was complete is none',
      { policy: ROLLBACK, begun: halted, history: [kept(1), kept(2, { completedAtMs: undefined }), kept(3)] },
      'Rollback 1 refused',
    ],
    [
      'without any, it stays halted',
      { policy: ROLLBACK, begun: halted, history: [kept(3)] },
      'Publish 3 NothingToRollBackTo: revision 3333333333 failed, and no other revision was complete before; the rollout is halted',
    ],
    [
      'one whose content is gone is none',
      { policy: ROLLBACK, begun: halted, history: [kept(2, { isUsable: false }), kept(3)] },
      'Publish 3 NothingToRollBackTo: revision 3333333333 failed, and no other revision was complete before; the rollout is halted',
    ],
    [
      'what was refused stays so, whatever the policy says now',
      { begun: { revision: R(2), phase: 'RolledBack', cause: 'Rollback', refused: R(3) } },
      'Rollback 2 refused',
    ],
    [
      'until somebody asks for it again',
      { begun: { revision: R(2), phase: 'RolledBack', cause: 'Rollback', refused: R(3) }, retry: true },
      'Publish 3',
    ],
    [
      'or another is published',
      { begun: { revision: R(1), phase: 'RolledBack', cause: 'Rollback', refused: R(2) } },
      'Publish 3',
    ],
    ['undone', undo(R(3), R(1)), 'Undo 1'],
    ['undone, by ten digits', undo('3333333333', '1111111111'), 'Undo 1'],
    ['an undo of what is published no more', undo(R(2), R(1)), 'Publish 3'],
    [
      'an undo to what is not there',
      undo(R(3), '0123456789'),
      'Publish 3 RollbackTargetUnknown: spec.rollout.undo.to: revision 0123456789 is not in the history; it has 1111111111 and 2222222222',
    ],
    ['undone comes before refused', { ...undo(R(3), R(1)), begun: { refused: R(3) } }, 'Undo 1'],
    [
      'with what it needs, at the release that it had with it',
      { below: [{ module: 'Module/a', published: 'r3', wanted: 'r1' }] },
      'Dependency 1',
    ],
    [
      'not with what has another release published',
      { below: [{ module: 'Module/a', published: 'r2', wanted: 'r1' }] },
      'Publish 3',
    ],
    [
      'not to a release that it never had',
      { below: [{ module: 'Module/a', published: 'r3', wanted: 'r0' }] },
      'Publish 3',
    ],
    [
      'Wait: the one under way first',
      { policy: { onFailure: 'Halt', supersede: 'Wait' }, begun: { revision: R(2), phase: 'Waiting' } },
      'Wait 2 RolloutInProgress: revision 3333333333 waits for the rollout of 2222222222 to complete (supersede: Wait)',
    ],
    ...(['Complete', 'Halted', 'RolledBack', 'CompletedWithFailures', 'Idle'] as const).map(
      (phase): [string, Partial<TargetRevisionInput>, string] => [
        `Wait: ${phase} is an end`,
        { policy: { onFailure: 'Halt', supersede: 'Wait' }, begun: { revision: R(2), phase } },
        'Publish 3',
      ],
    ),
    [
      'Wait: nobody waits for what has nothing in flight, and waits for others',
      {
        policy: { onFailure: 'Halt', supersede: 'Wait' },
        begun: { revision: R(2), phase: 'Waiting' },
        isStuck: true,
      },
      'Publish 3',
    ],
    [
      'Wait: nobody waits for a way back',
      {
        policy: { onFailure: 'Halt', supersede: 'Wait' },
        begun: { revision: R(1), phase: 'RollingBack', cause: 'Rollback', refused: R(2) },
      },
      'Publish 3',
    ],
  ])('%s', (_, over, goal) => {
    expect(ask(over)).toBe(goal)
  })
})
