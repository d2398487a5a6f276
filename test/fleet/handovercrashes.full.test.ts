/** Each of the four writes of a handover is the last one of a process, or loses its answer: the end is the same. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type FaultPlan, spawn } from '../simulation/process.ts'
import {
  byRing,
  deletesOn,
  hold,
  holdersOf,
  listedBy,
  relabel,
  release,
  SHARED,
  shop,
  uidsOf,
} from './handoverstory.ts'
import { Story } from './steps.ts'

const isWriteTo = (module: string, isIt: (body: string) => boolean) => (r: NetRequest) =>
  r.method === 'PUT' && r.path.includes(`/inventories/m.${module}.c1`) && isIt(r.body ?? '')

const hasIntent = (body: string): boolean => body.includes('"takes"')

/** The writes, as requests. */
const writes: Readonly<Record<string, (r: NetRequest) => boolean>> = {
  W1: isWriteTo('shop-v2', hasIntent),
  W2: (r) => r.method === 'PATCH' && (r.body ?? '').includes('"lockstep.dev/unit":"m.platform.shop-v2"'),
  W3: isWriteTo('shop-v2', (body) => !hasIntent(body) && body.includes('"objects"')),
  W4: (r) => /^(?:PUT|PATCH|DELETE)$/.test(r.method) && r.path.includes('/inventories/m.shop-v1.c1'),
}

const faults: Readonly<Record<string, Omit<NonNullable<FaultPlan['crash']>, 'write' | 'of'>>> = {
  'dies before it': { after: false },
  'dies after it': { after: true },
  'loses its answer': { after: true, instead: 'unanswered' },
}

function start(story: Story, name: string, crash?: NonNullable<FaultPlan['crash']>) {
  const process = spawn(story.fleet.env, name, {
    delayMs: 1,
    lossRate: 0,
    dropRate: 0,
    ...(crash ? { crash } : {}),
  })
  const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
  story.manager = startManager(process.env, createHttpClient(process.env, 'hub', hub, 'lockstep-controller'))
  return process
}

/** shop-v1 is ready on c1; shop-v2 waits for a Module that does not exist, if only the giver may act. */
async function begun(name: string, actor: 'giver' | 'receiver'): Promise<Story> {
  const story = await Story.begin(name, ['c1'])
  await relabel(story, 'c1', { ring: 'blue' })
  await story.config('v1', shop('1'))
  await story.config('v2', shop('2'))
  await story.module('shop-v1', 'v1', byRing('blue'))
  await story.module('shop-v2', 'v2', {
    ...byRing('green'),
    ...(actor === 'giver' ? { dependsOn: ['none'] } : {}),
  })
  expect(await story.until(() => story.isReady('shop-v1'))).toBe(true)
  if (actor === 'receiver') await hold(story, 'shop-v1', { action: 'Suspend' })
  await story.pass(40)
  story.manager.stop()
  return story
}

describe.each(['giver', 'receiver'] as const)('a handover that the %s runs (acceptance 5)', (actor) => {
  for (const [write, of] of Object.entries(writes))
    for (const [fault, plan] of Object.entries(faults))
      it(`${write}: its process ${fault}`, async () => {
        const story = await begun(`${actor} ${write} ${fault}`, actor)
        const uids = uidsOf(story, 'c1')
        const from = story.fleet.commits.length
        const struck = start(story, 'first', { write: 1, of, ...plan })
        await relabel(story, 'c1', { ring: 'green' })
        // The giver's own writes come once it may write again.
        if (actor === 'receiver' && write === 'W4') {
          expect(await story.until(() => story.isReady('shop-v2'), 60)).toBe(true)
          await release(story, 'shop-v1')
        }
        expect(await story.until(() => struck.isStruck, 60)).toBe(true)
        if (!struck.alive || plan.instead === undefined) {
          expect(await story.until(() => !struck.alive, 10)).toBe(true)
          await story.pass(5)
          start(story, 'second')
        }
        await story.pass(60)
        await story.module('shop-v2', 'v2', byRing('green'))
        if (actor === 'receiver' && write !== 'W4') await release(story, 'shop-v1')
        const isDone = () => story.isReady('shop-v2') && story.inventory('shop-v1', 'c1') === undefined
        expect(await story.until(isDone, 120)).toBe(true)
        expect(uidsOf(story, 'c1')).toEqual(uids)
        expect(deletesOn(story, 'c1', from)).toEqual(['delete configmaps shop/only-1'])
        expect(holdersOf(story, 'c1')).toEqual(SHARED.map(() => 'm.platform.shop-v2'))
        expect(listedBy(story, 'shop-v2')).toEqual(['data', 'only-2', 'settings', 'shop', 'web'])
        const intents = () => story.inventory('shop-v2', 'c1')?.spec.intents ?? []
        expect(await story.until(() => intents().length === 0, 60)).toBe(true)
        expect(story.fleet.oracles.violations).toEqual([])
      })
})
