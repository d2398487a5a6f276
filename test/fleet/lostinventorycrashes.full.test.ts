/** Each write of the rebuilding of an Inventory is the last one of a process, or loses its answer: the end is the same. */
import { expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type FaultPlan, spawn } from '../simulation/process.ts'
import { deletesOn } from './handoverstory.ts'
import { begin, contents, forge, inventoriesOf, lose, STAMP } from './lostinventorystory.ts'
import type { Story } from './steps.ts'

const pathOf = ({ path }: NetRequest): string => path.split('?')[0]!
const isOfInventory = (isIt: (body: string) => boolean) => (r: NetRequest) =>
  r.method === 'PUT' && pathOf(r).endsWith('/inventories/m.web.c1') && isIt(r.body ?? '')
const isPatchOf = (name: string) => (r: NetRequest) =>
  r.method === 'PATCH' && pathOf(r).endsWith(`/configmaps/${name}`)

const writes: Readonly<Record<string, (r: NetRequest) => boolean>> = {
  'the intents': isOfInventory((body) => body.includes('"takes"') && !body.includes('"admitted"')),
  'the stamp': (r) => r.method === 'PUT' && pathOf(r).endsWith(`/configmaps/${STAMP.name}`),
  'the admission': isOfInventory((body) => body.includes('"admitted"')),
  'the marks of an object of the bundle': isPatchOf('a'),
  'the marks of another object': isPatchOf('left'),
  'the entries': isOfInventory((body) => body.includes('"objects"')),
}

const faults: Readonly<Record<string, Omit<NonNullable<FaultPlan['crash']>, 'write' | 'of'>>> = {
  'dies before it': { after: false },
  'dies after it': { after: true },
  'loses its answer': { after: true, instead: 'unanswered' },
}

function spawned(story: Story, name: string, crash?: NonNullable<FaultPlan['crash']>) {
  const plan = { delayMs: 1, lossRate: 0, dropRate: 0, ...(crash ? { crash } : {}) }
  const process = spawn(story.fleet.env, name, plan)
  const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
  story.manager = startManager(process.env, createHttpClient(process.env, 'hub', hub, 'lockstep-controller'))
  return process
}

for (const [write, of] of Object.entries(writes))
  for (const [fault, plan] of Object.entries(faults))
    it(`${write}: the process ${fault}`, async () => {
      const story = await begin(`lost ${write} ${fault}`, ['a', 'b'])
      const former = await lose(story)
      await forge(story, 'left', former)
      const [before, from] = [contents(story, ['a', 'b', 'left']), story.fleet.commits.length]
      const struck = spawned(story, 'first', { write: 1, of, ...plan })
      expect(await story.until(() => struck.isStruck, 60)).toBe(true)
      if (!struck.alive || plan.instead === undefined) {
        expect(await story.until(() => !struck.alive, 10)).toBe(true)
        await story.pass(5)
        spawned(story, 'second')
      }
      const spec = () => story.inventory('web', 'c1')?.spec
      const isDone = () => spec()?.objects?.length === 3 && spec()?.intents === undefined
      expect(await story.until(isDone, 300)).toBe(true)
      const { uid } = story.inventory('web', 'c1')!.metadata
      expect(inventoriesOf(story, ['a', 'b', 'left'])).toEqual([uid, uid, uid])
      expect(spec()!.objects!.map((o) => [o.name, o.confirm])).toEqual([
        ['a', undefined],
        ['b', undefined],
        ['left', ['Delete', 'Prune']],
      ])
      expect(contents(story, ['a', 'b', 'left'])).toEqual(before)
      expect(deletesOn(story, 'c1', from)).toEqual([])
      expect(story.fleet.oracles.violations).toEqual([])
    })
