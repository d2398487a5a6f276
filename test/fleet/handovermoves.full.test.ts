/** Objects that move between Modules: splits, merges, swaps and rings, whichever Module is written first. */
import { describe, expect, it } from 'vitest'
import {
  deletesOn,
  holdersOf,
  inShop,
  namespaceText,
  type Place,
  settings,
  together,
  uidsOf,
} from './handoverstory.ts'
import { Story } from './steps.ts'

/** By Module: names of its ConfigMaps, and whether it has the Namespace. */
type Layout = Readonly<Record<string, readonly string[]>>

interface Move {
  readonly before: Layout
  readonly after: Layout
}

const RING = ['m1', 'm2', 'm3', 'm4', 'm5'] as const

const moves: Readonly<Record<string, Move>> = {
  split: { before: { a: ['ns', 'one', 'two'] }, after: { a: ['ns', 'one'], b: ['two'] } },
  'split, and the Namespace goes with the new half': {
    before: { a: ['ns', 'one', 'two'] },
    after: { a: ['one'], b: ['ns', 'two'] },
  },
  merge: { before: { a: ['ns', 'one'], b: ['two'] }, after: { a: ['ns', 'one', 'two'], b: ['own'] } },
  swap: { before: { a: ['ns', 'one'], b: ['two'] }, after: { a: ['ns', 'two'], b: ['one'] } },
  'ring of five': {
    before: Object.fromEntries(RING.map((m, i) => [m, i === 0 ? ['ns', `r${i}`] : [`r${i}`]])),
    after: Object.fromEntries(
      RING.map((m, i) => [m, i === 0 ? ['ns', `r${(i + 1) % 5}`] : [`r${(i + 1) % 5}`]]),
    ),
  },
}

const textOf = (names: readonly string[]): string =>
  together(...names.map((name) => (name === 'ns' ? namespaceText : inShop(name, '1'))))

const placeOf = (name: string): Place => (name === 'ns' ? ['namespaces', '', 'shop'] : settings(name))

const placesIn = (layout: Layout): Place[] => [...new Set(Object.values(layout).flat())].map(placeOf)

async function write(story: Story, layout: Layout, version: string, backwards: boolean): Promise<void> {
  const names = backwards ? Object.keys(layout).reverse() : Object.keys(layout)
  for (const module of names) await story.config(`${module}-${version}`, textOf(layout[module]!))
  for (const module of names) await story.module(module, `${module}-${version}`)
}

const areReady = (story: Story, layout: Layout): boolean => Object.keys(layout).every((m) => story.isReady(m))

describe('objects that move between Modules in one apply are kept (acceptance 5)', () => {
  for (const [name, { before, after }] of Object.entries(moves))
    for (const backwards of [false, true])
      it(`${name}, ${backwards ? 'the last' : 'the first'} Module written first`, async () => {
        const story = await Story.begin(`${name} ${backwards}`, ['c1'])
        await write(story, before, '1', false)
        expect(await story.until(() => areReady(story, before))).toBe(true)
        const places = placesIn(before)
        const uids = uidsOf(story, 'c1', places)
        const from = story.fleet.commits.length
        await write(story, after, '2', backwards)
        const held = Object.entries(after).flatMap(([module, names]) =>
          names.map((n) => [placeOf(n), `m.platform.${module}`] as const),
        )
        const isMoved = () =>
          areReady(story, after) &&
          held.every(([place, holder]) => holdersOf(story, 'c1', [place])[0] === holder)
        expect(await story.until(isMoved, 60)).toBe(true)
        expect(uidsOf(story, 'c1', places)).toEqual(uids)
        expect(deletesOn(story, 'c1', from)).toEqual([])
        await story.pass(120)
        for (const [module, names] of Object.entries(after)) {
          const { objects = [], intents = [] } = story.inventory(module, 'c1')!.spec
          expect(objects.map((o) => o.name).sort()).toEqual(
            names.map((n) => (n === 'ns' ? 'shop' : n)).sort(),
          )
          expect([intents, story.isReady(module)]).toEqual([[], true])
        }
        expect(story.fleet.oracles.violations).toEqual([])
      })
})

it('a new half that depends on the old one is handed its objects, and waits only for the health of the old one', async () => {
  const story = await Story.begin('split dependent', ['c1'])
  await write(story, { a: ['ns', 'one', 'two'] }, '1', false)
  expect(await story.until(() => story.isReady('a'))).toBe(true)
  const places = ['ns', 'one', 'two'].map(placeOf)
  const uids = uidsOf(story, 'c1', places)
  await story.config('b', textOf(['two']))
  await story.module('b', 'b', { dependsOn: ['a'] })
  await story.config('a-2', textOf(['ns', 'one']))
  await story.module('a', 'a-2')
  expect(await story.until(() => story.isReady('a') && story.isReady('b'), 60)).toBe(true)
  expect(uidsOf(story, 'c1', places)).toEqual(uids)
  expect(holdersOf(story, 'c1', places)).toEqual(['m.platform.a', 'm.platform.a', 'm.platform.b'])
  expect(story.fleet.oracles.violations).toEqual([])
})
