/** Promotions by notification, and by hand: somebody else does it. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { eventKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64 } from '../../packages/kube/src/object/index.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { deathsOf } from '../fleet/writedeaths.ts'
import { spawn } from '../simulation/process.ts'
import { PipelineStory } from './pipelinestory.ts'

interface Got {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly path: string
  readonly atMs: number
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cut?: 'unsent'
}

/** A receiver that gives these answers, one after the other, and then 202. */
async function receiver(seed: string, answers: readonly Answer[] = [], url = 'https://hooks.test/in?a=b') {
  const story = await PipelineStory.open(seed)
  const got: Got[] = []
  const left = [...answers]
  story.fleet.env.net.serve('https://hooks.test', async (r) => {
    const read = await r.body(1_000_000)
    if (!read.ok) throw new Error(read.error)
    const body = new TextDecoder().decode(read.value)
    got.push({ headers: r.headers, body, path: r.url, atMs: story.fleet.env.clock.now() })
    return { headers: {}, body: '', ...(left.shift() ?? { status: 202 }) }
  })
  const data = { 'hmac-key': bytesToBase64(new TextEncoder().encode('key-1')) }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hook', namespace: NAMESPACE }, data }
  const o = { purpose: 'user', manager: 'user', precondition: 'any' } as const
  must(await story.during(story.fleet.hub.apply(secretKind, secret, o)))
  await story.runs('dev', '2.0.0')
  await story.runs('staging', '1.0.0')
  const notification = { url, secretRef: { name: 'hook' } }
  const begin = () =>
    story.pipeline({ dev: {}, staging: { promotion: { strategy: 'notification', notification } } })
  const ids = () => [...new Set(got.map((g) => g.headers['ce-id']))]
  return { story, got, ids, begin }
}

/** The same, and a pipeline that notifies it. */
async function received(...args: Parameters<typeof receiver>) {
  const made = await receiver(...args)
  await made.begin()
  return made
}

describe('a promotion by notification', () => {
  it('sends one CloudEvent with its key as the id, signed, and waits for what follows', async () => {
    const { story, got } = await received('notify')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    const promotion = story.last('staging')!
    const key = keyOfPromotion(promotion.spec)
    expect(promotion.status).toMatchObject({
      intent: { event: { id: key, url: 'https://hooks.test/in?a=b' } },
      result: { delivered: true },
    })
    const [first] = got
    expect(first).toMatchObject({
      path: '/in?a=b',
      headers: {
        'ce-specversion': '1.0',
        'ce-id': key,
        'ce-source': '/lockstep/platform/podinfo',
        'ce-type': 'dev.lockstep.promotion.v1',
        'idempotency-key': key,
        'content-type': 'application/json',
        'x-signature': `sha256=${createHmac('sha256', 'key-1').update(first!.body).digest('hex')}`,
      },
    })
    expect(JSON.parse(first!.body)).toEqual({
      promotion: promotion.metadata.name,
      key,
      pipeline: 'platform/podinfo',
      identity: 'podinfo',
      environment: 'staging',
      revision: '2.0.0',
      epoch: 1,
      rollback: false,
    })
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(3600)
    expect(got).toHaveLength(1)
  })

  it('is announced by an Event, as receivers of weaveworks know it', async () => {
    const { story } = await received('event')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.pass(1)
    const events = must(
      await story.during(story.fleet.hub.list(eventKind, { namespace: NAMESPACE, purpose: 'user' })),
    )
    const [event] = events.items.filter((e) => e.metadata.annotations?.version !== undefined)
    expect(event).toMatchObject({
      metadata: { annotations: { environment: 'staging', version: '2.0.0' } },
      reason: 'Promote',
      type: 'Normal',
      note: 'Promote pipeline platform/podinfo to staging with version 2.0.0',
      regarding: { kind: 'Promotion', name: story.last('staging')!.metadata.name },
    })
  })

  it.each([408, 425, 500, 503])('%i is tried again, with the same id and the same body', async (status) => {
    const { story, got, ids } = await received(`again ${status}`, [{ status }, { status }])
    expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
    expect([got.length, ids().length, new Set(got.map((g) => g.body)).size]).toEqual([3, 1, 1])
    expect(got[1]!.atMs - got[0]!.atMs).toBeGreaterThanOrEqual(8000)
  })

  it.each([429, 503])('after %i it waits as long as it is asked to', async (status) => {
    const { story, got } = await received(`wait ${status}`, [{ status, headers: { 'retry-after': '90' } }])
    expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
    expect(got[1]!.atMs - got[0]!.atMs).toBeGreaterThanOrEqual(90_000)
  })

  it('takes no longer timeout than it may wait: that is refused, and not cut in silence', async () => {
    const { story } = await receiver('timeout')
    const asked = (timeout: string) =>
      story.pipeline({
        dev: {},
        staging: {
          promotion: { strategy: 'notification', notification: { url: 'https://hooks.test/in', timeout } },
        },
      })
    await expect(asked('10001ms')).rejects.toThrow(/notification\.timeout.*from 1s to 10s/)
    await asked('10s')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
  })

  it.each([400, 404, 410, 422])('%i is the end, and names the receiver', async (status) => {
    const { story, got } = await received(`end ${status}`, [{ status }])
    expect(await story.until(() => story.phase('staging') === 'Failed')).toBe(true)
    expect(story.last('staging')!.status).toMatchObject({
      reason: 'HostRejected',
      message: `https://hooks.test/in rejected the request: POST /in: ${status} answers ${status}`,
    })
    await story.pass(3600)
    expect(got).toHaveLength(1)
  })

  it.each([401, 403])('%i waits for another key', async (status) => {
    const { story, got } = await received(`key ${status}`, [{ status }])
    expect(await story.until(() => story.waits('staging').includes('CredentialsRejected'))).toBe(true)
    await story.pass(10)
    const asked = got.length
    await story.pass(300)
    expect(got).toHaveLength(asked)
    const data = { 'hmac-key': bytesToBase64(new TextEncoder().encode('key-2')) }
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hook', namespace: NAMESPACE },
      data,
    }
    const o = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
    must(await story.during(story.fleet.hub.apply(secretKind, secret, o)))
    expect(await story.until(() => story.phase('staging') === 'Converging', 5)).toBe(true)
    expect(got.at(-1)!.headers['x-signature']).not.toBe(got[0]!.headers['x-signature'])
  })

  it('is not sent in the open, but to this machine', async () => {
    const { story, got } = await received('open', [], 'http://hooks.test/in')
    expect(await story.until(() => story.phase('staging') === 'Failed')).toBe(true)
    expect(story.last('staging')!.status).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringContaining('notification.url: '),
    })
    expect(got).toEqual([])
  })

  it('P15: killed at its writes, it may send again, and always with one id', {
    timeout: 120_000,
  }, async () => {
    let deaths = 0
    for (const after of [false, true]) {
      const { first, step } = deathsOf(after)
      for (let write = first; ; write += step) {
        const what = `${write} ${after ? 'after' : 'before'}`
        const { story, got, ids, begin } = await receiver(`killed ${what}`)
        story.manager.stop()
        const process = spawn(story.fleet.env, 'first', {
          delayMs: 1,
          lossRate: 0,
          dropRate: 0,
          crash: { write, after },
        })
        story.manager = story.start(process.env)
        await begin()
        const isDone = () => story.phase('staging') === 'Converging'
        expect(await story.until(() => !process.alive || isDone()), what).toBe(true)
        if (process.alive) break
        deaths++
        story.manager = story.start()
        expect(await story.until(isDone), what).toBe(true)
        expect(ids(), what).toEqual([keyOfPromotion(story.last('staging')!.spec)])
        expect(got.length, what).toBeLessThanOrEqual(2)
      }
    }
    expect(deaths).toBeGreaterThan(3)
  })
})

