import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../test/property.ts'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { AFTER, BEFORE, tagged } from './fluxscenario.ts'
import { judge, type SeenWrite, type WatchedUnit } from './judgement.ts'

const config = (name: string, unit: string, release: string): KubeObject =>
  tagged(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { release } },
    unit,
    release,
  )

/** A thing that is healthy when it says so. */
const thing = (release: string, status: string): KubeObject => ({
  ...tagged(
    { apiVersion: 'example.dev/v1', kind: 'Thing', metadata: { name: 'a', namespace: 'default' } },
    'a',
    release,
  ),
  status: { conditions: [{ type: 'Ready', status }] },
})

const a: WatchedUnit = { name: 'a', objects: (release) => [thing(release, 'True')] }
const b: WatchedUnit = { name: 'b', needs: ['a'], objects: (release) => [config('b', 'b', release)] }
const c: WatchedUnit = { name: 'c', needs: ['b'], objects: (release) => [config('c', 'c', release)] }

/** Writes one after the other, each over what was there of that name. */
function trace(...next: readonly (KubeObject | { readonly gone: KubeObject })[]): SeenWrite[] {
  const live = new Map<string, KubeObject>()
  return next.map((o, i) => {
    const shown = 'gone' in o ? (o.gone as KubeObject) : o
    const key = `${shown.kind}/${shown.metadata.name}`
    const old = live.get(key)
    if ('gone' in o) live.delete(key)
    else live.set(key, o)
    return { atMs: i * 100, old, next: 'gone' in o ? undefined : o }
  })
}

const first = [thing(BEFORE, 'True'), config('b', 'b', BEFORE), config('c', 'c', BEFORE)]
const shown = (units: readonly WatchedUnit[], writes: readonly SeenWrite[]): string[] =>
  judge(units, writes).violations.map((v) => `${v.kind} ${v.message}`)

describe('acting too early', () => {
  const cases: readonly [what: string, writes: SeenWrite[], found: string[]][] = [
    ['nothing but the release before', trace(...first), []],
    ['in order', trace(...first, thing(AFTER, 'True'), config('b', 'b', AFTER)), []],
    [
      'before the dependency is written',
      trace(...first, config('b', 'b', AFTER)),
      ['TooEarly b: ConfigMap/b went to release v2, though a was at release v1'],
    ],
    [
      'while the dependency is not healthy',
      trace(...first, thing(AFTER, 'False'), config('b', 'b', AFTER)),
      ['TooEarly b: ConfigMap/b went to release v2, though a was not healthy: Thing/a: Ready is False'],
    ],
    [
      'a later change of the same release is a repair',
      trace(
        ...first,
        thing(AFTER, 'True'),
        config('b', 'b', AFTER),
        thing(AFTER, 'False'),
        config('b', 'b', AFTER),
      ),
      [],
    ],
    [
      'through one that has nothing to do',
      trace(...first, config('c', 'c', AFTER)),
      ['TooEarly c: ConfigMap/c went to release v2, though b was at release v1'],
    ],
    ['objects of nobody do not count', trace(...first, { ...config('x', 'x', AFTER) }), []],
  ]
  it.each(cases)('%s', (_, writes, found) => {
    expect(shown([a, b, c], writes)).toEqual(found)
  })

  it('a middle one that the release does not change is looked through', () => {
    const same: WatchedUnit = { ...b, objects: () => [config('b', 'b', BEFORE)] }
    expect(shown([a, same, c], trace(...first, config('c', 'c', AFTER)))).toEqual([
      'TooEarly c: ConfigMap/c went to release v2, though a was at release v1',
    ])
  })
})

describe('losing and keeping', () => {
  it('an object that the release has may not be deleted, one that it drops has to be', () => {
    const half: WatchedUnit = {
      name: 'h',
      objects: (r) => [config('kept', 'h', r), ...(r === BEFORE ? [config('old', 'h', r)] : [])],
    }
    const both = [config('kept', 'h', BEFORE), config('old', 'h', BEFORE)]
    expect(shown([half], trace(...both, { gone: both[0]! }))).toEqual([
      'Deleted h: ConfigMap/kept was deleted, though release v2 has it',
      'Leaked h: ConfigMap/old is still there, though release v2 has it no more',
    ])
    expect(shown([half], trace(...both, { gone: both[1]! }))).toEqual([])
  })

  it('what went to the release may not go back', () => {
    expect(
      shown([b], trace(config('b', 'b', BEFORE), config('b', 'b', AFTER), config('b', 'b', BEFORE))),
    ).toEqual(['Reverted b: ConfigMap/b went back to release v1'])
  })
})

it('tells when each unit began and was ready', () => {
  const { progress } = judge(
    [a, b],
    trace(...first, thing(AFTER, 'False'), thing(AFTER, 'True'), config('b', 'b', AFTER)),
  )
  expect([...progress]).toEqual([
    ['a', { startedMs: 300, readyMs: 400 }],
    ['b', { startedMs: 500, readyMs: 500 }],
  ])
})

it('orders of writes: only those are right in which each follows what it needs', () => {
  const units = [a, b, c]
  const last = [thing(AFTER, 'True'), config('b', 'b', AFTER), config('c', 'c', AFTER)]
  assertProperty(
    fc.property(fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), (order) => {
      const found = judge(units, trace(...first, ...order.map((i) => last[i]!))).violations
      const wrong = order.filter((unit, at) =>
        [...Array(unit).keys()].some((need) => order.indexOf(need) > at),
      )
      expect(new Set(found.map((v) => v.unit))).toEqual(new Set(wrong.map((i) => 'abc'[i])))
    }),
  )
})
