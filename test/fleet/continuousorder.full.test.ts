/** In which order a ClusterResourceSet that is Continuous is delivered, and what it waits for. */
import { describe, expect, it } from 'vitest'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { isUnitHealthy } from '../../packages/lockstep/src/controllers/cache/unithealth.ts'
import { GADGETS, gadget } from './gadgets.ts'
import { config, continuous, convergedOf, deliveredOn, isInSync, valueOn } from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { configManifest } from './steps.ts'

const deployment = (name: string, image: string) =>
  manifest('Deployment', name, {
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
    },
  })

/** Requests to a cluster that it did not do. */
function refusalsBy(story: SetStory, cluster: string): string[] {
  const found: string[] = []
  story.fleet.env.net.wire(`https://${cluster}.test`, {
    after: async ({ method, path }, { status }) => {
      if (method !== 'GET' && status >= 400) found.push(`${method} ${path}: ${status}`)
      return undefined
    },
  })
  return found
}

describe('an operator that makes its own kind, and an object of that kind, in one set', () => {
  it('the object is there within 3 s of the kind being served; until then that is what the set says', async () => {
    const story = await SetStory.open('operator', ['c1'])
    await story.source('a', { 'a.yaml': yaml(gadget('default'), deployment('operator', 'operator:1')) })
    await story.set('crs1', sources('a'), continuous())
    await story.pass(20)
    expect(story.live('c1', 'deployments.apps', 'operator')).toBeDefined()
    const waits =
      /NotServed: .*: no API serves x.test\/v1 Gadget; deliver its CRD first, or in Continuous set lockstep.dev\/depends-on/
    expect(story.said('crs1')).toMatch(/^False\/NotApplied: /)
    expect(story.said('crs1')).toMatch(waits)
    expect(convergedOf(story)).toMatch(/^False\/Waiting: /)
    expect(convergedOf(story)).toMatch(waits)
    await story.createOn('c1', crdKind, GADGETS as never)
    expect(await story.until(() => story.live('c1', 'gadgets.x.test', 'g') !== undefined, 3)).toBe(true)
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
  })
})

describe('one source with everything in the wrong order', () => {
  it('is delivered at the first try: no request is refused', async () => {
    const story = await SetStory.open('wrong-order', ['c1'])
    const refused = refusalsBy(story, 'c1')
    await story.source('a', { 'a.yaml': yaml(gadget('late'), GADGETS, manifest('Namespace', 'late')) })
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
    expect(story.live('c1', 'gadgets.x.test', 'g', 'late')).toBeDefined()
    expect(refused).toEqual([])
  })
})

describe('ordering: Listed', () => {
  it('nothing of the second source before the first is healthy; at the end of its time the object is named', async () => {
    const story = await SetStory.open('listed', ['c1'])
    story.fleet.clusters.get('c1')!.world.fail({ image: 'web:1', outcome: 'CrashLoop' })
    await story.source('a', { 'a.yaml': yaml(deployment('web', 'web:1')) })
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    const settings = { [SET.ordering]: 'Listed', [SET.healthTimeout]: '60s' }
    await story.set('crs1', sources('a', 'b'), continuous(settings))
    expect(await story.until(() => story.live('c1', 'deployments.apps', 'web') !== undefined, 10)).toBe(true)
    expect(await story.until(() => convergedOf(story).startsWith('False/Failed'), 90)).toBe(true)
    expect(convergedOf(story)).toMatch(/c1 \(HealthTimeout: Deployment default\/web is not healthy after 60s/)
    // It names no field of a Module: none is to be said in other words.
    expect(convergedOf(story)).not.toMatch(/spec\.|apply\.|health\./)
    expect(valueOn(story, 'c1', 'z')).toBeUndefined()
    await story.source('a', { 'a.yaml': yaml(deployment('web', 'web:2')) })
    expect(await story.until(() => valueOn(story, 'c1', 'z') === '1', 60)).toBe(true)
    expect(await story.until(() => isInSync(story), 10)).toBe(true)
  })
})

const dependsOn = (kind: string, name: string): Record<string, string> => ({
  [SET.dependsOn]: JSON.stringify([{ id: 'first', module: { kind, name } }]),
})
const onSet = (name: string) => [{ id: 'set', module: { kind: 'ClusterResourceSet', name } }]

describe('edges', () => {
  it('a set waits until the Module that it needs is verified on the cluster', async () => {
    const story = await SetStory.open('set-on-module', ['c1'])
    story.fleet.clusters.get('c1')!.world.fail({ image: 'web:1', outcome: 'CrashLoop' })
    await story.config('base-1', yaml(deployment('web', 'web:1')))
    await story.config('base-2', yaml(deployment('web', 'web:2')))
    await story.module('base', 'base-1')
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous(dependsOn('Module', 'base')))
    await story.pass(30)
    expect(valueOn(story, 'c1', 'x')).toBeUndefined()
    expect(convergedOf(story)).toMatch(
      /^False\/Waiting: .*DependencyNotReady: waiting for dependency base on c1: deploying: /,
    )
    await story.module('base', 'base-2')
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    expect(valueOn(story, 'c1', 'x')).toBe('1')
  })

  it('a Module waits until the set that it needs is in sync on the cluster', async () => {
    const story = await SetStory.open('module-on-set', ['c1'])
    await story.config('app-1', configManifest('app', '1'))
    await story.module('app', 'app-1', { dependsOn: onSet('crs1') as never })
    const says = (text: string) => story.until(() => story.blockers('app')[0] === text, 5)
    expect(await says('DependencyMissing: waiting for ClusterResourceSet platform/crs1: not found')).toBe(
      true,
    )
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'))
    expect(
      await says(
        'DependencyMissing: waiting for ClusterResourceSet platform/crs1: its mode is ApplyOnce; set its annotation lockstep.dev/mode: Continuous',
      ),
    ).toBe(true)
    expect(story.live('c1', 'configmaps', 'app')).toBeUndefined()
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => story.isReady('app'), 60)).toBe(true)
    const order = story.fleet.commits.filter((c) => c.cluster === 'c1' && /default\/(x|app)$/.test(c.key))
    expect(order.map((c) => c.key).slice(0, 2)).toEqual(['default/x', 'default/app'])
  })

  it('a circle of a set and a Module is refused with its path, which the set says', async () => {
    const story = await SetStory.open('circle', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
    await story.config('app-1', configManifest('app', '1'))
    await story.module('app', 'app-1', { dependsOn: onSet('crs1') as never })
    expect(await story.until(() => story.isReady('app'), 30)).toBe(true)
    await story.set('crs1', sources('a'), continuous(dependsOn('Module', 'app')))
    expect(await story.until(() => story.said('crs1', 'Ready').includes('CycleDetected'), 10)).toBe(true)
    expect(story.said('crs1', 'Ready')).toBe(
      'False/CycleDetected: lockstep.dev/depends-on: ClusterResourceSet crs1 → app → ClusterResourceSet crs1; remove one of these dependencies',
    )
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 10)).toBe(true)
  })

  it('a deadlock of a set and a Module that is deleted: the set names the ring, and the change of the set that ends it', async () => {
    const story = await SetStory.open('set-deadlock', ['c1', 'c2'])
    await story.config('app-1', configManifest('app', '1'))
    await story.module('app', 'app-1')
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous(dependsOn('Module', 'app')))
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    await story.deleteModule('app')
    await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
    expect(await story.until(() => story.said('crs1', 'Ready').startsWith('False/Deadlock'), 80)).toBe(true)
    const text =
      'crs-crs1 → app → crs-crs1: crs-crs1 waits for app (DependencyDeleting), app for crs-crs1 (DependentsRemain) on 2 clusters (c1, c2); remove app from lockstep.dev/depends-on, or set optional: true on app in lockstep.dev/depends-on'
    expect(story.said('crs1', 'Ready')).toBe(`False/Deadlock: ${text}`)
    expect(story.said('crs1', 'Stalled')).toBe(`True/Deadlock: ${text}`)
    expect(convergedOf(story)).toMatch(/^False\/Waiting: .*Deadlock: crs-crs1 → app/)
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story) && valueOn(story, 'c1', 'x') === '2', 60)).toBe(true)
    expect(await story.until(() => story.live('c1', 'configmaps', 'app') === undefined, 60)).toBe(true)
  })
})

