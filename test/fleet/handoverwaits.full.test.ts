/** Objects whose receiver cannot be deployed yet, and objects that two Modules insist on. */
import { describe, expect, it } from 'vitest'
import { short10 } from '../../packages/kube/src/object/index.ts'
import { denyWrites } from './deniedremoval.ts'
import {
  byRing,
  condition,
  deletesOn,
  hold,
  holdersOf,
  inShop,
  isGone,
  listedBy,
  namespaceText,
  relabel,
  release,
  SHARED,
  settings,
  shop,
  together,
  uidOf,
  uidsOf,
} from './handoverstory.ts'
import { configManifest, type ModuleOptions, Story } from './steps.ts'

const V1 = SHARED.map(() => 'm.platform.shop-v1')
const V2 = SHARED.map(() => 'm.platform.shop-v2')

const PENDING =
  '4 objects taken over from shop-v1 keep its content, without drift correction, until shop-v2 is deployed on c1'

/** Why the receiver does not start. */
const waits: Readonly<
  Record<string, { readonly options?: ModuleOptions; prepare?(story: Story): Promise<void> }>
> = {
  'its gate is closed': { options: { dependsOn: ['none'] } },
  'a Hold pauses it': { prepare: (story) => hold(story, 'shop-v2', { action: 'Pause' }) },
  'a Hold suspends it': { prepare: (story) => hold(story, 'shop-v2', { action: 'Suspend' }) },
  'it is not assigned: its window is closed': {
    options: {
      rollout: { windows: [{ action: 'Allow', schedule: '0 0 1 6 *', durationSeconds: 3600 }] },
    },
  },
}

async function begun(name: string, options: ModuleOptions = {}): Promise<Story> {
  const story = await Story.begin(name, ['c1', 'c2'])
  await relabel(story, 'c1', { ring: 'blue' })
  await story.config('v1', shop('1'))
  await story.config('v2', shop('2'))
  await story.module('shop-v1', 'v1', byRing('blue'))
  await story.module('shop-v2', 'v2', { ...byRing('green'), ...options })
  expect(await story.until(() => story.isReady('shop-v1'))).toBe(true)
  return story
}

