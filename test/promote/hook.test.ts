/** The endpoint of events, over real HTTP. */
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { Listening } from '../../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../packages/kube/src/env/node/nodelog.ts'
import { createSimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { timestamp } from '../../packages/kube/src/object/index.ts'
import { trustedProxies } from '../../packages/lockstep/src/decisions/promotion/hook/caller.ts'
import type { WebhookReceiver } from '../../packages/lockstep/src/gitproviders/events/webhookreceiver.ts'
import {
  openWebhookServer,
  WEBHOOK_LIMITS,
} from '../../packages/lockstep/src/gitproviders/events/webhookserver.ts'

const PATH = '/promotion/platform/podinfo/prod'
const NOW = Date.parse('2026-11-23T12:00:00Z')
const bytes = (text: string) => new TextEncoder().encode(text)
const sign = (text: string, key = 'key-1') => `sha256=${createHmac('sha256', key).update(text).digest('hex')}`

const event = (more: object = {}) =>
  JSON.stringify({
    involvedObject: {
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      name: 'podinfo',
      namespace: 'prod',
    },
    severity: 'info',
    reason: 'UpgradeSucceeded',
    timestamp: timestamp(NOW),
    message: 'ok',
    metadata: { revision: '6.0.1' },
    ...more,
  })

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
}

const env: Env = createNodeEnv(nodeLog('silent'))
const sim = createSimEnv('hook')
let listening: Listening
let woken: string[] = []
let desk: WebhookReceiver | undefined
let handler = openWebhookServer(sim, { trusted: [], desk: () => desk })

beforeAll(async () => {
  const limits = { ...WEBHOOK_LIMITS, requestMs: 300 }
  const opened = await env.net.listen({ host: '127.0.0.1', port: 0, limits }, (r) => handler(r))
  if (!opened.ok) throw new Error(opened.error.detail)
  listening = opened.value
})
afterAll(() => listening.close())

beforeEach(() => {
  woken = []
  const target = { namespace: 'prod', cluster: undefined }
  const appRef = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' }
  desk = {
    find: async ({ pipeline, environment }) =>
      pipeline === 'unknown'
        ? undefined
        : {
            key: pipeline,
            keys: pipeline === 'keyless' ? [] : [bytes('key-1'), bytes('key-0')],
            subject: environment === 'prod' ? { appRef, environment, targets: [target] } : undefined,
          },
    news: ({ pipeline }) => void woken.push(pipeline),
    nowMs: () => NOW,
  }
  handler = openWebhookServer(sim, { trusted: [], desk: () => desk })
})

/** An event of so many bytes. */
const ofSize = (bytes: number): string =>
  event({ message: 'x'.repeat(bytes - event({ message: '' }).length) })

