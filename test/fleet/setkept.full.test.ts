/** Entries of bindings that others erase, and what is left of a set that is deleted: in ApplyOnce and Reconcile. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { resourceSetBindingKinds } from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import { config, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { must, NAMESPACE } from './simfleet.ts'

const KIND = resourceSetBindingKinds[0]!
const CALL = { purpose: 'user', manager: 'manager', precondition: 'any' } as const

describe.each(['ApplyOnce', 'Reconcile'])('%s', (strategy) => {
  it('an entry that another set’s deletion has erased is back within 2 s, with hash and time; nothing is applied for it', async () => {
    const story = await SetStory.open(`kept-${strategy}`, ['c1'])
    for (const n of ['1', '2']) {
      await story.source(`a${n}`, { 'a.yaml': yaml(config(`x${n}`)) })
      await story.set(`crs${n}`, sources(`a${n}`), { strategy })
    }
    expect(await story.until(() => ['crs1', 'crs2'].every((s) => story.isApplied(s, ['c1'])), 10)).toBe(true)
    await story.pass(60)
    const { bindings = [] } = story.binding('c1')!.spec
    const from = story.fleet.commits.length
    // As with a stale cache: the rest of an entry that is meant to go.
    const left = { spec: { bindings: bindings.filter((b) => b.clusterResourceSetName === 'crs2') } }
    const key = { namespace: NAMESPACE, name: 'c1' }
    must(await story.during(story.fleet.hub.patch(KIND, key, left as never, CALL)))
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 2)).toBe(true)
    const entryIn = (set: string) =>
      story.binding('c1')!.spec.bindings?.find((b) => b.clusterResourceSetName === set)
    for (const b of bindings) expect(entryIn(b.clusterResourceSetName)).toEqual(b)
    await story.pass(60)
    expect(story.writes('c1', from)).toEqual([])
  })

  it('a deleted set is in no binding, though one cluster has none and another is selected no more; made anew, it is applied anew', async () => {
    const story = await SetStory.open(`gone-${strategy}`, ['c1', 'c2', 'c3'])
    story.fleet.env.net.cut('https://c3.test')
    story.fleet.env.net.wire('https://c3.test', {
      before: async () => ({ phase: 'connect', detail: 'connect ETIMEDOUT' }),
    })
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { strategy })
    expect(await story.until(() => story.isApplied('crs1', ['c1', 'c2']), 30)).toBe(true)
    expect(story.binding('c3')).toBeUndefined()
    await story.label('c2', { env: 'dev' })
    await story.pass(5)
    expect(story.isApplied('crs1', ['c2'])).toBe(true)
    await story.removeSet('crs1')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 10)).toBe(true)
    expect(['c1', 'c2', 'c3'].map((c) => story.entry(c, 'crs1'))).toEqual([[], [], []])
    await story.deleteOn('c1', configMapKind, 'x')
    await story.set('crs1', sources('a'), { strategy })
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '1', 10)).toBe(true)
  })
})
