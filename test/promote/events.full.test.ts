/** Events of targets: what they wake, and what is believed of them. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, timestamp } from '../../packages/kube/src/object/index.ts'
import { openWebhookServer } from '../../packages/lockstep/src/gitproviders/events/webhookserver.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'

/** dev on a cluster, staging on the hub; who has `hook-1` may send events. */
async function told(seed: string, spec: object = {}) {
  const story = await PipelineStory.open(`events/${seed}`, { clusters: ['eu'] })
  const { env, hub } = story.fleet
  env.net.serve(
    'http://events.test',
    openWebhookServer(env, { trusted: [], desk: () => story.manager.eventDesk }),
  )
  const keys = async (data: Record<string, string>) => {
    const encoded = Object.entries(data).map(([k, v]) => [k, bytesToBase64(new TextEncoder().encode(v))])
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hook', namespace: NAMESPACE },
      data: Object.fromEntries(encoded),
    }
    const o = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
    must(await story.during(hub.apply(secretKind, secret, o)))
    await story.pass(1)
  }
  await keys({ 'hmac-key': 'hook-1' })
  await story.runs('dev', '1.0.0', { cluster: 'eu' })
  await story.follows('staging')
  await story.pipeline(
    { dev: { clusters: ['eu'] }, staging: {} },
    { spec: { webhook: { secretRef: { name: 'hook' } }, ...spec } },
  )
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)

  const connection = env.net.connect({ url: 'http://events.test' }, 'operator')
  /** The status that it is answered with. */
  const send = async (revision: string, o: { key?: string; agoMs?: number } = {}): Promise<number> => {
    const body = JSON.stringify({
      involvedObject: {
        apiVersion: 'helm.toolkit.fluxcd.io/v2',
        kind: 'HelmRelease',
        name: 'podinfo',
        namespace: 'dev',
      },
      severity: 'info',
      reason: 'UpgradeSucceeded',
      message: 'upgraded',
      timestamp: timestamp(env.clock.now() - (o.agoMs ?? 0)),
      metadata: { revision },
    })
    const signature = createHmac('sha256', o.key ?? 'hook-1')
      .update(body)
      .digest('hex')
    const headers = { 'content-type': 'application/json', 'x-signature': `sha256=${signature}` }
    const path = `/promotion/${NAMESPACE}/podinfo/dev`
    const answer = await story.during(connection.request({ method: 'POST', path, headers, body }))
    return must(answer).status
  }
  const lose = async () => {
    env.net.unserve('https://eu.test')
    env.net.cut('https://eu.test')
    expect(await story.until(() => said(story)?.includes('TargetUnreachable') === true)).toBe(true)
  }
  return { story, send, keys, lose, back: () => env.net.serve('https://eu.test', euOf(story)) }
}

const euOf = (story: PipelineStory) => story.fleet.clusters.get('eu')!.api.handle
const said = (story: PipelineStory) => story.environment('dev')?.blockers?.map((b) => b.reason)