/** As notification-controller does it, but for what a test says. */
async function send({ method = 'POST', path = PATH, body = event(), headers = {} }: Sent = {}) {
  const all = { 'content-type': 'application/json', 'x-signature': sign(body), ...headers }
  const kept = Object.entries(all).filter((h): h is [string, string] => h[1] !== undefined)
  const answer = await fetch(`${listening.url}${path}`, {
    method,
    headers: Object.fromEntries(kept),
    ...(method === 'GET' ? {} : { body }),
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** Nothing else happens meanwhile. */
async function pass(ms: number): Promise<void> {
  let isOver = false
  sim.clock.at(sim.clock.steady() + ms, () => {
    isOver = true
  })
  await sim.clock.run(() => isOver)
}

const at = (ms: number) => event({ timestamp: timestamp(NOW + ms) })

describe('P17: a request to the endpoint', () => {
  it('that is an event of the environment wakes the pipeline, once', async () => {
    expect(await send()).toMatchObject({ status: 202, text: '' })
    expect(woken).toEqual(['podinfo'])
    expect((await send()).status).toBe(202)
    expect(woken).toEqual(['podinfo'])
  })

  it.each<[string, Sent, number]>([
    ['signed with the key before', { headers: { 'x-signature': sign(event(), 'key-0') } }, 202],
    ['4 minutes old', { body: at(-240_000) }, 202],
    ['with a query', { path: `${PATH}?a=b` }, 202],
    ['a bad signature', { headers: { 'x-signature': sign(event(), 'key-2') } }, 401],
    ['a signature of another body', { headers: { 'x-signature': sign(event({ a: 1 })) } }, 401],
    ['no signature', { headers: { 'x-signature': undefined } }, 401],
    ['an unknown pipeline', { path: '/promotion/platform/unknown/prod' }, 401],
    ['an unknown pipeline and environment', { path: '/promotion/platform/unknown/test' }, 401],
    ['a pipeline without a key', { path: '/promotion/platform/keyless/prod' }, 401],
    ['an unknown environment, signed', { path: '/promotion/platform/podinfo/test' }, 404],
    ['6 minutes old', { body: at(-360_000) }, 422],
    ['6 minutes ahead', { body: at(360_000) }, 422],
    ['an error', { body: event({ severity: 'error' }) }, 422],
    ['another object', { body: event({ involvedObject: {} }) }, 422],
    ['no JSON', { body: 'revision=6.0.1' }, 400],
    ['1 MiB', { body: ofSize(1024 * 1024) }, 202],
    ['a byte more than 1 MiB', { body: ofSize(1024 * 1024 + 1) }, 413],
    ['2 MiB', { body: event({ message: 'x'.repeat(2 * 1024 * 1024) }) }, 413],
    ['no content type of JSON', { headers: { 'content-type': 'text/plain' } }, 415],
    ['headers of 20 KiB', { headers: { 'x-long': 'x'.repeat(20 * 1024) } }, 431],
    ['a wrong path', { path: '/promotion/platform/podinfo' }, 404],
    ['another method', { method: 'GET' }, 405],
    ['an approval', { path: '/approval/platform/podinfo/prod/6.0.1', body: '' }, 410],
  ])('%s: %#', async (_, sent, status) => {
    const answer = await send(sent)
    expect(answer.status).toBe(status)
    expect(woken).toEqual(status === 202 ? ['podinfo'] : [])
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'POST' : null)
  })

  it('has the limits that are promised: 16 KiB of headers, 15 s', () =>
    expect(WEBHOOK_LIMITS).toEqual({ headerBytes: 16_384, requestMs: 15_000 }))

  it('has one answer, whatever is missing, which names no sum', async () => {
    const refused: Sent[] = [
      { headers: { 'x-signature': undefined } },
      { headers: { 'x-signature': sign(event(), 'key-2') } },
      { path: '/promotion/platform/unknown/prod' },
      { path: '/promotion/platform/keyless/prod' },
    ]
    const answers = await Promise.all(refused.map((r) => send(r)))
    expect(new Set(answers.map((a) => a.text)).size).toBe(1)
    expect(answers[0]!.text).not.toMatch(/[0-9a-f]{64}/)
  })

  it('signed with its time and path is of use for 5 minutes, and nowhere else', async () => {
    const own = (seconds: number, path = PATH, body = event()): Sent => {
      const time = String(NOW / 1000 + seconds)
      return {
        path,
        body,
        headers: { 'x-lockstep-time': time, 'x-signature': sign(`${time}\n${PATH}\n${body}`) },
      }
    }
    expect((await send(own(-299))).status).toBe(202)
    expect((await send(own(-301))).status).toBe(422)
    expect((await send(own(0, '/promotion/platform/podinfo/dev'))).status).toBe(401)
    expect(woken).toEqual(['podinfo'])
  })

  it('replayed while its timestamp counts, and after 10 minutes, wakes nobody', async () => {
    const ahead = at(299_000)
    expect((await send({ body: ahead })).status).toBe(202)
    await pass(597_000)
    const later = { ...desk!, nowMs: () => NOW + 597_000 }
    desk = later
    expect(await send({ body: ahead })).toMatchObject({ status: 202, text: /same was here/ })
    await pass(4000)
    desk = { ...later, nowMs: () => NOW + 601_000 }
    expect((await send({ body: ahead })).status).toBe(422)
    expect(woken).toEqual(['podinfo'])
  })

  it('beyond 20 in 30 s for one pipeline is told when to come again', async () => {
    for (let i = 0; i < 20; i++) expect((await send({ body: event({ i }) })).status).toBe(202)
    const answer = await send({ body: event({ i: 20 }) })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30'])
    expect((await send({ path: '/promotion/platform/other/prod' })).status).toBe(202)
    await pass(30_000)
    expect((await send({ body: event({ i: 20 }) })).status).toBe(202)
  })

  it('beyond 60 in 30 s of one address is not looked at, whoever it says it is', async () => {
    const forged = (i: number) => ({
      'x-real-ip': `203.0.113.${i}`,
      'x-forwarded-for': `203.0.113.${i}`,
      forwarded: `for=203.0.113.${i}`,
      'x-signature': undefined,
    })
    for (let i = 0; i < 60; i++) expect((await send({ headers: forged(i) })).status).toBe(401)
    const answer = await send({ headers: forged(61) })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30'])
    expect((await send()).status).toBe(429)
    expect(woken).toEqual([])
  })

  it('counts for whom a trusted proxy names', async () => {
    const trusted = trustedProxies('127.0.0.0/8')
    if (!trusted.ok) throw new Error(trusted.error)
    handler = openWebhookServer(sim, { trusted: trusted.value, desk: () => desk })
    const from = (address: string) => ({ 'x-forwarded-for': address, 'x-signature': undefined })
    for (let i = 0; i < 60; i++)
      expect((await send({ headers: from('1.2.3.4, 203.0.113.1') })).status).toBe(401)
    expect((await send({ headers: from('203.0.113.1') })).status).toBe(429)
    expect((await send({ headers: from('203.0.113.2') })).status).toBe(401)
  })

  it('at a process that does not lead is to come again', async () => {
    desk = undefined
    const answer = await send()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  })

  it('whose body does not come to its end is given up', async () => {
    const { hostname, port } = new URL(listening.url)
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname)
      let got = ''
      socket.on('data', (d) => {
        got += d
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(got))
      socket.write(
        `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
      )
    })
    expect(text).toMatch(/^HTTP\/1\.1 408 /)
    expect(woken).toEqual([])
  })

  it('leaves no sum, no key and no body in the log', async () => {
    await send()
    await send({ headers: { 'x-signature': sign(event(), 'key-2') } })
    const log = JSON.stringify(sim.lines)
    expect(log).toContain('event taken')
    expect(log).not.toMatch(/key-\d|[0-9a-f]{64}|involvedObject/)
  })
})
