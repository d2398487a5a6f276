import { describe, expect, it } from 'vitest'
import type { InventoryStatus } from '../../../api/kinds/inventory/status.ts'
import type { ModuleStatus } from '../../../api/kinds/module/status.ts'
import { moduleLines, rolloutResult, unitLines } from './statuslines.ts'

const AT = '2026-01-01T00:00:00Z'
const module = (s: object): ModuleStatus => s as ModuleStatus
const unit = (s: object): InventoryStatus => s as InventoryStatus
const rollout = (s: object): ModuleStatus =>
  module({ rollout: { revision: 'v1:a', phase: 'Progressing', ...s } })
const blocker = (reason: string, more = {}) => ({ reason, message: `${reason} it is`, since: AT, ...more })
const show = (lines: ReturnType<typeof moduleLines>) =>
  lines.map((l) => `${l.level} ${l.reason}: ${l.message}`)
const STAGE = { name: 'canary', total: 1 }
const READY = { state: 'Ready', revision: 'v1:a', objects: { ready: 3 } }

describe('lines of a Module', () => {
  it.each([
    ['a rollout that starts', undefined, rollout({}), ['info RolloutStarted: the rollout started']],
    ['one that continues', rollout({}), rollout({ phase: 'Waiting' }), []],
    [
      'steps of a stage',
      rollout({ stages: [STAGE] }),
      rollout({ stages: [{ ...STAGE, approvedBy: 'ann', openedAt: AT, completedAt: AT }] }),
      [
        'info Approved: stage canary was approved by ann',
        'info StageStarted: stage canary started',
        'info StageComplete: stage canary is complete',
      ],
    ],
    [
      'the end of what a person had to end, once for each reason',
      module({ blockers: [blocker('Halted'), blocker('Halted'), blocker('RolloutLimit')] }),
      module({ blockers: [] }),
      ['info Halted: ended: Halted it is'],
    ],
    [
      'the end of what the line of a unit or of a cluster says',
      module({
        blockers: [
          blocker('ApplyFailed', { clusters: ['c1'] }),
          blocker('ClusterUnreachable', { on: [{ kind: 'Cluster', name: 'c1' }] }),
        ],
      }),
      module({}),
      [
        'debug ApplyFailed: ended: ApplyFailed it is',
        'debug ClusterUnreachable: ended: ClusterUnreachable it is',
      ],
    ],
    [
      'what holds still',
      module({ blockers: [blocker('Halted')] }),
      module({ blockers: [blocker('Halted')] }),
      [],
    ],
  ] as const)('%s', (_, before, after, lines) => {
    expect(show(moduleLines(before, after))).toEqual(lines)
  })
})

describe('lines of a unit', () => {
  const ready = 'info Ready: 3 objects are ready'
  it.each([
    ['ready for the first time', undefined, unit(READY), [ready]],
    ['ready at another revision', unit(READY), unit({ ...READY, revision: 'v1:b' }), [ready]],
    ['ready after a change of its objects', unit({ ...READY, state: 'Delivering' }), unit(READY), []],
    ['ready after a failure', unit({ ...READY, state: 'Failed' }), unit(READY), [ready]],
    [
      'a dependency that is ready again: that one has the line',
      unit({ blockers: [blocker('ReleaseMismatch', { on: [{ kind: 'Unit', name: 'b' }] })] }),
      unit({}),
      [],
    ],
  ] as const)('%s', (_, before, after, lines) => {
    expect(show(unitLines(before, after))).toEqual(lines)
  })
})

it.each([
  ['complete for the first time', rollout({}), rollout({ phase: 'Complete', completedAt: AT }), 'Complete'],
  [
    'complete before',
    rollout({ completedAt: AT }),
    rollout({ phase: 'Complete', completedAt: AT }),
    undefined,
  ],
  ['halted', rollout({}), rollout({ phase: 'Halted' }), 'Halted'],
  ['halted still', rollout({ phase: 'Halted' }), rollout({ phase: 'Halted' }), undefined],
  ['rolled back', rollout({ phase: 'RollingBack' }), rollout({ phase: 'RolledBack' }), 'RolledBack'],
  ['in progress', undefined, rollout({}), undefined],
])('a rollout that is %s', (_, before, after, result) => {
  expect(rolloutResult(before, after)).toBe(result)
})