describe('a promotion by notification that names no receiver', () => {
  it('is announced by the Event alone', async () => {
    const story = await PipelineStory.open('event alone')
    await story.runs('dev', '2.0.0')
    await story.runs('staging', '1.0.0')
    await story.pipeline({ dev: {}, staging: { promotion: { strategy: 'notification', notification: {} } } })
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.pass(1)
    const events = must(
      await story.during(story.fleet.hub.list(eventKind, { purpose: 'user', namespace: NAMESPACE })),
    ).items.filter((e) => (e as { reason?: string }).reason === 'Promote')
    expect(events).toMatchObject([
      { metadata: { annotations: { environment: 'staging', version: '2.0.0' } } },
    ])
    expect(story.last('staging')!.status?.intent?.event).toEqual({
      id: keyOfPromotion(story.last('staging')!.spec),
    })
  })
})

describe('a promotion by hand', () => {
  it('takes as long as people take, and gives way to what is newer', async () => {
    const story = await PipelineStory.open('days')
    await story.runs('dev', '2.0.0')
    await story.runs('staging', '1.0.0')
    const manual = { strategy: 'manual', convergeDeadlineSeconds: 60, rollback: 'OnFailure' }
    await story.pipeline({ dev: {}, staging: { promotion: manual } })
    await story.pass(3 * 86_400)
    expect([story.phase('staging'), story.waits('staging')]).toEqual([
      'Converging',
      ['AwaitingManualPromotion'],
    ])
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '3.0.0')).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(story.promotions('staging').map((p) => p.status?.phase)).toEqual(['Superseded', 'Converging'])
    await story.runs('staging', '3.0.0', { ready: false })
    expect(await story.until(() => story.phase('staging') === 'Failed', 120)).toBe(true)
    expect(story.last('staging')!.status?.reason).toBe('ConvergeDeadlineExceeded')
  })

  it('asks nobody for anything, and has succeeded once its targets are there', async () => {
    const story = await PipelineStory.open('manual')
    await story.runs('dev', '2.0.0')
    await story.runs('staging', '1.0.0')
    await story.pipeline({ dev: {}, staging: { promotion: { strategy: 'manual' } } })
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(story.last('staging')!.status?.blockers?.[0]?.message).toBe(
      'waiting for a manual promotion of staging from 1.0.0 to 2.0.0',
    )
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    expect(story.host.requests).toEqual([])
  })
})
