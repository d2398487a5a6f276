/** Elections on an embedded API, in virtual time. */
import { beforeEach, describe, expect, it } from 'vitest'
import { type ApiServer, createApiServer } from '../../../apiserver/src/server/index.ts'
import { createHttpClient } from '../client/httpclient.ts'
import type { NetFailure } from '../env/net.ts'
import { createSimEnv, type SimEnv } from '../env/sim/simenv.ts'
import { type Lease, leaseKind } from '../kinds/types.ts'
import { LEASE_TIMES } from './candidate.ts'
import { type Election, startElection } from './election.ts'

const URL = 'https://hub.test'
const KEY = { namespace: 'lockstep-system', name: 'lockstep-leader' }
const CUT: NetFailure = { phase: 'connect', detail: 'cut' }

let env: SimEnv
let api: ApiServer

beforeEach(() => {
  env = createSimEnv('election')
  api = createApiServer(env, { name: 'hub' })
  env.net.serve(URL, api.handleFor({ anonymous: 'admin', tokens: new Map() }))
})

/** A candidate; none of its requests arrives when it is cut, and with a header a server refuses or forbids them. */
function candidate(identity: string, isAlive = () => true) {
  const inner = env.net.connect({ url: URL }, 'operator')
  const state = {
    isCut: false,
    headers: {},
    writeHeaders: {},
    renewals: 0,
    term: undefined as { isHeld: boolean; generation: number } | undefined,
    end: '',
  }
  const client = createHttpClient(env, 'hub', {
    request: async (r) =>
      state.isCut
        ? { ok: false, error: CUT }
        : inner.request({
            ...r,
            headers: { ...r.headers, ...state.headers, ...(r.method === 'GET' ? {} : state.writeHeaders) },
          }),
    close: () => inner.close(),
  })
  const renewed = (): void => void state.renewals++
  const election: Election = startElection(env, client, {
    ...KEY,
    manager: 'lockstep',
    ownNamespace: KEY.namespace,
    identity,
    times: LEASE_TIMES,
    isAlive,
    renewed,
  })
  void election.elected.then((term) => {
    state.term = term
  })
  void election.ended.then((end) => {
    state.end = end
  })
  return Object.assign(state, { election, client })
}

const pass = (seconds: number) => env.clock.run(() => false, seconds * 1000)
const leader = (): Lease['spec'] => api.local.list('leases.coordination.k8s.io', KEY.namespace)[0] as never

async function during<T>(work: Promise<T>): Promise<T> {
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  await env.clock.run(() => isDone)
  return work
}

describe('an election', () => {
  it('has one leader, who renews every two seconds', async () => {
    const [a, b] = [candidate('a'), candidate('b')]
    await pass(60)
    expect([a.term?.isHeld, b.term]).toEqual([true, undefined])
    expect(a.renewals).toBeGreaterThanOrEqual(29)
    expect(a.renewals).toBeLessThanOrEqual(31)
    expect(leader()).toMatchObject({
      spec: { holderIdentity: 'a', leaseTransitions: 0, leaseDurationSeconds: 15 },
    })
  })

  it('of one who is cut off goes to another, and not before the first has stopped', async () => {
    const [a, b] = [candidate('a'), candidate('b')]
    await pass(5)
    a.isCut = true
    await pass(8.5)
    expect([a.term?.isHeld, b.term]).toEqual([true, undefined])
    await pass(1)
    expect([a.term?.isHeld, a.end, b.term?.isHeld]).toEqual([false, 'NotRenewed', undefined])
    await pass(8)
    expect(b.term).toMatchObject({ isHeld: true, generation: 1 })
  })

  it('goes on after a short cut, in the same term', async () => {
    const a = candidate('a')
    await pass(5)
    a.isCut = true
    await pass(6)
    a.isCut = false
    await pass(10)
    expect([a.term, a.end]).toMatchObject([{ isHeld: true, generation: 0 }, ''])
    expect(env.lines.filter((l) => l.level === 'warn').map((l) => l.message)).toEqual([
      'the lease cannot be used',
    ])
  })

  it('is lost by who stands still', async () => {
    let isAlive = true
    const a = candidate('a', () => isAlive)
    await pass(5)
    isAlive = false
    const b = candidate('b')
    await pass(20)
    expect([a.end, a.term?.isHeld, b.term?.isHeld]).toEqual(['NotRenewed', false, true])
  })

  it('is handed over at once by who stops', async () => {
    const [a, b] = [candidate('a'), candidate('b')]
    await pass(5)
    await during(a.election.stop())
    expect(leader()).toMatchObject({ spec: { holderIdentity: '', leaseTransitions: 0 } })
    await pass(2.5)
    expect([a.end, a.term?.isHeld, b.term]).toMatchObject(['Stopped', false, { isHeld: true, generation: 1 }])
  })

  it('is not won by who stops before', async () => {
    const [a, b] = [candidate('a'), candidate('b')]
    await pass(5)
    await during(b.election.stop())
    expect([await b.election.elected, b.end, a.term?.isHeld]).toEqual([undefined, 'Stopped', true])
  })

  it('is lost to who takes the Lease by force', async () => {
    const a = candidate('a')
    await pass(5)
    const write = { purpose: 'user', manager: 'm', precondition: 'any' } as const
    await during(a.client.patch(leaseKind, KEY, { spec: { holderIdentity: 'x' } }, write))
    await pass(5)
    expect([a.end, a.term?.isHeld]).toEqual(['Taken', false])
  })

  it.each([
    ['refuses its credential', { authorization: 'Bearer old' }],
    ['gives it no right', { 'impersonate-user': 'nobody' }],
  ])('ends after a minute for a candidate that waits, where the hub %s', async (_, headers) => {
    candidate('a')
    await pass(5)
    const b = candidate('b')
    b.headers = headers
    await pass(59)
    expect(b.end).toBe('')
    await pass(4)
    expect([b.end, await b.election.elected]).toEqual(['Refused', undefined])
    expect(env.lines.filter((l) => l.fields.identity === 'b').map((l) => l.message)).toEqual([
      'waits',
      'the lease cannot be used',
    ])
  })

  it('ends after a minute for a candidate that may only read the Lease, and would write it', async () => {
    const a = candidate('a')
    await pass(5)
    const b = candidate('b')
    b.writeHeaders = { 'impersonate-user': 'nobody' }
    await pass(300)
    // Another process leads: there is nothing to write.
    expect(b.end).toBe('')
    await during(a.election.stop())
    await pass(59)
    expect(b.end).toBe('')
    await pass(5)
    expect(b.end).toBe('Refused')
    const said = env.lines.filter((l) => l.fields.identity === 'b').map((l) => l.message)
    expect(said.filter((m) => m === 'the lease cannot be used')).toHaveLength(1)
  })

  it('is waited for as long as the hub is away, and as long as one answer a minute is none of these', async () => {
    candidate('a')
    await pass(5)
    const b = candidate('b')
    await pass(5)
    b.isCut = true
    await pass(300)
    expect(b.end).toBe('')
    b.isCut = false
    for (let i = 0; i < 3; i++) {
      b.headers = { authorization: 'Bearer old' }
      await pass(50)
      b.headers = {}
      await pass(3)
    }
    expect(b.end).toBe('')
  })
})
