/** What is there before a ClusterResourceSet writes its first word: kept, taken or refused; and what is another unit's, which is left alone. */
import { describe, expect, it } from 'vitest'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { config, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { TakeoverStory } from './takeoverstory.ts'

const reconcile = (annotations: Readonly<Record<string, string>> = {}) => ({
  strategy: 'Reconcile',
  annotations,
})
const KEEP = { [SET.existing]: 'Keep' }
const FAIL = { [SET.existing]: 'Fail' }
const WRITES = [
  ['Apply', {}],
  ['MergePatch', { [SET.write]: 'MergePatch' }],
] as const

const seen = (story: SetStory, ...names: string[]) => names.map((n) => valueOn(story, 'c1', n))
const EXISTS = 'on c1 exists, and lockstep.dev/existing is Fail; delete it, or set Keep or Take'

describe.each(WRITES)('Reconcile by %s', (write, how) => {
  it('existing: Fail refuses what others have made, and looks after what it has made itself', async () => {
    const story = await SetStory.open(`fail-${write}`, ['c1'])
    await story.createOn('c1', configMapKind, config('y', 'theirs') as never)
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    await story.set('crs1', sources('a'), reconcile({ ...FAIL, ...how }))
    expect(await story.until(() => story.said('crs1').includes(EXISTS), 10)).toBe(true)
    expect(seen(story, 'x', 'y')).toEqual(['1', 'theirs'])
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y', '2'), config('z', '2')) })
    await story.pass(30)
    expect(seen(story, 'x', 'y', 'z')).toEqual(['2', 'theirs', '2'])
    expect(story.said('crs1')).toContain(`ConfigMap default/y ${EXISTS}`)
    await story.deleteOn('c1', configMapKind, 'y')
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 90)).toBe(true)
  })

  it('existing: Keep leaves what others have made as it is, at each content', async () => {
    const story = await SetStory.open(`keep-${write}`, ['c1'])
    await story.createOn('c1', configMapKind, config('y', 'theirs') as never)
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    await story.set('crs1', sources('a'), reconcile({ ...KEEP, ...how }))
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y', '2')) })
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '2', 10)).toBe(true)
    await story.pass(10)
    expect(valueOn(story, 'c1', 'y')).toBe('theirs')
    expect(story.said('crs1')).toMatch(/^True\/Applied/)
  })

  it('leaves objects of a Module to it, and says whose they are', async () => {
    const story = await SetStory.open(`of-module-${write}`, ['c1'])
    await story.config('m-1', yaml(config('x')))
    await story.module('m', 'm-1')
    expect(await story.until(() => story.isReady('m'), 30)).toBe(true)
    const mark = story.live('c1', 'configmaps', 'x')?.metadata.labels?.[UNIT_LABEL]
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('z', '2')) })
    await story.set('crs1', sources('a'), reconcile(how))
    await story.pass(120)
    expect(seen(story, 'x', 'z')).toEqual(['1', '2'])
    expect(story.live('c1', 'configmaps', 'x')?.metadata.labels?.[UNIT_LABEL]).toBe(mark)
    expect(story.said('crs1')).toContain(
      'ConfigMap default/x belongs to Module platform/m; remove it from one of the two',
    )
    expect(story.isReady('m')).toBe(true)
    await story.source('a', { 'a.yaml': yaml(config('z', '3')) })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
  })

  it('leaves objects of another set to it, until that is gone', async () => {
    const story = await SetStory.open(`of-set-${write}`, ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.source('b', { 'b.yaml': yaml(config('x', '2')) })
    await story.set('crs1', sources('a'), reconcile(how))
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    await story.set('crs2', sources('b'), reconcile(how))
    expect(await story.until(() => story.said('crs2').includes('belongs to'), 10)).toBe(true)
    expect(story.said('crs2')).toContain('belongs to ClusterResourceSet platform/crs1')
    expect(valueOn(story, 'c1', 'x')).toBe('1')
    await story.removeSet('crs1')
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '2', 90)).toBe(true)
  })
})

describe('requests', () => {
  it('what is new costs one, however it is made; what is applied again is read first', async () => {
    const story = await SetStory.open('requests', ['c1'])
    const seenBy: string[] = []
    story.fleet.env.net.wire('https://c1.test', {
      before: async ({ method, path }) => {
        const [, name] = /configmaps\/([xyz])\b/.exec(path) ?? []
        if (name) seenBy.push(`${method} ${name}`)
        return undefined
      },
    })
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    await story.set('crs1', sources('a'), reconcile())
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    expect(seenBy.splice(0)).toEqual(['PATCH x', 'PATCH y'])
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y', '2')) })
    await story.pass(10)
    expect(seenBy).toEqual(['GET x', 'PATCH x', 'GET y', 'PATCH y'])
  })
})

describe('what Cluster API has applied', () => {
  it('was the set’s before: existing: Fail does not mean it', async () => {
    const story = await TakeoverStory.with('fail-taken', '1.13', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile', annotations: FAIL })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 60)).toBe(true)
    await story.takeOver('crs1')
    expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
    for (const v of ['2', '3']) {
      await story.source('a', { 'a.yaml': yaml(config('x', v)) })
      expect(await story.until(() => valueOn(story, 'c1', 'x') === v, 10)).toBe(true)
    }
  })
})

describe('ApplyOnce with existing: Fail', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'takes no object of its own for somebody else’s, if it dies over its write number %i to the cluster or the hub',
    async (n) => {
      const story = await SetStory.open(`fail-once-${n}`, ['c1'])
      await story.createOn('c1', configMapKind, config('z', 'theirs') as never)
      await story.pass(600)
      let writes = 0
      let isDead = false
      for (const url of ['https://c1.test', 'https://hub.test'])
        story.fleet.env.net.wire(url, {
          after: async ({ method, headers }: NetRequest) => {
            const isOurs = String(headers?.['user-agent'] ?? '').startsWith('lockstep-controller')
            if (isDead || !isOurs || method === 'GET' || ++writes !== n) return undefined
            isDead = true
            story.manager.stop()
            return { phase: 'receive', detail: 'killed' }
          },
        })
      await story.source('a', { 'a.yaml': yaml(config('x'), config('y'), config('z')) })
      await story.set('crs1', sources('a'), { strategy: 'ApplyOnce', annotations: FAIL })
      await story.until(() => isDead, 20)
      story.restart()
      await story.pass(90)
      expect(seen(story, 'x', 'y', 'z')).toEqual(['1', '1', 'theirs'])
      expect(story.said('crs1')).toContain(`ConfigMap default/z ${EXISTS}`)
      expect(story.said('crs1')).not.toContain('and 1 more')
      // What is refused is no work at rest.
      const from = story.fleet.commits.length
      await story.pass(300)
      expect(story.fleet.commits.slice(from).map((c) => `${c.actor} ${c.verb} ${c.key}`)).toEqual([])
      await story.deleteOn('c1', configMapKind, 'z')
      expect(await story.until(() => story.isApplied('crs1', ['c1']), 90)).toBe(true)
    },
  )

  it('another set’s object, which has no marks, is somebody else’s, after a restart as before', async () => {
    const story = await SetStory.open('fail-once-other', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'))
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    await story.pass(600)
    await story.source('b', { 'b.yaml': yaml(config('x', '2')) })
    await story.set('crs2', sources('b'), { strategy: 'ApplyOnce', annotations: FAIL })
    await story.pass(60)
    story.restart()
    await story.pass(90)
    expect(story.said('crs2')).toContain(`ConfigMap default/x ${EXISTS}`)
  })
})
