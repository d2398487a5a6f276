/** ClusterResourceSets that are Continuous, where a cluster fails or is not well: how often it is tried, and who waits for it. */
import { describe, expect, it } from 'vitest'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { GADGETS, gadget } from './gadgets.ts'
import { config, continuous, convergedOf, isInSync, valueOn } from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

/** A webhook of a cluster refuses one object, until somebody heals it. */
function deny(story: SetStory, cluster: string) {
  const { handle } = story.fleet.clusters.get(cluster)!.api
  const webhook = { isDenying: true, at: [] as number[] }
  const text = 'admission webhook "a.b" denied the request: no'
  const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 403, message: text }
  const body = JSON.stringify({ ...status, reason: 'Forbidden' })
  story.fleet.env.net.serve(`https://${cluster}.test`, async (request) => {
    if (request.method !== 'PATCH' || !isOfX(request)) return handle(request)
    webhook.at.push(story.fleet.env.clock.steady() / 1000)
    if (!webhook.isDenying) return handle(request)
    return { status: 403, headers: { 'content-type': 'application/json' }, body }
  })
  return webhook
}

const isOfX = ({ url }: { readonly url: string }): boolean => url.includes('/configmaps/x')
const gapsOf = (at: readonly number[]): number[] => at.slice(1).map((t, i) => t - at[i]!)

const web = (image: string) =>
  manifest('Deployment', 'web', {
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
    },
  })

/** Its pods crash from now on. */
function crash(story: SetStory, cluster: string, image: string): void {
  const { api, world } = story.fleet.clusters.get(cluster)!
  world.fail({ image, outcome: 'CrashLoop' })
  for (const { metadata } of api.local.list('pods', 'default'))
    api.local.delete('pods', 'default', metadata.name!, 'user')
}

describe('an object that a cluster refuses', () => {
  it('is tried again after 1, 2, 4, 8 and 15 s, each 15 s for ten minutes, then each minute; the others are there', async () => {
    const story = await SetStory.open('failing-ladder', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    const { at } = deny(story, 'c1')
    await story.set('crs1', sources('a'), continuous({ [SET.interval]: '1m' }))
    await story.pass(1500)
    const gaps = gapsOf(at)
    expect(gaps.slice(0, 5).map(Math.round)).toEqual([1, 2, 4, 8, 15])
    expect(Math.max(...gaps)).toBeLessThan(62)
    expect(gaps.filter((g) => Math.round(g) === 15).length).toBeGreaterThan(35)
    expect(Math.round(gaps.at(-1)!)).toBe(60)
    expect(valueOn(story, 'c1', 'y')).toBe('1')
  })
})

describe('a rollout that a failure has stopped', () => {
  it('goes on by itself once what has failed is well: a webhook is mended', async () => {
    const story = await SetStory.open('failing-mended', ['c1', 'c2', 'c3'])
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    const hooks = ['c1', 'c2', 'c3'].map((c) => deny(story, c))
    await story.set('crs1', sources('a'), continuous())
    await story.pass(120)
    expect(story.said('crs1', 'Ready')).toMatch(
      /^False\/Halted: .*publish a fix, wait until the clusters recover or run/,
    )
    expect(convergedOf(story)).toContain('Halted: ')
    expect(['c1', 'c2', 'c3'].filter((c) => valueOn(story, c, 'y') === '1')).toHaveLength(1)
    for (const webhook of hooks) webhook.isDenying = false
    expect(await story.until(() => isInSync(story), 120)).toBe(true)
  })

  it('goes on once the kind is there that an operator brings after its time', async () => {
    const story = await SetStory.open('failing-late', ['c1', 'c2'])
    await story.source('a', { 'a.yaml': yaml(gadget('default'), config('x')) })
    await story.set('crs1', sources('a'), continuous())
    await story.pass(3000)
    for (const c of ['c1', 'c2']) await story.createOn(c, crdKind, GADGETS as never)
    const isThere = (c: string) => story.live(c, 'gadgets.x.test', 'g') !== undefined
    expect(await story.until(() => isThere('c1') && isThere('c2'), 120)).toBe(true)
  })

  it('stays stopped at a broken image, also while nobody can ask the cluster that has it', async () => {
    const story = await SetStory.open('failing-image', ['c1', 'c2', 'c3'])
    await story.source('a', { 'a.yaml': yaml(web('web:1')) })
    await story.set('crs1', sources('a'), continuous({ [SET.healthTimeout]: '1m' }))
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    for (const c of ['c1', 'c2', 'c3'])
      story.fleet.clusters.get(c)!.world.fail({ image: 'web:2', outcome: 'CrashLoop' })
    await story.source('a', { 'a.yaml': yaml(web('web:2')) })
    const has = (c: string): boolean =>
      JSON.stringify(story.live(c, 'deployments.apps', 'web')).includes('web:2')
    const broken = () => ['c1', 'c2', 'c3'].filter(has)
    expect(await story.until(() => story.said('crs1', 'Ready').startsWith('False/Halted'), 900)).toBe(true)
    expect(broken()).toHaveLength(1)
    const [first = ''] = broken()
    const silence = { isOn: true }
    story.fleet.env.net.wire(`https://${first}.test`, {
      before: async () => (silence.isOn ? { phase: 'connect', detail: 'connect ETIMEDOUT' } : undefined),
    })
    story.fleet.env.net.cut(`https://${first}.test`)
    await story.pass(900)
    expect(broken()).toEqual([first])
    silence.isOn = false
    await story.pass(300)
    expect(broken()).toEqual([first])
  })
})

describe('a new cluster', () => {
  it.each(['10%', '1', '2'])(
    'gets what is published, though another one is not well with the same (max-unavailable %s)',
    async (most) => {
      const story = await SetStory.open(`failing-new-${most}`, ['c1', 'c2', 'c3', 'c4'])
      for (const c of ['c3', 'c4']) await story.label(c, { env: 'later' })
      await story.source('a', { 'a.yaml': yaml(web('web:1'), config('x')) })
      await story.set('crs1', sources('a'), continuous({ [SET.maxUnavailable]: most }))
      expect(await story.until(() => isInSync(story), 60)).toBe(true)
      for (const c of ['c1', 'c2']) crash(story, c, 'web:1')
      await story.pass(900)
      for (const c of ['c3', 'c4']) await story.label(c, { env: 'prod' })
      const isThere = () => ['c3', 'c4'].every((c) => valueOn(story, c, 'x') === '1')
      expect(await story.until(isThere, 120)).toBe(true)
    },
  )

  it('waits for its turn where another content is on its way, and says for what', async () => {
    const story = await SetStory.open('failing-turn', ['c1', 'c2', 'c3'])
    await story.source('a', { 'a.yaml': yaml(web('web:1'), config('x')) })
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    for (const { world } of story.fleet.clusters.values())
      world.fail({ image: 'web:2', outcome: 'CrashLoop' })
    await story.source('a', { 'a.yaml': yaml(web('web:2'), config('x')) })
    await story.pass(60)
    expect(convergedOf(story)).toMatch(
      /^False\/Updating: .*RolloutLimit: rollout limit reached \(maxUnavailable 1\/1\): 2 clusters queued/,
    )
  })
})
