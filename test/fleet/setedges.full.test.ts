/** ClusterResourceSets at the edge: selectors that nobody can look by, a source named twice, an end before the beginning. */
import { describe, expect, it } from 'vitest'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import { sharedCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import { CAPI_PAUSED, SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { clusterApiDefinitions } from '../../packages/simulators/src/clusterapi/definitions.cases.ts'
import { config, continuous, isInSync, valueOn } from './setsinsync.ts'
import { SetStory, type StorySetOptions, sources, yaml } from './setstory.ts'
import { must } from './simfleet.ts'
import { TakeoverStory } from './takeoverstory.ts'

const selecting = (strategy: string, selector: object, annotations = {}): StorySetOptions => ({
  strategy,
  annotations,
  selector: selector as never,
})
/** As a server has them whose webhooks are off: it takes whatever has the shape. */
async function relax(story: SetStory, definitions: readonly object[]): Promise<void> {
  for (const crd of definitions) {
    const text = JSON.stringify(crd, (key, value) => (key === 'x-kubernetes-validations' ? undefined : value))
    const write = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
    must(await story.during(story.fleet.hub.apply(crdKind, JSON.parse(text), write)))
  }
  await story.pass(5)
}

const UNKNOWN = { matchExpressions: [{ key: 'env', operator: 'Foo' }] }

describe('a selector that is broken', () => {
  it.each(['ApplyOnce', 'Reconcile', 'Continuous'])('is said, and selects nothing (%s)', async (strategy) => {
    const story = await TakeoverStory.with(`broken-${strategy}`, '1.13', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    const mode = { [SET.managed]: 'true', [SET.mode]: strategy }
    await story.set('crs1', sources('a'), selecting('Reconcile', UNKNOWN, mode))
    const said = () => story.condition('crs1', 'ResourcesApplied')
    expect(await story.until(() => said().startsWith('False/ClusterMatchFailed'), 90)).toBe(true)
    expect(said()).toContain('spec.clusterSelector.matchExpressions[0]: operator "Foo" is none of In,')
    expect(story.condition('crs1', 'Ready')).toMatch(/^False\/ClusterMatchFailed/)
    expect(valueOn(story, 'c1', 'x')).toBeUndefined()
  })

  it('keeps another set of the namespace from nothing: a new label of a Cluster is seen within 1 s', async () => {
    const story = await TakeoverStory.with('broken-others', '1.13', ['c1', 'c2'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await relax(story, clusterApiDefinitions('1.13'))
    const managed = { [SET.managed]: 'true' }
    await story.set('crs1', sources('a'), selecting('Reconcile', { matchLabels: { late: 'yes' } }, managed))
    await story.set('broken', sources('a'), selecting('Reconcile', UNKNOWN, managed))
    await story.set('empty', sources('a'), selecting('Reconcile', {}, managed))
    await story.pass(90)
    await story.label('c2', { late: 'yes' })
    expect(await story.until(() => valueOn(story, 'c2', 'x') === '1', 1)).toBe(true)
  })

  it('takes nothing off the clusters that it has found before: not in Continuous with prune', async () => {
    const story = await SetStory.open('broken-later', ['c1', 'c2'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous({ [SET.prune]: 'true' }))
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    const key = { namespace: 'platform', name: 'crs1' }
    const broken = { matchLabels: null, matchExpressions: [{ key: 'env', operator: 'In', values: [] }] }
    const patch = { spec: { clusterSelector: broken } } as never
    const write = { purpose: 'user', manager: 'user', precondition: 'any' } as const
    await relax(story, sharedCrds())
    must(await story.during(story.fleet.hub.patch(story.manager.hub.sets.kind!, key, patch, write)))
    await story.pass(120)
    expect([valueOn(story, 'c1', 'x'), valueOn(story, 'c2', 'x')]).toEqual(['1', '1'])
    expect(story.said('crs1')).toMatch(/^False\/ClusterMatchFailed/)
  })
})

describe('a source that is named twice', () => {
  it.each(['ApplyOnce', 'Reconcile', 'Continuous'])('is in the binding once (%s)', async (strategy) => {
    const story = await SetStory.open(`twice-${strategy}`, ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a', 'a'), { strategy })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 60)).toBe(true)
    expect(story.entry('c1', 'crs1')).toEqual(['ConfigMap/a applied'])
    expect(story.said('crs1')).toMatch(/^True/)
  })
})

describe('a set that cannot be handed back', () => {
  it('says so, and goes back once it can be', async () => {
    const story = await SetStory.open('no-way-back', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    // Then comes Cluster API, with its own definition.
    await story.replaceDefinitions()
    await story.pass(30)
    await story.set('crs1', sources('a'), continuous({ [SET.managed]: 'false', [CAPI_PAUSED]: 'lockstep' }))
    const said = () => story.said('crs1', 'lockstep.dev/Managed')
    expect(await story.until(() => said().startsWith('False/HandBackRefused'), 30)).toBe(true)
    expect(said()).toContain('set spec.strategy to Reconcile first: Cluster API does not know Continuous')
  })
})

describe('a set that is deleted before Cluster API has let go of it', () => {
  it('waits for that: no binding is written while Cluster API is at work', async () => {
    const story = await TakeoverStory.with('early-end', '1.8', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.appliedUpstream('crs1', sources('a'), 'Reconcile', ['c1'])
    await story.takeOver('crs1')
    const managed = () => story.condition('crs1', 'lockstep.dev/Managed')
    expect(await story.until(() => managed().includes('PreviousControllerActive'), 120)).toBe(true)
    const from = story.fleet.commits.length
    await story.removeSet('crs1')
    await story.pass(60)
    const writes = story.fleet.commits
      .slice(from)
      .filter((c) => c.actor.startsWith('lockstep') && c.resource.startsWith('clusterresourcesetbindings'))
    expect(writes).toEqual([])
    expect(managed()).toContain('PreviousControllerActive')
    await story.annotate('crs1', { [SET.assumeInactive]: 'true' })
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
    expect(story.binding('c1')).toBeUndefined()
    // Its sources are still there (D10).
    expect(story.fleet.objects('configmaps').some((o) => o.metadata.name === 'a')).toBe(true)
  })
})
