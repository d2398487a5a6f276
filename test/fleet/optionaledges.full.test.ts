import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from './simfleet.ts'
import { configManifest, type EdgeOptions, Story } from './steps.ts'

type Release = 'Same' | 'Any'
type Edge = Extract<EdgeOptions, { on: string }>

/** `a` on two clusters, and `b` on one of them, which depends on `a`: both delivered at r1. */
async function begun(name: string, edge: Edge): Promise<Story> {
  const story = await Story.begin(name, ['edge', 'far'])
  for (const module of ['a', 'b']) await story.config(module, configManifest(module, '1'))
  await story.module('a', 'a', { release: 'r1', targets: { clusters: ['edge', 'far'] } })
  await story.module('b', 'b', { release: 'r1', dependsOn: [edge], targets: { clusters: ['edge'] } })
  expect(await story.until(() => ['a', 'b'].every((m) => story.isReady(m, 'r1')))).toBe(true)
  return story
}

async function nextRelease(story: Story, edge: Edge): Promise<void> {
  await story.config('b-2', configManifest('b', '2'))
  await story.module('b', 'b-2', { release: 'r2', dependsOn: [edge], targets: { clusters: ['edge'] } })
}

const isRemoved = (story: Story): boolean =>
  story.live('edge', 'configmaps', 'a') === undefined && story.inventory('a', 'edge') === undefined

const removals = {
  deletion: (story: Story) => story.deleteModule('a'),
  deselection: (story: Story) => story.module('a', 'a', { release: 'r1', targets: { clusters: ['far'] } }),
}

describe('an optional dependency', () => {
  for (const release of ['Same', 'Any'] satisfies Release[])
    for (const [by, remove] of Object.entries(removals))
      for (const order of ['first', 'last'] as const)
        it(`${release}: holds no removal by ${by}, ${order}, and no next release`, async () => {
          const edge = { on: 'a', release, optional: true }
          const story = await begun(`optional-${release}-${by}-${order}`, edge)
          const steps = [() => remove(story), () => nextRelease(story, edge)]
          for (const step of order === 'first' ? steps : steps.reverse()) {
            await step()
            await story.pass(5)
          }
          expect(await story.until(() => isRemoved(story) && story.isReady('b', 'r2'), 50)).toBe(true)
          expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: '2' })
          expect(story.fleet.oracles.violations).toEqual([])
        })

  it('is passed while its objects are being deleted', async () => {
    const edge = { on: 'a', release: 'Same', optional: true } as const
    const story = await begun('optional-terminating', edge)
    const { client } = story.fleet.clusters.get('edge')!
    const finalizers = { metadata: { finalizers: ['example.com/foreign'] } }
    const key = { namespace: 'default', name: 'a' }
    const write = { purpose: 'user', manager: 'user', precondition: 'any' } as const
    must(await story.during(client.patch(configMapKind, key, finalizers, write)))
    await story.deleteModule('a')
    await nextRelease(story, edge)
    expect(await story.until(() => story.isReady('b', 'r2'), 60)).toBe(true)
    expect(story.live('edge', 'configmaps', 'a')?.metadata.deletionTimestamp).toBeDefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is passed by a unit that stays at its release', async () => {
    const story = await begun('optional-stays', { on: 'a', release: 'Same', optional: true })
    await story.deleteModule('a')
    expect(await story.until(() => isRemoved(story), 30)).toBe(true)
    expect(await story.until(() => story.isReady('b', 'r1'), 30)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a required dependency that is being deleted', () => {
  for (const release of ['Same', 'Any'] satisfies Release[])
    it(`${release}: is named by the next release, and ends once it is optional`, async () => {
      const edge = { on: 'a', release }
      const story = await begun(`deleting-${release}`, edge)
      await story.deleteModule('a')
      await story.pass(30)
      expect(story.isReady('b', 'r1')).toBe(true)
      expect(story.blockers('a').join()).toMatch(/^DependentsRemain: .* dependent b on edge/)
      await nextRelease(story, edge)
      await story.pass(30)
      expect(story.blockers('b')).toEqual([
        'DependencyDeleting: a: Module platform/a is being deleted; remove the dependency, or make it optional',
      ])
      expect(isRemoved(story)).toBe(false)
      await nextRelease(story, { ...edge, optional: true })
      expect(await story.until(() => isRemoved(story) && story.isReady('b', 'r2'), 60)).toBe(true)
      expect(story.fleet.oracles.violations).toEqual([])
    })
})