describe('max-unavailable', () => {
  const CLUSTERS = Array.from({ length: 20 }, (_, i) => `c${i + 1}`)
  const isHealthy = (story: SetStory, cluster: string) => isUnitHealthy(deliveredOn(story, cluster))
  const imageOn = (story: SetStory, cluster: string) => {
    const web = story.live(cluster, 'deployments.apps', 'web') as ReturnType<typeof deployment> | undefined
    return (web as { spec?: { template: { spec: { containers: [{ image: string }] } } } } | undefined)?.spec
      ?.template.spec.containers[0].image
  }
  const revisions = (story: SetStory) =>
    story.fleet.revisions().filter((r) => JSON.stringify(r.metadata).includes('crs-crs1')).length

  it('never more clusters at once; what is bad stops at the first; two changes within a second are one revision', async () => {
    const story = await SetStory.open('many', CLUSTERS)
    await story.source('a', { 'a.yaml': yaml(deployment('web', 'web:1')) })
    await story.set('crs1', sources('a'), continuous({ [SET.healthTimeout]: '60s' }))
    expect(await story.until(() => isInSync(story), 600)).toBe(true)
    const before = revisions(story)
    for (const c of story.fleet.clusters.values()) c.world.fail({ image: 'web:3', outcome: 'CrashLoop' })
    await story.source('a', { 'a.yaml': yaml(deployment('web', 'web:2')) })
    await story.pass(0.5)
    await story.source('a', { 'a.yaml': yaml(deployment('web', 'web:2'), config('x')) })
    let most = 0
    const isDone = () => {
      const [begun, well] = [CLUSTERS.filter((c) => imageOn(story, c) === 'web:2'), isHealthy]
      most = Math.max(most, begun.filter((c) => !well(story, c)).length)
      return begun.length === CLUSTERS.length && isInSync(story)
    }
    expect(await story.until(isDone, 600)).toBe(true)
    expect(most).toBe(2)
    expect(revisions(story) - before).toBe(1)
    await story.source('a', { 'a.yaml': yaml(deployment('web', 'web:3')) })
    await story.pass(600)
    const begun = CLUSTERS.filter((c) => imageOn(story, c) === 'web:3')
    // Not two: the first cluster of a revision is alone until it has succeeded there (`Incremental`).
    expect(begun).toHaveLength(1)
    expect(convergedOf(story)).toMatch(/^False\/Failed: in sync on \d+ of 20 clusters; Failed 1: /)
    expect(story.said('crs1', 'Ready')).toMatch(/^False\/Halted: .*lockstep rollout retry crs-crs1"$/)
  })
})
