/** Somebody else was faster (architecture 7, item 4): what was decided is dropped, and decided again within 10 ms. */
import { expect, it } from 'vitest'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const ANY = { purpose: 'user', manager: 'somebody', precondition: 'any' } as const

it.each([
  ['an Inventory', 'PUT', /\/inventories\/m\.web\.c0$/],
  ['the status of an Inventory', 'PUT', /\/inventories\/m\.web\.c0\/status$/],
])(
  '%s that was changed meanwhile: one request is lost, and the next one comes at once',
  async (_, verb, at) => {
    const story = await Story.begin(`lost ${at}`, ['c0'])
    const { clock, net } = story.fleet.env
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web')
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const asked: number[] = []
    net.wire('https://hub.test', {
      before: async ({ method, path }) => {
        if (method !== verb || !at.test(path.split('?')[0]!)) return undefined
        asked.push(clock.steady())
        if (asked.length > 1) return undefined
        const key = { namespace: NAMESPACE, name: 'm.web.c0' }
        const patch = { metadata: { annotations: { 'example.com/seen': 'yes' } } }
        must(await story.fleet.hub.patch(inventoryKind, key, patch, ANY))
        return undefined
      },
    })
    await story.config('web', configManifest('web', '2'))
    expect(await story.until(() => asked.length > 1, 30)).toBe(true)
    expect(asked[1]! - asked[0]!).toBeLessThanOrEqual(10)
    const isThere = () => JSON.stringify(story.live('c0', 'configmaps', 'web')?.data) === '{"value":"2"}'
    expect(await story.until(() => isThere() && story.isReady('web'), 30)).toBe(true)
    expect(story.inventory('web', 'c0')?.metadata.annotations).toMatchObject({ 'example.com/seen': 'yes' })
  },
)
