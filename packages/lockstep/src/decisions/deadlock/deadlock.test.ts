import { expect, it } from 'vitest'
import { blocked } from '../../api/blocker.ts'
import { namedUnit } from '../graph/index.ts'
import { deadlocksOf } from './deadlock.ts'
import type { ModuleWaits } from './modulewaits.ts'

/** On c1 it waits until all of the others are deployed. */
const waiting = (name: string, ...on: readonly string[]): ModuleWaits => ({
  ref: { kind: 'Module', namespace: 'team', name },
  cause: 'Publish',
  isQueuing: false,
  waits: {
    units: [
      {
        cluster: 'c1',
        blockers: on.map((edge) =>
          blocked('DependencyNotStarted', [namedUnit(`Module/${edge}`, 'c1')], {
            edge,
            state: 'NotDeployed',
          }),
        ),
        stop: undefined,
        isHolding: false,
      },
    ],
    stages: new Map(),
    limits: new Map(),
  },
})

const ringsIn = (...modules: readonly ModuleWaits[]): string[][] =>
  deadlocksOf(modules).deadlocks.map(({ links }) => links.map(({ ref }) => ref.name))

it('a unit waits for all of its dependencies: one that can be deployed ends no deadlock of another', () => {
  expect(ringsIn(waiting('a', 'b', 'free'), waiting('b', 'a'))).toEqual([['a', 'b']])
  expect(ringsIn(waiting('a', 'free', 'b'), waiting('b', 'other', 'a'))).toEqual([['a', 'b']])
})

it('waits without a ring are no deadlock', () => {
  expect(ringsIn(waiting('a', 'b', 'free'), waiting('b', 'free'))).toEqual([])
})
