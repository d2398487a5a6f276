/** A Namespace that is handed over to a Module with objects in it, while that Module writes its own Inventory. */
import { expect, it } from 'vitest'
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import {
  deletesOn,
  hold,
  holdersOf,
  inShop,
  isGone,
  listedBy,
  namespaceText,
  type Place,
  release,
  settings,
  together,
  uidsOf,
} from './handoverstory.ts'
import { must } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const SPACE: Place = ['namespaces', '', 'shop']
const PLACES: readonly Place[] = [SPACE, settings('two')]

it('stays as long as that Module has objects in it, and is deleted with the last of them', async () => {
  const story = await Story.begin('inherited', ['c1'])
  await story.config('a', together(namespaceText, inShop('one', '1')))
  await story.config('b', inShop('two', '1'))
  for (const module of ['a', 'b']) await story.module(module, module)
  expect(await story.until(() => story.isReady('a') && story.isReady('b'), 60)).toBe(true)
  const uids = uidsOf(story, 'c1', PLACES)
  for (const module of ['a', 'b']) await hold(story, module, { action: 'Pause' })
  await story.pass(5)
  await story.config('a', configManifest('outside', '1'))
  await story.pass(30)
  const from = story.fleet.commits.length
  // The end of its Hold has b reconcile between the writes of a.
  for (const module of ['a', 'b']) await release(story, module)
  expect(await story.until(() => holdersOf(story, 'c1', [SPACE])[0] === 'm.platform.b', 60)).toBe(true)
  await story.pass(120)
  expect(uidsOf(story, 'c1', PLACES)).toEqual(uids)
  expect(deletesOn(story, 'c1', from)).toEqual(['delete configmaps shop/one'])
  expect(story.inventory('b', 'c1')?.spec.objects?.find((o) => o.kind === 'Namespace')).toMatchObject({
    inherited: true,
  })
  expect([story.isReady('a'), story.isReady('b')]).toEqual([true, true])
  await story.deleteModule('b')
  expect(await story.until(() => uidsOf(story, 'c1', PLACES).every((uid) => uid === undefined), 60)).toBe(
    true,
  )
  expect(story.fleet.oracles.violations).toEqual([])
})

it('is listed by no unit but its holder after a Module that was never deployed had it', async () => {
  const story = await Story.begin('inherited and taken', ['c1'])
  await story.config('a', together(namespaceText, inShop('one', '1')))
  await story.config('b', inShop('two', '1'))
  await story.module('a', 'a')
  expect(await story.until(() => story.isReady('a'), 60)).toBe(true)
  const uid = uidsOf(story, 'c1', [SPACE])
  await story.module('b', 'b', { dependsOn: ['none'] })
  await story.pass(5)
  await story.deleteModule('a')
  expect(await story.until(() => isGone(story, 'a'), 60)).toBe(true)
  expect(listedBy(story, 'b')).toEqual(['shop'])
  await story.module('a', 'a')
  expect(await story.until(() => story.isReady('a'), 60)).toBe(true)
  await story.pass(10)
  expect(listedBy(story, 'a')).toEqual(['one', 'shop'])
  expect(listedBy(story, 'b')).toEqual([])
  expect(uidsOf(story, 'c1', [SPACE])).toEqual(uid)
  for (const module of ['a', 'b']) await story.deleteModule(module)
  expect(await story.until(() => story.inventories.length === 0, 60)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('goes to another Module that is removed once the Inventory of its holder lists nothing in it', async () => {
  const story = await Story.begin('inherited by a removed Module', ['c1'])
  await story.config('a', together(namespaceText, inShop('one', '1')))
  await story.config('b', inShop('two', '1'))
  for (const module of ['a', 'b']) await story.module(module, module)
  expect(await story.until(() => story.isReady('a') && story.isReady('b'), 60)).toBe(true)
  const { client } = story.fleet.clusters.get('c1')!
  const two = { namespace: 'shop', name: 'two' }
  const finalized = (finalizers: readonly string[]) =>
    story.during(client.patch(configMapKind, two, { metadata: { finalizers } } as never, USER))
  must(await finalized(['example.com/hold']))
  const from = story.fleet.commits.length
  for (const module of ['b', 'a']) await story.deleteModule(module)
  expect(await story.until(() => isGone(story, 'a'), 60)).toBe(true)
  const commits = story.fleet.commits.slice(from)
  const isMove = (c: CommitRecord): boolean =>
    c.resource === 'namespaces' && c.next?.metadata.labels?.['lockstep.dev/unit'] === 'm.platform.b'
  const moved = commits.findIndex(isMove)
  expect(moved).toBeGreaterThan(0)
  const listed = commits
    .slice(0, moved)
    .filter((c) => c.resource === 'inventories.lockstep.dev' && c.key.endsWith('m.a.c1'))
    .map((c) => (c.next as { spec?: { objects?: readonly { name: string }[] } } | undefined)?.spec?.objects)
  expect(listed.at(-1)?.map((o) => o.name)).toEqual(['shop'])
  must(await finalized([]))
  expect(await story.until(() => uidsOf(story, 'c1', PLACES).every((uid) => uid === undefined), 60)).toBe(
    true,
  )
  expect(story.fleet.oracles.violations).toEqual([])
})
