import type { Stored } from '@lockstep/kube/object'
import { expect, it } from 'vitest'
import { blocked } from '../../../api/blocker.ts'
import type { Module } from '../../../api/kinds/index.ts'
import type { ModuleWaits } from '../../../decisions/deadlock/index.ts'
import { namedUnit } from '../../../decisions/graph/index.ts'
import type { Request } from '../../runtime/index.ts'
import { Deadlocks } from './deadlocks.ts'

const refOf = (name: string) => ({ kind: 'Module', namespace: 'platform', name })
const moduleOf = (name: string): Stored<Module> =>
  ({ metadata: { name, namespace: 'platform' } }) as unknown as Stored<Module>

/** A Module that waits for another one on `clusters` clusters. */
function waitsFor(name: string, on: string, clusters = 1): ModuleWaits {
  const units = Array.from({ length: clusters }, (_, i) => ({
    cluster: `c${i}`,
    blockers: [
      blocked('DependencyNotStarted', [namedUnit(`Module/${on}`, `c${i}`)], {
        edge: on,
        state: 'NotDeployed',
      }),
    ],
    stop: undefined,
    isHolding: false,
  }))
  const waits = { units, stages: new Map(), limits: new Map() }
  return { ref: refOf(name), waits, cause: 'Publish', isQueuing: false }
}

function started() {
  let now = 1000
  const queued: string[] = []
  const requests = { add: (r: Request) => void queued.push(r.id) }
  const deadlocks = new Deadlocks({ clock: { steady: () => now } }, requests)
  return {
    deadlocks,
    queued,
    pass: (seconds: number) => {
      now += seconds * 1000
    },
    look: (waits: ModuleWaits) => deadlocks.look(moduleOf(waits.ref.name), waits),
  }
}

it('reports a ring after 30 seconds, wakes its other Modules, and asks for nothing afterwards', () => {
  const { look, pass, queued, deadlocks } = started()
  expect(look(waitsFor('a', 'b'))).toEqual({ blockers: [], againInMs: undefined })
  expect(look(waitsFor('b', 'a'))).toEqual({ blockers: [], againInMs: 30_000 })
  expect(queued).toEqual([expect.stringContaining('a')])
  expect(look(waitsFor('a', 'b'))).toEqual({ blockers: [], againInMs: 30_000 })
  pass(30)
  for (const [own, other] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    const { blockers, againInMs } = look(waitsFor(own, other))
    expect(blockers.map((b) => b.reason)).toEqual(['Deadlock'])
    expect(againInMs).toBeUndefined()
  }
  const { steps } = deadlocks
  pass(600)
  expect(look(waitsFor('a', 'b')).againInMs).toBeUndefined()
  expect(deadlocks.steps).toBe(steps)
  expect(queued).toHaveLength(1)
})

it('ends with the first wait that is another one, and wakes the others', () => {
  const { look, pass, queued } = started()
  look(waitsFor('a', 'b'))
  look(waitsFor('b', 'a'))
  pass(30)
  expect(look(waitsFor('a', 'b')).blockers).toHaveLength(1)
  queued.length = 0
  expect(look(waitsFor('b', 'x')).blockers).toEqual([])
  expect(queued).toEqual([expect.stringContaining('a')])
  expect(look(waitsFor('a', 'b')).blockers).toEqual([])
})

it('searches at most every 10 seconds', () => {
  const { look, pass, deadlocks } = started()
  look(waitsFor('a', 'b'))
  look(waitsFor('b', 'c'))
  look(waitsFor('a', 'b', 2))
  const { steps } = deadlocks
  look(waitsFor('b', 'c', 2))
  expect(look(waitsFor('c', 'a')).againInMs).toBe(10_000)
  expect(deadlocks.steps).toBe(steps)
  pass(10)
  expect(look(waitsFor('c', 'a')).againInMs).toBe(30_000)
  expect(deadlocks.steps).toBeGreaterThan(steps)
})

it('500 clusters × 60 Modules in a chain: a search reads each wait a few times', () => {
  const { look, pass, deadlocks } = started()
  for (let i = 0; i < 60; i++) look(waitsFor(`m${i}`, `m${i + 1}`, 500))
  pass(10)
  const { steps } = deadlocks
  look(waitsFor('m59', 'm0', 500))
  expect(deadlocks.steps - steps).toBeLessThanOrEqual(8 * 30_000)
  pass(30)
  const [found] = look(waitsFor('m59', 'm0', 500)).blockers
  expect(found).toMatchObject({ reason: 'Deadlock', count: 500 })
  expect(found?.facts.ring).toHaveLength(61)
})