describe('a receiver that does not start (acceptance 2)', () => {
  for (const [what, { options, prepare }] of Object.entries(waits))
    it(`${what}: the giver is gone, and the objects are kept`, async () => {
      const story = await begun(`pending ${what}`, options)
      await prepare?.(story)
      const uids = uidsOf(story, 'c1')
      const from = story.fleet.commits.length
      await relabel(story, 'c1', { ring: 'green' })
      expect(await story.until(() => story.inventory('shop-v1', 'c1') === undefined, 60)).toBe(true)
      await story.pass(60)
      expect(uidsOf(story, 'c1')).toEqual(uids)
      expect(deletesOn(story, 'c1', from)).toEqual(['delete configmaps shop/only-1'])
      expect([holdersOf(story, 'c1'), listedBy(story, 'shop-v2')]).toEqual([
        V2,
        ['data', 'settings', 'shop', 'web'],
      ])
      expect(story.inventory('shop-v2', 'c1')?.spec.admitted).toBeUndefined()
      expect(condition(story, 'shop-v2', 'HandoverPending')).toBe(PENDING)
      // Nothing of it is written, and drift is not reverted.
      const web = story.live('c1', 'deployments.apps', 'web', 'shop')
      expect(JSON.stringify(web)).toContain('web:1')
      expect(story.fleet.oracles.violations).toEqual([])
    })

  it('pinned at a revision without them, it keeps those of its target until the pin ends', async () => {
    const story = await Story.begin('pinned', ['c1'])
    await story.config('a-1', together(namespaceText, inShop('one', '1')))
    await story.config('b-1', configManifest('own', '1'))
    await story.module('a', 'a-1')
    await story.module('b', 'b-1')
    expect(await story.until(() => story.isReady('a') && story.isReady('b'))).toBe(true)
    const pinned = story.see('b').status!.currentRevision!
    await hold(story, 'b', { action: 'Pin', clusters: ['c1'], revision: short10(pinned) })
    await story.pass(5)
    const uid = uidOf(story, 'c1', settings('one'))
    await story.config('b-2', together(configManifest('own', '1'), inShop('one', '1')))
    await story.module('b', 'b-2')
    await story.config('a-2', namespaceText)
    await story.module('a', 'a-2')
    expect(await story.until(() => holdersOf(story, 'c1', [settings('one')])[0] === 'm.platform.b', 60)).toBe(
      true,
    )
    await story.pass(120)
    expect(uidOf(story, 'c1', settings('one'))).toBe(uid)
    expect(story.isReady('a')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('paused while a revision with them is deployed, it gets them back, though its target lacks them', async () => {
    const story = await Story.begin('admitted', ['c1'])
    await story.config('a', together(namespaceText, inShop('one', '1')))
    await story.config('b', together(configManifest('own', '1'), inShop('one', '1')))
    await story.module('a', 'a')
    expect(await story.until(() => story.isReady('a'))).toBe(true)
    await story.module('b', 'b', { apply: { takeOverFrom: [{ kind: 'Module', name: 'a' }] } })
    const isHeldBy = (unit: string) => () => holdersOf(story, 'c1', [settings('one')])[0] === unit
    expect(await story.until(isHeldBy('m.platform.b'), 60)).toBe(true)
    const uid = uidOf(story, 'c1', settings('one'))
    const from = story.fleet.commits.length
    await hold(story, 'a', { action: 'Pause' })
    await story.pass(5)
    await story.config('a', namespaceText)
    await story.pass(30)
    await story.config('b', configManifest('own', '1'))
    expect(await story.until(isHeldBy('m.platform.a'), 60)).toBe(true)
    expect([uidOf(story, 'c1', settings('one')), deletesOn(story, 'c1', from)]).toEqual([uid, []])
    await release(story, 'a')
    expect(await story.until(() => uidOf(story, 'c1', settings('one')) === undefined, 60)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('its own deletion deletes them, or hands them over', async () => {
    const story = await begun('deleted receiver', { dependsOn: ['none'] })
    await relabel(story, 'c1', { ring: 'green' })
    expect(await story.until(() => story.inventory('shop-v1', 'c1') === undefined, 60)).toBe(true)
    await story.deleteModule('shop-v2')
    expect(await story.until(() => isGone(story, 'shop-v2'), 60)).toBe(true)
    expect(uidsOf(story, 'c1')).toEqual([undefined, undefined, undefined, undefined])
    expect(story.inventories).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a label that comes back before it is deployed brings them back', async () => {
    const story = await begun('back again', { dependsOn: ['none'] })
    const uids = uidsOf(story, 'c1')
    await relabel(story, 'c1', { ring: 'green' })
    expect(await story.until(() => story.inventory('shop-v1', 'c1') === undefined, 60)).toBe(true)
    await relabel(story, 'c1', { ring: 'blue' })
    const isBack = () => story.isReady('shop-v1') && story.inventory('shop-v2', 'c1') === undefined
    expect(await story.until(isBack, 60)).toBe(true)
    expect([uidsOf(story, 'c1'), holdersOf(story, 'c1')]).toEqual([uids, V1])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('two Modules that insist on the same objects (acceptance 9)', () => {
  it('the second uses no rollout limit and fails nowhere; once it lists the first, it has them, and the first is ready', async () => {
    const story = await Story.begin('both insist', ['c1', 'c2'])
    await story.config('all', shop('1'))
    await story.config('other', shop('2'))
    await story.module('g', 'all')
    expect(await story.until(() => story.isReady('g'))).toBe(true)
    const uids = uidsOf(story, 'c1')
    await story.module('t', 'other')
    await story.pass(3600)
    const { status } = story.see('t')
    expect(status?.clusters).toMatchObject({ blocked: 2, failed: 0, updating: 0 })
    expect(status?.rollout?.ledger).toBeUndefined()
    expect(status?.rollout?.phase).not.toBe('Halted')
    expect(story.blockers('t')).toEqual([
      'OwnedByAnother: Namespace shop on 2 clusters (c1, c2) belongs to Module platform/g; delete Module g, or list it in spec.apply.takeOverFrom',
    ])
    await story.module('t', 'other', { apply: { takeOverFrom: [{ kind: 'Module', name: 'g' }] } })
    expect(await story.until(() => story.isReady('t') && story.isReady('g'), 60)).toBe(true)
    expect(uidsOf(story, 'c1')).toEqual(uids)
    expect(holdersOf(story, 'c1')).toEqual(SHARED.map(() => 'm.platform.t'))
    const given = (cluster: string) => `4 objects on ${cluster} are owned by t (its spec.apply.takeOverFrom)`
    const said = `${given('c1')}; ${given('c2')}`
    expect(await story.until(() => condition(story, 'g', 'HandedOver') === said, 10)).toBe(true)
    await story.pass(1300)
    expect([story.isReady('g'), story.isReady('t'), holdersOf(story, 'c1')[0]]).toEqual([
      true,
      true,
      'm.platform.t',
    ])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a rollout that met an object of another Module is not halted once that Module is gone', async () => {
    const story = await Story.begin('met later', ['c1'])
    await story.config('all', configManifest('shared', '1'))
    await story.module('g', 'all')
    expect(await story.until(() => story.isReady('g'))).toBe(true)
    // A name with a binding is met when the object is written.
    await story.config('late', configManifest('$(NAME)', '2'))
    await story.module('t', 'late', { bindings: [{ name: 'NAME', value: 'shared' }] })
    await story.pass(300)
    expect(story.blockers('t').join()).toContain('OwnedByAnother')
    expect(story.see('t').status?.clusters?.failed).toBe(0)
    await story.deleteModule('g')
    expect(await story.until(() => story.isReady('t'), 60)).toBe(true)
    expect(story.see('t').status?.rollout).toMatchObject({ phase: 'Complete' })
    expect(story.see('t').status?.rollout?.haltedAt).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

it('two Modules with the same Namespace and ConfigMap are deleted one after the other (acceptance 10)', async () => {
  const story = await Story.begin('two owners', ['c1'])
  const text = together(namespaceText, inShop('cm', '1'))
  await story.config('all', text)
  await story.module('a1', 'all')
  expect(await story.until(() => story.isReady('a1'))).toBe(true)
  await story.module('a2', 'all')
  await story.pass(30)
  const uid = uidOf(story, 'c1', settings('cm'))
  await story.deleteModule('a1')
  expect(await story.until(() => isGone(story, 'a1') && story.isReady('a2'), 30)).toBe(true)
  expect(uidOf(story, 'c1', settings('cm'))).toBe(uid)
  await story.deleteModule('a2')
  expect(await story.until(() => isGone(story, 'a2'), 30)).toBe(true)
  expect(uidOf(story, 'c1', ['namespaces', '', 'shop'])).toBeUndefined()
  expect(story.fleet.oracles.violations).toEqual([])
})

it('a Namespace is deleted though a suspended unit has announced an object in it that was never created', async () => {
  const story = await Story.begin('intents alone', ['c1'])
  await story.config('a', together(namespaceText, inShop('one', '1')))
  await story.config('b', inShop('two', '1'))
  await story.module('a', 'a')
  expect(await story.until(() => story.isReady('a'))).toBe(true)
  const allow = denyWrites(story, 'c1', 'PATCH', '/configmaps/two')
  await story.module('b', 'b')
  const intents = () => (story.inventory('b', 'c1')?.spec.intents ?? []).map((i) => i.name)
  expect(await story.until(() => intents().length > 0, 60)).toBe(true)
  await hold(story, 'b', { action: 'Suspend' })
  await story.pass(10)
  for (const module of ['b', 'a']) await story.deleteModule(module)
  expect(await story.until(() => isGone(story, 'a'), 60)).toBe(true)
  expect(uidOf(story, 'c1', ['namespaces', '', 'shop'])).toBeUndefined()
  expect(intents()).toEqual(['two'])
  allow()
  await release(story, 'b')
  expect(await story.until(() => isGone(story, 'b'), 120)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})
