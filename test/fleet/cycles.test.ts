/** Modules that need each other: refused before one of them is published, and so are those that need them. */
import { describe, expect, it } from 'vitest'
import { configManifest, type ModuleOptions, Story } from './steps.ts'

const CYCLE = 'CycleDetected: spec.dependsOn:'

async function started(name: string): Promise<Story> {
  const story = await Story.begin(name, ['c0'])
  for (const n of ['a', 'b', 'c', 'd', 'e']) await story.config(n, configManifest(n, '1'))
  return story
}

const put = (story: Story, name: string, dependsOn: ModuleOptions['dependsOn'] = [], release?: string) =>
  story.module(name, name, { dependsOn, ...(release === undefined ? {} : { release }) })

/** `Ready Reconciling Stalled`, and the reason of Ready. */
const conditions = (story: Story, name: string): string => {
  const list = story.see(name).status?.conditions ?? []
  const is = (type: string) => (list.find((c) => c.type === type)?.status ?? '?')[0]
  return `${is('Ready')}${is('Reconciling')}${is('Stalled')} ${list.find((c) => c.type === 'Ready')?.reason}`
}

describe('cycles', () => {
  it.each([
    ['at once', 0],
    ['one after the other', 20],
  ])('of new Modules, %s: all of them and what needs them say so', async (_, seconds) => {
    const story = await started(`cycle ${seconds}`)
    await put(story, 'e', ['d'])
    await put(story, 'd', ['a'])
    await put(story, 'a', ['b'])
    if (seconds > 0) await story.pass(seconds)
    await put(story, 'b', ['a'])
    await story.pass(30)
    for (const name of ['a', 'b', 'd', 'e']) {
      expect([name, conditions(story, name)]).toEqual([name, 'FFT CycleDetected'])
      expect(story.blockers(name)[0]).toMatch(
        /^CycleDetected: spec\.dependsOn: (a → b → a|b → a → b); remove/,
      )
    }
    expect(story.see('b').status?.currentRevision).toBeUndefined()
    expect(story.inventories).toEqual([])
    await put(story, 'b')
    expect(await story.until(() => ['a', 'b', 'd', 'e'].every((n) => story.isReady(n)), 60)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('of published Modules that are changed at once: both keep their revision', async () => {
    const story = await started('cycle published')
    await put(story, 'a')
    await put(story, 'b')
    expect(await story.until(() => story.isReady('a') && story.isReady('b'))).toBe(true)
    await put(story, 'a', ['b'])
    await put(story, 'b', ['a'])
    await story.pass(30)
    const states = ['a', 'b'].map((n) => conditions(story, n))
    expect(states).toContain('FFT CycleDetected')
    expect(story.live('c0', 'configmaps', 'a')).toBeDefined()
    await put(story, 'a')
    expect(await story.until(() => story.isReady('a') && story.isReady('b'), 60)).toBe(true)
  })

  it('that a neighbour closes with a spec refuse no Module that was published before', async () => {
    const story = await started('cycle neighbour')
    await put(story, 'b', [], '1')
    await put(story, 'a', [{ on: 'b', release: 'Any' }], '1')
    expect(await story.until(() => story.isReady('a') && story.isReady('b'))).toBe(true)
    await put(story, 'b', ['a'], '2')
    await story.pass(10)
    expect(story.blockers('b')).toEqual([expect.stringContaining(`${CYCLE} b → a → b`)])
    await put(story, 'a', [{ on: 'b', release: 'Any' }], '2')
    expect(await story.until(() => story.isReady('a', '2'), 60)).toBe(true)
    expect(conditions(story, 'b')).toBe('FFT CycleDetected')
  })

  it('a dependency that is turned round in one apply has no cycle', async () => {
    const story = await started('cycle turned')
    await put(story, 'b')
    await put(story, 'a', ['b'])
    expect(await story.until(() => story.isReady('a') && story.isReady('b'))).toBe(true)
    await put(story, 'b', ['a'])
    await put(story, 'a')
    expect(await story.until(() => story.isReady('a') && story.isReady('b'), 60)).toBe(true)
    expect(story.see('b').status?.blockers).toEqual([])
  })

  it('of a dependency that is optional and elsewhere refuses no other Module', async () => {
    const story = await started('cycle elsewhere')
    await story.module('b', 'b', { dependsOn: ['c'], targets: { clusters: ['nowhere'] } })
    await story.module('c', 'c', { dependsOn: ['b'], targets: { clusters: ['nowhere'] } })
    await story.pass(5)
    expect(conditions(story, 'b')).toBe('FFT CycleDetected')
    await put(story, 'a', [{ on: 'b', optional: true }])
    expect(await story.until(() => story.isReady('a'), 60)).toBe(true)
  })
})
