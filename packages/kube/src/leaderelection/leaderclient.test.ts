import { describe, expect, it } from 'vitest'
import type { KubeClient } from '../client/client.ts'
import { createHttpClient } from '../client/httpclient.ts'
import type { RequestError } from '../client/requesterror.ts'
import { connectInProcess } from '../env/inprocess.ts'
import { createMeters } from '../env/meters.ts'
import type { NetRequest } from '../env/net.ts'
import { err, type Result } from '../env/result.ts'
import { createSimEnv } from '../env/sim/simenv.ts'
import { configMapKind } from '../kinds/types.ts'
import { leaderClient } from './leaderclient.ts'

const KEY = { namespace: 'n', name: 'a' }
const BODY = { apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY }
const META = { ...KEY, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const WRITE = { purpose: 'user', manager: 'm', precondition: { uid: 'u', resourceVersion: '1' } } as const

const WRITES: Record<string, (c: KubeClient) => Promise<Result<unknown, RequestError>>> = {
  create: (c) => c.create(configMapKind, BODY, WRITE),
  apply: (c) => c.apply(configMapKind, BODY, WRITE),
  patch: (c) => c.patch(configMapKind, KEY, {}, WRITE),
  update: (c) => c.update(configMapKind, { ...BODY, metadata: META }, WRITE),
  delete: (c) => c.delete(configMapKind, KEY, WRITE),
}

const READS: Record<string, (c: KubeClient) => Promise<unknown>> = {
  get: (c) => c.get(configMapKind, KEY, WRITE),
  list: (c) => c.list(configMapKind, WRITE),
  watch: (c) =>
    c
      .watch(configMapKind, { ...WRITE, resourceVersion: '1' })
      [Symbol.asyncIterator]()
      .next(),
  logs: (c) => c.logs(KEY, { ...WRITE, container: 'c', tailLines: 1, limitBytes: 1 }),
  discover: (c) => c.discover(WRITE),
  token: (c) => c.token(KEY, { ...WRITE, seconds: 600 }),
}

/** A client whose requests are seen and go nowhere. */
function subject(isHeld: boolean) {
  const sent: NetRequest[] = []
  const connection = {
    request: async (r: NetRequest) => {
      sent.push(r)
      return err({ phase: 'connect', detail: 'nobody' } as const)
    },
    close: async () => {},
  }
  const meters = createMeters()
  const client = createHttpClient(createSimEnv('leased'), 'hub', connection)
  return { sent, meters, client: leaderClient(client, { generation: 1, isHeld, leftMs: 15_000 }, meters) }
}

describe('a client of a process that leads no more', () => {
  it.each(Object.keys(WRITES))('refuses %s, and sends nothing', async (verb) => {
    const { sent, meters, client } = subject(false)
    const ref = { group: '', kind: 'ConfigMap', ...KEY }
    expect(await WRITES[verb]!(client)).toMatchObject({
      ok: false,
      error: { kind: 'FenceLost', wrote: 'no', cluster: 'hub', verb, ref },
    })
    expect(sent).toEqual([])
    expect(meters.read()).toMatchObject([
      { name: 'lockstep_fences_lost_total', labels: { kind: 'lease' }, value: 1 },
    ])
  })

  it.each(Object.keys(READS))('asks all the same: %s', async (verb) => {
    const { sent, client } = subject(false)
    await READS[verb]!(client)
    expect(sent.length).toBeGreaterThan(0)
  })
})

it.each(Object.keys(WRITES))('a client of a process that leads sends %s', async (verb) => {
  const { sent, client } = subject(true)
  await WRITES[verb]!(client)
  expect(sent).toHaveLength(1)
})

it('a client says what time it is at the server, and goes on saying it', async () => {
  const connection = connectInProcess(async () => ({
    status: 404,
    headers: { date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    body: '{}',
  }))
  const meters = createMeters()
  const inner = createHttpClient(createSimEnv('leased'), 'hub', connection)
  const client = leaderClient(inner, { generation: 1, isHeld: true, leftMs: 15_000 }, meters)
  expect(client.serverTime).toBeUndefined()
  await client.get(configMapKind, KEY, WRITE)
  expect(client.serverTime).toMatchObject({ nowMs: Date.parse('2026-01-01T00:00:00Z'), errorMs: 1000 })
})

it('a client has no other verb', () => {
  const { client } = subject(true)
  const others = ['close', 'cluster', 'serverTime']
  expect(Object.keys(client).sort()).toEqual(
    [...Object.keys(WRITES), ...Object.keys(READS), ...others].sort(),
  )
})
