/** Modules that are deleted together, one of which has objects in a Namespace or of a kind of the other. */
import { describe, expect, it } from 'vitest'
import { isGone, inShop as shopMap, uidOf } from './handoverstory.ts'
import { configManifest, Story } from './steps.ts'

const namespaceText = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n'
const inShop = (n: number) =>
  configManifest(`many-${n}`, '1').replace('namespace: default', 'namespace: shop')

const definitionText = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
const widget = (n: number) =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w${n}, namespace: default}\nspec: {size: ${n}}\n`

const textsOf = (count: number, of: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => of(n)).join('---\n')

interface Shared {
  readonly base: string
  readonly many: string
  readonly resource: string
  readonly name: string
  /** Seconds between the deletions. */
  readonly seconds: number
}

const shares: Readonly<Record<string, Shared>> = {
  Namespace: {
    base: `${namespaceText}---\n${configManifest('base', '1').replace('namespace: default', 'namespace: shop')}`,
    many: textsOf(150, inShop),
    resource: 'namespaces',
    name: 'shop',
    seconds: 0,
  },
  CustomResourceDefinition: {
    base: definitionText,
    many: textsOf(30, widget),
    resource: 'customresourcedefinitions.apiextensions.k8s.io',
    name: 'widgets.example.com',
    seconds: 10,
  },
}

async function begun(name: string, { base, many }: Shared): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await story.config('base', base)
  await story.config('many', many)
  await story.module('base', 'base')
  expect(await story.until(() => story.isReady('base'))).toBe(true)
  await story.module('many', 'many', { apply: { concurrency: 2 }, rollout: { maxUnavailable: 1 } })
  expect(await story.until(() => story.isReady('many'))).toBe(true)
  return story
}

describe('Modules that are deleted together', () => {
  for (const [kind, shared] of Object.entries(shares))
    for (const [first, second] of [
      ['base', 'many'],
      ['many', 'base'],
    ] as const)
      it(`${kind}: ${second} ${shared.seconds} s after ${first}`, async () => {
        const story = await begun(`shared-${kind}-${first}`, shared)
        const { api } = story.fleet.clusters.get('edge')!
        const from = story.fleet.commits.length
        await story.deleteModule(first)
        await story.pass(shared.seconds)
        if (first === 'base') expect(api.local.get(shared.resource, '', shared.name)).toBeDefined()
        await story.deleteModule(second)
        const isGone = () =>
          story.inventories.length === 0 && api.local.get(shared.resource, '', shared.name) === undefined
        expect(await story.until(isGone, 30)).toBe(true)
        const deleted = story.writes('edge', from).filter((w) => w.startsWith('delete '))
        expect(deleted.at(-1)).toBe(`delete ${shared.resource} ${shared.name}`)
        expect(story.fleet.oracles.violations).toEqual([])
      })
})

it('a definition that left its bundle is kept by the Module with its objects, and deleted after the last of them', async () => {
  const shared = shares.CustomResourceDefinition!
  const story = await begun('shared-prune', shared)
  const { api } = story.fleet.clusters.get('edge')!
  await story.config('base-2', configManifest('other', '1'))
  const { uid } = api.local.get(shared.resource, '', shared.name)!.metadata
  await story.module('base', 'base-2')
  expect(await story.until(() => story.isReady('base'), 30)).toBe(true)
  await story.pass(60)
  expect(story.isReady('many')).toBe(true)
  expect(story.inventory('many', 'edge')?.spec.objects).toContainEqual(
    expect.objectContaining({ name: shared.name, uid, inherited: true, from: 'm.platform.base' }),
  )
  expect(api.local.get(shared.resource, '', shared.name)?.metadata.uid).toBe(uid)
  expect(api.local.get('widgets.example.com', 'default', 'w0')).toBeDefined()
  await story.config('many-2', configManifest('many', '2'))
  await story.module('many', 'many-2', { apply: { concurrency: 2 } })
  const isGone = () => api.local.get(shared.resource, '', shared.name) === undefined
  expect(await story.until(() => isGone() && story.isReady('many'), 30)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('a Module that waits for its dependents gets the Namespace of a dependent, and deletes it last', async () => {
  const story = await Story.begin('dependency and Namespace', ['c1'])
  await story.config('upper', namespaceText)
  await story.config('lower', shopMap('one', '1'))
  await story.module('upper', 'upper')
  await story.module('lower', 'lower')
  expect(await story.until(() => story.isReady('upper') && story.isReady('lower'))).toBe(true)
  // A mistake: the Namespace waits for its own contents.
  await story.module('upper', 'upper', { dependsOn: ['lower'] })
  await story.pass(30)
  await story.deleteModule('lower')
  await story.deleteModule('upper')
  expect(await story.until(() => isGone(story, 'lower') && isGone(story, 'upper'), 60)).toBe(true)
  expect(uidOf(story, 'c1', ['namespaces', '', 'shop'])).toBeUndefined()
  expect(story.fleet.oracles.violations).toEqual([])
})
