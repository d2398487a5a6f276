/** Several machines with clocks of their own, one Lease, and an observer who knows the true time. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertProperty, expectSeen, inputsOf } from '../../../../test/property.ts'
import { seededRandom } from '../env/sim/seededrandom.ts'
import type { Lease } from '../kinds/types.ts'
import type { Stored } from '../object/kind.ts'
import {
  afterFailure,
  afterRead,
  afterWrite,
  isHeld,
  LEASE_TIMES,
  type LeaseCandidate,
  type LeaseSpec,
  type Moment,
  newCandidate,
  nextMove,
} from './candidate.ts'

const TENTH = 100

/** Drift of 5 %, an hour fast or slow, and times at which it stands still, with its steady clock (a machine that sleeps) or without (a process). */
class Machine {
  candidate: LeaseCandidate
  /** The move that is under way, with the true time at which it happens on the server and that at which its answer is here. */
  under:
    | {
        at: number
        back: number
        run: () => ((c: LeaseCandidate, now: Moment) => LeaseCandidate) | undefined
        answer?: (c: LeaseCandidate, now: Moment) => LeaseCandidate
      }
    | undefined
  isOver = false
  asleepUntil = 0
  slept = 0
  /** Nothing of it reaches the server until then. */
  cutUntil = 0
  private readonly rate: number
  private readonly offset: number

  constructor(name: string, random: ReturnType<typeof seededRandom>) {
    this.candidate = newCandidate(name, LEASE_TIMES)
    this.rate = 0.95 + 0.1 * random.next()
    this.offset = (random.next() - 0.5) * 7_200_000
  }

  now(time: number): Moment {
    return { steady: (time - this.slept) * this.rate, wall: time * this.rate + this.offset }
  }

  writes(time: number): boolean {
    const { tenure, times } = this.candidate
    return !this.isOver && tenure !== undefined && isHeld(tenure, times, this.now(time))
  }
}

class Server {
  lease: Stored<Lease> | undefined
  private version = 0

  put(spec: LeaseSpec, on: Stored<Lease> | undefined): Stored<Lease> | undefined {
    if (on?.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) return undefined
    const resourceVersion = String(++this.version)
    const metadata = {
      namespace: 'n',
      name: 'l',
      uid: 'u',
      resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
    }
    this.lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
    return this.lease
  }
}

/** Ten minutes; how often somebody else began to lead, and the instants at which two might write. */
function election(seed: string): { readonly terms: number; readonly both: readonly number[] } {
  const random = seededRandom(seed)
  const server = new Server()
  const machines = Array.from(
    { length: 2 + Math.floor(random.next() * 2) },
    (_, i) => new Machine(`m${i}`, random),
  )
  const holders: string[] = []
  const both: number[] = []
  for (let time = 0; time < 600_000; time += TENTH) {
    for (const m of machines) step(m, server, time, random)
    const writers = machines.filter((m) => m.asleepUntil <= time && m.writes(time))
    if (writers.length > 1) both.push(time)
    const [writer] = writers
    if (writer && holders.at(-1) !== writer.candidate.identity) holders.push(writer.candidate.identity)
  }
  return { terms: holders.length, both }
}

function step(m: Machine, server: Server, time: number, random: ReturnType<typeof seededRandom>): void {
  if (m.isOver) {
    // Its process ends, and another one begins on the same machine.
    m.isOver = false
    m.candidate = newCandidate(`${m.candidate.identity}'`, LEASE_TIMES)
  }
  if (m.under && m.under.at <= time && !m.under.answer)
    m.under.answer = (m.cutUntil > time ? undefined : m.under.run()) ?? ((c, now) => afterFailure(c, now))
  if (random.next() < 0.003) m.cutUntil = time + random.next() * 30_000
  if (m.asleepUntil > time) return
  if (random.next() < 0.002) {
    const ms = random.next() < 0.5 ? random.next() * 600_000 : random.next() * 30_000
    m.asleepUntil = time + ms
    if (random.next() < 0.5) m.slept += ms
    return
  }
  const now = m.now(time)
  if (m.under?.answer && m.under.back <= time) {
    const isLost = random.next() < 0.1
    m.candidate = isLost ? afterFailure(m.candidate, now) : m.under.answer(m.candidate, now)
    m.under = undefined
  }
  if (m.under) return
  const move = nextMove(m.candidate, now, true)
  if (move.type === 'wait') return
  if (move.type === 'lost') {
    m.isOver = true
    return
  }
  const sent = time + random.next() * 2000
  m.under = {
    at: sent,
    back: sent + random.next() * 2000,
    run: () => {
      if (move.type === 'read') {
        const found = server.lease
        return (c, then) => afterRead(c, found, then)
      }
      const made = server.put(move.spec, move.type === 'replace' ? move.lease : undefined)
      return made && ((c) => afterWrite(c, made, now))
    },
  }
}

/** Elections are expensive. */
const PART = 1 / 5

it('two never write at once, whatever their clocks say and however long they stand still', () => {
  let contested = 0
  assertProperty(
    fc.property(fc.nat(), (n) => {
      const { terms, both } = election(`election/${n}`)
      if (terms > 2) contested++
      expect(both).toEqual([])
    }),
    { part: PART },
  )
  // Without changes of the leader the property proves nothing.
  expectSeen(contested, 1 / 2, inputsOf(PART))
})
