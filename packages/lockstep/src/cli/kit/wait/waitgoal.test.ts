import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import { blocked as blockedBy } from '../../../api/blocker.ts'
import { inventoryKind, moduleKind, remoteAssemblageKind } from '../../../api/kinds/index.ts'
import { lacking, type WaitGoal, waitGoalOf } from './waitgoal.ts'

const REVISION = `v1:5f0c2d9a1e${'0'.repeat(54)}`

interface Facts {
  readonly generation?: number
  readonly observed?: number
  readonly ready?: 'True' | 'False'
  readonly message?: string
  readonly deleting?: boolean
  readonly status?: object
}

const module = (f: Facts = {}): Stored =>
  ({
    kind: 'Module',
    metadata: {
      name: 'web',
      generation: f.generation ?? 2,
      ...(f.deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {},
    status: {
      release: '2026.11',
      currentRevision: REVISION,
      conditions: [
        {
          type: 'Ready',
          status: f.ready ?? 'True',
          message: f.message ?? '',
          observedGeneration: f.observed ?? 2,
        },
      ],
      ...f.status,
    },
  }) as unknown as Stored

const inventory = (admittedSerial: number): Stored =>
  ({
    kind: 'Inventory',
    metadata: { name: 'm.web.edge', generation: 9 },
    spec: { admitted: { serial: 3, release: '2026.11', revision: REVISION } },
    status: { admittedSerial, conditions: [{ type: 'Ready', status: 'True', message: '' }] },
  }) as unknown as Stored

const blocked = {
  blockers: [{ reason: 'RolloutLimit', message: '2 of 2 slots are in use', since: '' }],
}

const unit = (name: string) => ({ kind: 'Unit', name, cluster: 'c1' }) as const
const deadlock = blockedBy('Deadlock', [unit('b'), unit('a')], {
  ring: ['b', 'a', 'b'],
  reasons: ['DependencyDeleting', 'DependentsRemain'],
  ways: [{ way: 'RemoveDependency', module: 'Module/b', of: 'Module/a' }],
})

describe('lacking', () => {
  const ready: WaitGoal = { type: 'ready' }
  const release = (value: string): WaitGoal => ({ type: 'release', value })
  const revision = (value: string): WaitGoal => ({ type: 'revision', value })
  const cases: readonly [string, WaitGoal, Stored, string | undefined][] = [
    ['it is ready', ready, module(), undefined],
    ['Ready speaks of an older spec', ready, module({ observed: 1 }), 'its last change is not published yet'],
    ['in its own words', ready, module({ ready: 'False', message: '1 failed: x' }), '1 failed: x'],
    [
      'with the first blocker',
      ready,
      module({ ready: 'False', message: 'Blocked: 1 RolloutLimit', status: blocked }),
      'Blocked: 1 RolloutLimit; RolloutLimit: 2 of 2 slots are in use',
    ],
    [
      'which is not said twice',
      ready,
      module({ ready: 'False', message: 'RolloutLimit: 2 of 2 slots are in use', status: blocked }),
      'RolloutLimit: 2 of 2 slots are in use',
    ],
    [
      'whose message ends with its advice, which is not said twice',
      ready,
      module({ ready: 'False', message: `Deadlock: ${deadlock.message}`, status: { blockers: [deadlock] } }),
      'Deadlock: b@c1 → a@c1 → b@c1: b waits for a (DependencyDeleting), a for b (DependentsRemain); remove a from spec.dependsOn of b',
    ],
    ['nothing is known', ready, { ...module(), status: undefined }, 'not reconciled'],
    ['at the release', release('2026.11'), module(), undefined],
    ['at another release', release('2026.1'), module(), 'it is at release 2026.11'],
    ['at no release', release('1'), module({ status: { release: undefined } }), 'nothing is published'],
    [
      'at the release, not ready',
      release('2026.11'),
      module({ ready: 'False', message: 'Progressing: 1 updating' }),
      'Progressing: 1 updating',
    ],
    ['at the revision, by its first digits', revision('5f0c2d'), module(), undefined],
    ['at the revision, as the API has it', revision(REVISION), module(), undefined],
    ['at another revision', revision('abcdef'), module(), 'it is at revision 5f0c2d9a1e'],
    ['a unit that is ready', ready, inventory(3), undefined],
    ['a unit at its release', release('2026.11'), inventory(3), undefined],
    ['a unit whose status is of before', ready, inventory(2), 'its last change is not published yet'],
    ['nobody deletes it', { type: 'delete' }, module(), 'not deleted'],
    ['terminating', { type: 'delete' }, module({ deleting: true }), 'terminating'],
    ['what is being deleted is not ready', ready, module({ deleting: true }), 'not reconciled'],
  ]
  it.each(cases)('%s', (_, goal, o, expected) => {
    expect(lacking(goal, o)).toBe(expected)
  })
})

describe('goalOf', () => {
  const cases: readonly [string, WaitGoal | RegExp][] = [
    ['ready', { type: 'ready' }],
    ['delete', { type: 'delete' }],
    ['release=1=2', { type: 'release', value: '1=2' }],
    ['revision=5f0c2d', { type: 'revision', value: '5f0c2d' }],
    [`revision=${REVISION}`, { type: 'revision', value: REVISION }],
    ['revision=5f0', /at least 6/],
    ['revision=latest', /at least 6/],
    ['release', /unknown state/],
    ['release=', /unknown state/],
    ['ready=true', /unknown state/],
    ['cel=status.ready', /unknown state/],
  ]
  it.each(cases)('%s', (text, expected) => {
    const goal = waitGoalOf(text, moduleKind)
    if (expected instanceof RegExp)
      expect(goal).toMatchObject({ error: { message: expect.stringMatching(expected) } })
    else expect(goal).toEqual({ ok: true, value: expected })
  })
  it('knows what a kind has', () => {
    expect(waitGoalOf('release=1', inventoryKind).ok).toBe(true)
    expect(waitGoalOf('ready', remoteAssemblageKind).ok).toBe(true)
    expect(waitGoalOf('release=1', remoteAssemblageKind)).toMatchObject({ error: { exit: 2 } })
  })
  it('says which form was probably meant', () => {
    expect(waitGoalOf('revison=5f0c2d', moduleKind)).toMatchObject({
      error: { hint: expect.stringContaining('did you mean revision=REVISION?') },
    })
  })
})
