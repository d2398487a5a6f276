/** Each of the four writes of a handover is the last one of a process, or loses its answer: the end is the same. */
import { describe, expect, it } from 'vitest'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import type { FaultPlan } from '../simulation/process.ts'
import {
  byRing,
  deletesOn,
  hold,
  holdersOf,
  inShop,
  listedBy,
  namespaceText,
  relabel,
  release,
  SHARED,
  settings,
  shop,
  startProcess,
  uidOf,
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
        const struck = startProcess(story, 'first', { write: 1, of, ...plan })
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
          startProcess(story, 'second')
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

describe('a Namespace that a deployed Module uses, and did not have', () => {
  const place = ['namespaces', '', 'shop'] as const
  const received: Readonly<Record<string, (r: NetRequest) => boolean>> = {
    W1: isWriteTo('many', hasIntent),
    W2: (r) => r.method === 'PATCH' && (r.body ?? '').includes('"lockstep.dev/unit":"m.platform.many"'),
    W3: isWriteTo('many', (body) => !hasIntent(body) && body.includes('"inherited"')),
  }
  for (const [write, of] of Object.entries(received))
    for (const [fault, plan] of Object.entries(faults))
      it(`stays if the process ${fault}: ${write}`, async () => {
        const story = await Story.begin(`inherited ${write} ${fault}`, ['c1'])
        await story.config('base', namespaceText)
        await story.config('many', inShop('one', '1'))
        await story.module('base', 'base')
        await story.module('many', 'many')
        expect(await story.until(() => story.isReady('base') && story.isReady('many'))).toBe(true)
        const uids = uidsOf(story, 'c1', [place, settings('one')])
        await story.pass(40)
        story.manager.stop()
        const from = story.fleet.commits.length
        const struck = startProcess(story, 'first', { write: 1, of, ...plan })
        await story.deleteModule('base')
        expect(await story.until(() => struck.isStruck, 60)).toBe(true)
        if (!struck.alive || plan.instead === undefined) {
          expect(await story.until(() => !struck.alive, 10)).toBe(true)
          startProcess(story, 'second')
        }
        await story.pass(120)
        expect(story.inventory('base', 'c1')).toBeUndefined()
        expect(uidsOf(story, 'c1', [place, settings('one')])).toEqual(uids)
        expect(deletesOn(story, 'c1', from)).toEqual([])
        await story.deleteModule('many')
        expect(await story.until(() => uidOf(story, 'c1', place) === undefined, 60)).toBe(true)
        expect(story.fleet.oracles.violations).toEqual([])
      })
})
