/** Memory of the index of claims, and the time of a question, as this machine has them. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { claimStore, claimsOf, MODULES } from '../../../../../test/arbitrary/claimedrevisions.ts'
import {
  type ClaimingUnit,
  ClaimSet,
  fateOf,
  keysOfObject,
  parseClaim,
} from '../../decisions/ownership/index.ts'

const MIB = 1024 * 1024
const QUESTIONS = 20_000

it('20 MiB, and 20 µs a question, at most (acceptance 36)', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const start = heap()
  const plain = claimStore(false)
  const without = heap() - start
  const store = claimStore()
  const index = heap() - start - 2 * without
  const sets = Array.from(
    { length: MODULES },
    (_, m) =>
      new ClaimSet(claimsOf(m), { namespace: undefined, values: new Map(), isNamespaced: () => true }),
  )
  const units = sets.map(
    (set, m): ClaimingUnit => ({
      ref: { kind: 'Module', namespace: 'platform', name: `m${m}` },
      createdAt: '',
      aim: set,
      admitted: set,
      kept: [set],
      unread: undefined,
      takesFrom: [],
    }),
  )
  const objects = claimsOf(7).map(parseClaim)
  const began = performance.now()
  let handed = 0
  for (let i = 0; i < QUESTIONS; i++) {
    const ref = objects[i % objects.length]!
    const found = new Set<string>()
    for (const key of keysOfObject(ref, undefined))
      for (const r of store.by('claim', key)) found.add(r.module.name)
    const those = units.filter((u) => found.has(u.ref.name))
    const view = {
      holder: { kind: 'Module', namespace: 'platform', name: 'x' },
      own: [],
      units: those,
      unsettled: [],
      foreign: [],
    }
    if (fateOf({ ref, contents: undefined }, view).type === 'HandOver') handed++
  }
  const micros = ((performance.now() - began) * 1000) / QUESTIONS
  process.stdout.write(
    `\nindex of claims: ${(index / MIB).toFixed(1)} MiB; a question: ${micros.toFixed(1)} µs\n`,
  )
  expect(handed).toBe(QUESTIONS)
  expect(plain.size).toBe(store.size)
  expect(index).toBeLessThan(20 * MIB)
  expect(micros).toBeLessThan(20)
})
