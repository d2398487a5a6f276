/** Handovers that a plan foretells are those that the controllers then do. */
import { describe, expect, it } from 'vitest'
import { type ControllerRevision, controllerRevisionKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { MODULE_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import type { FleetObjects } from '../../packages/lockstep/src/controllers/plan/fleetcopy.ts'
import { planFleet } from '../../packages/lockstep/src/controllers/plan/planfleet.ts'
import {
  type PlannedHandover,
  plannedHandovers,
} from '../../packages/lockstep/src/controllers/plan/plannedhandovers.ts'
import { objectText } from '../../packages/lockstep/src/decisions/graph/moduleref.ts'
import { BundleStore } from '../../packages/lockstep/src/sources/intake/bundlestore.ts'
import {
  byRing,
  deletesOn,
  hold,
  holdersOf,
  inShop,
  isGone,
  namespaceText,
  type Place,
  relabel,
  release,
  SHARED,
  settings,
  shop,
  together,
  uidsOf,
} from './handoverstory.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { Story } from './steps.ts'

interface Changed {
  /** Labels that a cluster gets. */
  readonly labels?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** On lists of the hub as they are now, as if no Hold existed. */
async function foretold(story: Story, { labels = {} }: Changed = {}): Promise<string[]> {
  const { hub, fleet } = story.manager
  const { env } = story.fleet
  const listed = await story.during(
    story.fleet.hub.list<ControllerRevision>(controllerRevisionKind, {
      purpose: 'user',
      labelSelector: MODULE_LABEL,
    }),
  )
  const inventories = [...hub.inventories.store.all()]
  const objects: FleetObjects = {
    namespace: NAMESPACE,
    modules: [...hub.modules.store.all()],
    revisions: must(listed).items as Stored<ControllerRevision>[],
    inventories,
    assemblages: [...hub.assemblages.store.all()],
    holds: [],
    approvals: [],
    disruptionBudgets: [],
    clusters: fleet
      .of(NAMESPACE)
      .filter((c) => c.kind !== 'Hub')
      .map((c) => ({ ...c, labels: labels[c.name] ?? c.labels })),
  }
  const plan = planFleet({
    ...objects,
    publishes: new Map(),
    nowMs: env.clock.now(),
    calendar: env.calendar,
    maxRemoval: '100%',
  })
  const found = await story.during(
    plannedHandovers({
      end: { ...objects, ...plan.endState },
      inventories,
      env,
      bundles: new BundleStore(story.fleet.hub),
      served: () => undefined,
    }),
  )
  return found.map(textOf).sort()
}

function textOf({ cluster, object, from, outcome }: PlannedHandover): string {
  const to = outcome.type === 'Confirm' ? outcome.foreign : outcome.to.name
  const type = outcome.type === 'HandOver' && outcome.isPending ? 'Pending' : outcome.type
  return `${cluster} ${objectText(object)} ${from.name} → ${to} ${type}`
}

const KINDS: Readonly<Record<string, string>> = {
  namespaces: 'Namespace',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  configmaps: 'ConfigMap',
  'deployments.apps': 'Deployment',
}

/** Objects that kept their uid and have another holder, in the words of the prediction. */
class Moves {
  private readonly story: Story
  private readonly clusters: readonly string[]
  private readonly places: readonly Place[]
  private readonly uids: readonly (readonly (string | undefined)[])[]
  private readonly holders: readonly (readonly (string | undefined)[])[]

  constructor(story: Story, clusters: readonly string[], places: readonly Place[]) {
    this.story = story
    this.clusters = clusters
    this.places = places
    this.uids = clusters.map((c) => uidsOf(story, c, places))
    this.holders = clusters.map((c) => holdersOf(story, c, places))
  }

  done(): string[] {
    const name = (unit: string | undefined): string => unit?.split('.').at(-1) ?? ''
    return this.clusters
      .flatMap((cluster, c) => {
        const [uids, holders] = [
          uidsOf(this.story, cluster, this.places),
          holdersOf(this.story, cluster, this.places),
        ]
        return this.places.flatMap(([resource, namespace, object], i) => {
          const [before, after] = [this.holders[c]![i], holders[i]]
          if (uids[i] !== this.uids[c]![i] || before === after || before === undefined) return []
          const text = `${KINDS[resource]} ${namespace === '' ? '' : `${namespace}/`}${object}`
          return [`${cluster} ${text} ${name(before)} → ${name(after)} HandOver`]
        })
      })
      .sort()
  }
}

it('a relabel, as the plan has it before (acceptance 1)', async () => {
  const story = await Story.begin('foretold relabel', ['c1', 'c2', 'c3'])
  for (const cluster of ['c1', 'c2']) await relabel(story, cluster, { ring: 'blue' })
  await story.config('v1', shop('1.0'))
  await story.config('v2', shop('2.0'))
  await story.module('shop-v1', 'v1', byRing('blue'))
  await story.module('shop-v2', 'v2', byRing('green'))
  expect(await story.until(() => story.isReady('shop-v1'))).toBe(true)
  expect(await foretold(story)).toEqual([])
  const expected = await foretold(story, { labels: { c1: { ring: 'green' } } })
  expect(expected).toHaveLength(SHARED.length)
  const from = story.fleet.commits.length
  const moves = new Moves(story, ['c1', 'c2'], SHARED)
  await relabel(story, 'c1', { ring: 'green' })
  expect(
    await story.until(() => story.isReady('shop-v2') && story.inventory('shop-v1', 'c1') === undefined, 60),
  ).toBe(true)
  expect(moves.done()).toEqual(expected)
  expect(deletesOn(story, 'c1', from)).toEqual(['delete configmaps shop/only-1.0'])
  expect(story.fleet.oracles.violations).toEqual([])
})

it('a rename: who receives what after the deletion (acceptance 4)', async () => {
  const story = await Story.begin('foretold rename', ['c1', 'c2'])
  await story.config('all', shop('1.0'))
  await story.config('settings', together(inShop('settings', '1'), inShop('own', '1')))
  await story.module('hello', 'all')
  expect(await story.until(() => story.isReady('hello'))).toBe(true)
  await story.module('hello2', 'all')
  await story.pass(10)
  await story.module('other', 'settings')
  await story.pass(30)
  const before = await foretold(story)
  const places = [...SHARED.filter(([, , name]) => name !== 'settings'), settings('only-1.0')]
  const afterDeletion = before.filter((t) => t.endsWith(' AfterDeletion'))
  expect(afterDeletion).toHaveLength(2 * places.length)
  // Two wait for it: the first that starts has it.
  expect(before.filter((t) => !t.endsWith(' AfterDeletion'))).toEqual(
    ['c1', 'c2'].flatMap((cluster) =>
      ['hello2', 'other'].map((name) => `${cluster} ConfigMap shop/settings hello → ${name} Conflict`),
    ),
  )
  const moves = new Moves(story, ['c1', 'c2'], places)
  await story.deleteModule('hello')
  expect(await story.until(() => isGone(story, 'hello'), 60)).toBe(true)
  await story.pass(30)
  expect(moves.done()).toEqual(afterDeletion.map((t) => t.replace('AfterDeletion', 'HandOver')))
  expect(story.fleet.oracles.violations).toEqual([])
})

type Layout = Readonly<Record<string, readonly string[]>>

const LAYOUTS: Readonly<Record<string, { readonly before: Layout; readonly after: Layout }>> = {
  split: { before: { a: ['ns', 'one', 'two'] }, after: { a: ['ns', 'one'], b: ['two'] } },
  swap: { before: { a: ['ns', 'one'], b: ['two'] }, after: { a: ['ns', 'two'], b: ['one'] } },
  ring: {
    before: { a: ['ns', 'one'], b: ['two'], c: ['three'] },
    after: { a: ['ns', 'two'], b: ['three'], c: ['one'] },
  },
  'a Namespace that another Module uses': {
    before: { a: ['ns', 'one'], b: ['two'] },
    after: { a: [], b: ['two'] },
  },
}

const OUTSIDE = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: outside, namespace: default}\n'

describe('objects that move between Modules in one apply (acceptance 5)', () => {
  for (const [name, { before, after }] of Object.entries(LAYOUTS))
    it(name, async () => {
      const story = await Story.begin(`foretold ${name}`, ['c1'])
      const write = async (layout: Layout): Promise<void> => {
        for (const [module, names] of Object.entries(layout)) {
          const texts = names.map((n) => (n === 'ns' ? namespaceText : inShop(n, '1')))
          await story.config(module, texts.length > 0 ? together(...texts) : OUTSIDE)
          await story.module(module, module)
        }
      }
      const areReady = (): boolean => Object.keys(after).every((m) => story.isReady(m))
      await write(before)
      expect(await story.until(() => Object.keys(before).every((m) => story.isReady(m)))).toBe(true)
      for (const module of Object.keys(after)) await hold(story, module, { action: 'Pause' })
      await story.pass(5)
      await write(after)
      await story.pass(30)
      const expected = await foretold(story)
      expect(expected.length).toBeGreaterThan(0)
      const places = [...new Set(Object.values(before).flat())].map(
        (n): Place => (n === 'ns' ? ['namespaces', '', 'shop'] : settings(n)),
      )
      const moves = new Moves(story, ['c1'], places)
      for (const module of Object.keys(after)) await release(story, module)
      expect(await story.until(areReady, 120)).toBe(true)
      await story.pass(30)
      expect(moves.done()).toEqual(expected)
      expect(await foretold(story)).toEqual([])
      expect(story.fleet.oracles.violations).toEqual([])
    })
})

it('two new Modules with one object: the first that starts owns it', async () => {
  const story = await Story.begin('foretold race', ['c1'])
  for (const module of ['a', 'b']) {
    await hold(story, module, { action: 'Pause' })
    await story.config(module, together(namespaceText, inShop(`of-${module}`, '1')))
    await story.module(module, module)
  }
  await story.pass(30)
  expect(await foretold(story)).toEqual(['c1 Namespace shop a → b Race'])
  for (const module of ['a', 'b']) await release(story, module)
  const isBlocked = (module: string): boolean =>
    !story.isReady(module) &&
    story.blockers(module).some((b) => b.startsWith('OwnedByAnother: Namespace shop'))
  const isDecided = () => (story.isReady('a') && isBlocked('b')) || (story.isReady('b') && isBlocked('a'))
  expect(await story.until(isDecided, 60)).toBe(true)
})

it('a receiver that lists the holder, and one that must start first', async () => {
  const story = await Story.begin('foretold declared', ['c1'])
  await story.config('a', together(namespaceText, inShop('one', '1'), inShop('two', '1')))
  await story.module('a', 'a')
  expect(await story.until(() => story.isReady('a'))).toBe(true)
  await hold(story, 'b', { action: 'Pause' })
  await story.config('b', inShop('one', '2'))
  await story.module('b', 'b', { apply: { takeOverFrom: [{ kind: 'Module', name: 'a' }] } })
  await story.config('c', inShop('two', '2'))
  await story.module('c', 'c', {
    dependsOn: ['none'],
    apply: { takeOverFrom: [{ kind: 'Module', name: 'a' }] },
  })
  await story.pass(30)
  expect(await foretold(story)).toEqual([
    'c1 ConfigMap shop/one a → b HandOver',
    'c1 ConfigMap shop/two a → c Pending',
  ])
  const moves = new Moves(story, ['c1'], [settings('one'), settings('two')])
  await release(story, 'b')
  expect(await story.until(() => story.isReady('b'), 60)).toBe(true)
  expect(moves.done()).toEqual(['c1 ConfigMap shop/one a → b HandOver'])
})
