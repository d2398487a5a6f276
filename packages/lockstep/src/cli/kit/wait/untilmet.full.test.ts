import { expect, it } from 'vitest'
import { cuttableConnection } from '../../../../../../test/kube/cuttableconnection.ts'
import { createHttpClient } from '../../../../../kube/src/client/httpclient.ts'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import type { KubeObject } from '../../../../../kube/src/object/index.ts'
import { moduleKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import type { CommandContext } from '../command.ts'
import { FLEET_NAMESPACE, furnish, HUB, startLocalFleet } from '../localfleet/localfleet.ts'
import { type ObjectWait, untilMet, type WaitEnd } from './untilmet.ts'
import { failureOf, hopelessOf, lacking, type WaitGoal } from './waitgoal.ts'

const URL = 'https://hub.invalid'
const KEY = { namespace: FLEET_NAMESPACE, name: 'web' }
const WRITE = { purpose: 'user', manager: CLI_MANAGER, precondition: 'any' } as const

const web = (release: string): KubeObject => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: KEY,
  spec: { release, source: { inline: { objects: [] } } },
})

/** A hub in virtual time without controllers: the test says what they would. */
async function hubOf() {
  const env = createSimEnv('wait')
  const fleet = startLocalFleet(env, { clusters: [], delays: { notice: [1, 2], start: [1, 2] } })
  env.net.serve(URL, fleet.hub.handle)
  furnish(fleet, () => ({ url: URL }))
  await env.clock.run(() => false, 1000)
  const client = createHttpClient(env, HUB, env.net.connect({ url: URL }, 'operator'))
  const wire = cuttableConnection(env.net.connect({ url: URL }, 'operator'))
  const stop = new AbortController()
  const c = { env, signal: stop.signal } as unknown as CommandContext
  const pass = (ms: number) => env.clock.run(() => false, ms)
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    await pass(10)
    return work
  }
  const say = (status: object) =>
    settle(client.patch(moduleKind, KEY, { status } as never, { ...WRITE, subresource: 'status' }))
  const report = (
    ready: string,
    message: string,
    observedGeneration: number,
    type = 'Ready',
    reason = 'X',
  ) => {
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    return say({
      release: '1',
      conditions: [{ type, status: ready, reason, message, lastTransitionTime, observedGeneration }],
    })
  }
  const put = (release = '1') => settle(client.apply(moduleKind, web(release), WRITE))
  const remove = () => settle(client.delete(moduleKind, KEY, WRITE))
  const news: string[] = []
  const wait = (
    goal: WaitGoal,
    timeoutMs = 60_000,
    more: Partial<ObjectWait> = {},
  ): { ended: () => WaitEnd | undefined } => {
    let ended: WaitEnd | undefined
    const followed = createHttpClient(env, HUB, wire.connection)
    const hub = { client: followed, server: HUB, namespace: FLEET_NAMESPACE }
    const lacks = (o: Parameters<typeof lacking>[1]) => lacking(goal, o)
    void untilMet(c, hub, {
      kind: moduleKind,
      name: 'web',
      timeoutMs,
      lacks,
      news: (t) => news.push(t),
      ...more,
    }).then((e) => {
      ended = e
    })
    return { ended: () => ended }
  }
  return { env, fleet, pass, put, remove, report, wait, news, stop, wire }
}

const READY: WaitGoal = { type: 'ready' }

it('ends within a moment of what it waits for, and tells every step on the way once', async () => {
  const h = await hubOf()
  await h.put()
  const { ended } = h.wait(READY)
  await h.pass(1000)
  for (const text of ['Progressing: 2 updating', 'Progressing: 2 updating', 'Progressing: 1 updating'])
    await h.report('False', text, 1)
  expect(ended()).toBeUndefined()
  await h.report('True', 'all', 1)
  await h.pass(20)
  expect(ended()).toMatchObject({ how: 'met', object: { metadata: { name: 'web' } } })
  expect(h.news).toEqual(['not reconciled', 'Progressing: 2 updating', 'Progressing: 1 updating'])
})

it('does not take what is ready at the spec of before for an answer', async () => {
  const h = await hubOf()
  await h.put('1')
  await h.report('True', 'all', 1)
  await h.put('2')
  const { ended } = h.wait(READY)
  await h.pass(5000)
  expect(ended()).toBeUndefined()
  await h.report('True', 'all', 2)
  await h.pass(20)
  expect(ended()?.how).toBe('met')
})