describe('an event', () => {
  it('only wakes: what a target is at is read from it, whatever an event says', async () => {
    const { story, send, lose } = await told('levels')
    const writes = story.writes()
    expect(await send('2.0.0')).toBe(202)
    await story.pass(10)
    expect([story.writes(), story.environment('dev')?.current]).toEqual([writes, '1.0.0'])
    await lose()
    expect(await send('2.0.1')).toBe(202)
    await story.pass(60)
    expect([said(story), story.promotions('staging').length]).toEqual([['TargetUnreachable'], 1])
  })

  it.each<[string, readonly number[]]>([
    ['twice', [0, 2]],
    ['long after', [50]],
    ['never', []],
  ])('X9: %s: it ends the same, and no later than without', async (name, atSeconds) => {
    const { story, send } = await told(`x9/${name}`)
    const begun = story.fleet.env.clock.steady()
    await story.runs('dev', '2.0.0', { cluster: 'eu' })
    for (const at of atSeconds) {
      await story.pass(begun / 1000 + at - story.fleet.env.clock.steady() / 1000)
      expect(await send('2.0.0', { agoMs: 100 * at })).toBe(202)
    }
    expect(await story.until(() => story.phase('staging') === 'Open', 60)).toBe(true)
    expect(story.fleet.env.clock.steady() - begun).toBeLessThanOrEqual(60_000)
    expect(story.promotions('staging').map((p) => p.spec.revision)).toEqual(['1.0.0', '2.0.0'])
    expect(story.repository.pulls.list()).toHaveLength(1)
  })

  it('counts with revisionsFrom: TargetsAndEvents where the hub cannot reach, for 10 minutes', async () => {
    const { story, send, lose, back } = await told('counts', { revisionsFrom: 'TargetsAndEvents' })
    expect(await send('9.0.0')).toBe(202)
    await story.pass(10)
    expect(story.environment('dev')).toMatchObject({ current: '1.0.0', settled: { revision: '1.0.0' } })
    await lose()
    expect(await send('2.0.0')).toBe(202)
    expect(await story.until(() => story.phase('staging') === 'Open', 10)).toBe(true)
    expect(story.last('staging')!.spec.revision).toBe('2.0.0')
    expect(await send('2.0.0', { agoMs: 200 })).toBe(202)
    await story.pass(590)
    expect(story.environment('dev')).toMatchObject({ current: '2.0.0', ready: '1/1' })
    await story.pass(20)
    expect([said(story), story.environment('dev')?.settled?.revision]).toEqual([
      ['TargetUnreachable'],
      '2.0.0',
    ])
    back()
    expect(await story.until(() => story.environment('dev')?.settled?.revision === '1.0.0')).toBe(true)
  })

  it('counts for the object that it names, and not for another that the pipeline is about since', async () => {
    const { story, send, lose } = await told('another', { revisionsFrom: 'TargetsAndEvents' })
    await lose()
    expect(await send('2.0.0')).toBe(202)
    expect(await story.until(() => story.environment('dev')?.current === '2.0.0', 10)).toBe(true)
    const appRef = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'webapp' }
    await story.pipeline(
      { dev: { clusters: ['eu'] }, staging: {} },
      { spec: { webhook: { secretRef: { name: 'hook' } }, revisionsFrom: 'TargetsAndEvents', appRef } },
    )
    await story.pass(10)
    expect([said(story), story.environment('dev')?.current]).toEqual([['TargetUnreachable'], undefined])
  })

  it('that comes late counts neither against what was read meanwhile nor against a later one', async () => {
    const { story, send, lose } = await told('late', { revisionsFrom: 'TargetsAndEvents' })
    await story.pass(60)
    await lose()
    expect(await send('0.9.0', { agoMs: 290_000 })).toBe(202)
    await story.pass(10)
    expect(said(story)).toEqual(['TargetUnreachable'])
    expect(await send('2.0.0')).toBe(202)
    await story.pass(5)
    expect(await send('1.9.0', { agoMs: 20_000 })).toBe(202)
    await story.pass(5)
    expect(story.environment('dev')?.current).toBe('2.0.0')
  })

  it('is signed with the keys that the Secret has now', async () => {
    const { send, keys } = await told('keys')
    await keys({ 'hmac-key': 'hook-2', 'hmac-key-previous': 'hook-1' })
    expect([await send('2', { key: 'hook-1' }), await send('3', { key: 'hook-2' })]).toEqual([202, 202])
    await keys({ 'hmac-key': 'hook-2' })
    expect([await send('4', { key: 'hook-1' }), await send('5', { key: 'hook-2' })]).toEqual([401, 202])
    await keys({})
    expect(await send('6', { key: 'hook-2' })).toBe(401)
  })

  it('at a process that has stopped, or not begun, is to come again', async () => {
    const { story, send } = await told('starts')
    story.manager.stop()
    expect(await send('2.0.0')).toBe(503)
    story.manager = story.start()
    expect(await send('2.0.0')).toBe(503)
    await story.until(() => story.manager.eventDesk !== undefined, 10)
    expect(await send('2.0.0')).toBe(202)
  })
})