it('says at the end of the time what was lacking', async () => {
  const h = await hubOf()
  await h.put()
  await h.report('False', 'Blocked: 1 RolloutLimit', 1)
  const { ended } = h.wait(READY, 10_000)
  await h.pass(9900)
  expect(ended()).toBeUndefined()
  await h.pass(200)
  expect(ended()).toEqual({ how: 'late', lacks: 'Blocked: 1 RolloutLimit' })
})

it('outlives a hub that is away for a while, and says so if the time ends before', async () => {
  const h = await hubOf()
  await h.put()
  await h.report('False', 'Blocked', 1)
  const patient = h.wait(READY, 600_000)
  const short = h.wait(READY, 1000)
  await h.pass(500)
  h.env.net.unserve(URL)
  h.wire.cut()
  await h.pass(500_000)
  expect(short.ended()).toEqual({
    how: 'late',
    lacks: expect.stringMatching(/^Blocked; .*ECONNREFUSED/),
  })
  expect(patient.ended()).toBeUndefined()
  h.env.net.serve(URL, h.fleet.hub.handle)
  await h.report('True', 'all', 1)
  await h.pass(90_000)
  expect(patient.ended()?.how).toBe('met')
})

it('what is not there, and what was deleted', async () => {
  const h = await hubOf()
  const before = h.wait(READY)
  await h.pass(1000)
  expect(before.ended()).toEqual({ how: 'absent' })
  await h.put()
  const during = h.wait(READY)
  await h.pass(1000)
  await h.remove()
  await h.pass(20)
  expect(during.ended()).toEqual({ how: 'gone' })
})

it('a hub that is away at the beginning, and Ctrl-C', async () => {
  const h = await hubOf()
  await h.put()
  const waits = h.wait(READY)
  await h.pass(1000)
  h.stop.abort()
  await h.pass(10)
  expect(waits.ended()).toEqual({ how: 'interrupted' })
  const away = await hubOf()
  away.env.net.unserve(URL)
  const refused = away.wait(READY)
  await away.pass(1000)
  expect(refused.ended()).toMatchObject({ how: 'refused', error: { kind: 'Unreachable' } })
})

it('what says that it will not be ready has failed', async () => {
  const h = await hubOf()
  await h.put()
  await h.report('True', '2 failed', 1, 'Stalled')
  const waits = h.wait(READY, 60_000, { failure: failureOf })
  await h.pass(1000)
  expect(waits.ended()).toEqual({ how: 'failed', text: 'it is not ready: 2 failed' })
})

it('gives a selector that matches no cluster ten seconds, counted again after each change for the better', async () => {
  const h = await hubOf()
  await h.put()
  const none = () => h.report('False', '0 of 3 clusters match', 1, 'Ready', 'SelectsNothing')
  await none()
  const { ended } = h.wait(READY, 60_000, { hopeless: (o) => hopelessOf(READY, o) })
  await h.pass(8000)
  await h.report('False', 'Progressing: 1 updating', 1)
  await h.pass(8000)
  await none()
  await h.pass(9000)
  expect(ended()).toBeUndefined()
  await h.pass(1500)
  expect(ended()).toEqual({ how: 'failed', text: 'it is not ready: 0 of 3 clusters match' })
})

it('of an older spec, or for a deletion, it does not fail', async () => {
  const h = await hubOf()
  await h.put('1')
  await h.report('False', '0 of 3 clusters match', 1, 'Ready', 'SelectsNothing')
  const gone = h.wait({ type: 'delete' }, 60_000, { hopeless: (o) => hopelessOf({ type: 'delete' }, o) })
  await h.put('2')
  const { ended } = h.wait(READY, 60_000, { hopeless: (o) => hopelessOf(READY, o) })
  await h.pass(30_000)
  expect([ended(), gone.ended()]).toEqual([undefined, undefined])
})

it('with a timeout of 0 it looks once: ready, not ready, or impossible without a change', async () => {
  const h = await hubOf()
  await h.put()
  const once = () => h.wait(READY, 0, { hopeless: (o) => hopelessOf(READY, o) })
  const ends: (WaitEnd | undefined)[] = []
  for (const [ready, reason] of [
    ['True', 'Complete'],
    ['False', 'Held'],
    ['False', 'SelectsNothing'],
  ] as const) {
    await h.report(ready, `said ${reason}`, 1, 'Ready', reason)
    const { ended } = once()
    await h.pass(100)
    ends.push(ended())
  }
  expect(ends).toMatchObject([
    { how: 'met' },
    { how: 'late', lacks: 'said Held' },
    { how: 'failed', text: 'it is not ready: said SelectsNothing' },
  ])
})
