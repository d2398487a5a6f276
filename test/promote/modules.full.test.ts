/** Promotions by module: versions in the spec of Modules on the hub, each field with one owner. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { must } from '../fleet/simfleet.ts'
import { deathsOf } from '../fleet/writedeaths.ts'
import { spawn } from '../simulation/process.ts'
import { applied, handedOver, moduleIn, ofModules, written } from './modulestory.ts'
import { PipelineStory } from './pipelinestory.ts'

const MODULE = { strategy: 'module' }
const GIT = { source: { git: { url: 'https://git.test/o/app' } } }
const ref = (to: object) => ({ source: { git: { ref: to } } })

/** A Module in each of two namespaces, whose tags are promoted, in one environment. */
async function twoModules(seed: string, o: { tags?: readonly object[]; release?: string } = {}) {
  const story = await PipelineStory.open(seed, { environments: ['dev', 'east', 'west'] })
  const [east = { tag: 'v1.0.0' }, west = east] = o.tags ?? []
  await handedOver(story, 'east', GIT, ref(east))
  await handedOver(story, 'west', GIT, ref(west))
  await story.pipeline(
    { dev: {}, prod: { promotion: MODULE, targets: [{ namespace: 'east' }, { namespace: 'west' }] } },
    { spec: ofModules },
  )
  return story
}

const tags = async (story: PipelineStory) => [
  (await moduleIn(story, 'east')).spec.source.git?.ref,
  (await moduleIn(story, 'west')).spec.source.git?.ref,
]

describe('a promotion by module', () => {
  it('writes the version of each Module once, with its key, and nothing else', async () => {
    const story = await twoModules('module')
    const before = await moduleIn(story, 'east')
    await story.ask('prod', 'r1=v2.0.0')
    expect(await story.until(() => story.phase('prod') === 'Converging')).toBe(true)
    const promotion = story.last('prod')!
    expect(promotion.status).toMatchObject({
      intent: {
        modules: [{ namespace: 'east', uid: before.metadata.uid, from: 'v1.0.0', to: 'v2.0.0' }, {}],
      },
      result: { modules: 2 },
    })
    const { spec, metadata } = await moduleIn(story, 'east')
    expect(metadata.annotations).toMatchObject({ 'lockstep.dev/promotion': keyOfPromotion(promotion.spec) })
    expect(spec).toEqual({
      ...before.spec,
      source: { ...before.spec.source, git: { ...before.spec.source.git, ref: { tag: 'v2.0.0' } } },
    })
    await story.pass(600)
    expect(written(story)).toEqual(['east', 'west'])
  })

  it('P15: a field that somebody takes while it waits for a Hold ends it, and none is another than before', async () => {
    const story = await twoModules('taken')
    const refuse = (r: { method: string; path: string }) =>
      r.method === 'PATCH' && /modules\/podinfo/.test(r.path) && !/dryRun|status/.test(r.path)
    story.manager.stop()
    const crash = { write: 1, after: false, of: refuse }
    const first = spawn(story.fleet.env, 'first', { delayMs: 2, lossRate: 0, dropRate: 0, crash })
    story.manager = story.start(first.env)
    await story.ask('prod', 'r1=v2.0.0')
    expect(await story.until(() => !first.alive, 300)).toBe(true)
    expect([story.phase('prod'), written(story)]).toEqual(['Applying', []])
    await applied(
      story,
      'west',
      { source: { git: { ...GIT.source.git, ref: { tag: 'v1.0.0' } } } },
      'kubectl',
    )
    story.manager = story.start()
    expect(await story.until(() => story.phase('prod') === 'Failed')).toBe(true)
    expect([story.last('prod')!.status?.reason, written(story)]).toEqual(['FieldOwned', []])
  })

  it('of which one is written already is brought to its end, however long the other is refused', async () => {
    const story = await twoModules('half')
    const { env, hubApi } = story.fleet
    let isDown = true
    env.net.serve('https://hub.test', async (r) => {
      const isWest = r.method === 'PATCH' && r.url.includes('/west/modules/') && !/dryRun|status/.test(r.url)
      if (!isWest || !isDown) return hubApi.handle(r)
      const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 500 }
      const body = JSON.stringify({ ...status, reason: 'InternalError', message: 'webhook: timeout' })
      return { status: 500, headers: { 'content-type': 'application/json' }, body }
    })
    await story.ask('prod', 'r1=v2.0.0')
    await story.pass(3 * 3600)
    expect([story.phase('prod'), written(story)]).toEqual(['Applying', ['east']])
    expect(story.last('prod')!.status?.blockers?.[0]?.message).toContain('webhook: timeout')
    isDown = false
    expect(await story.until(() => story.phase('prod') === 'Converging', 700)).toBe(true)
    expect(written(story)).toEqual(['east', 'west'])
  })

  it('moves a pin with its tag, in one write', async () => {
    const [one, two] = ['1'.repeat(40), '2'.repeat(40)]
    const story = await twoModules('pin', { tags: [{ tag: 'v1.0.0', commit: one }] })
    await story.ask('prod', `r1=v2.0.0@sha1:${two}`)
    expect(await story.until(() => story.phase('prod') === 'Converging')).toBe(true)
    expect(await tags(story)).toEqual(Array(2).fill({ tag: 'v2.0.0', commit: two }))
    expect(written(story)).toEqual(['east', 'west'])
  })

  it('P15: a field of somebody else ends it, and no Module is another than before', async () => {
    const story = await twoModules('owned')
    await applied(
      story,
      'west',
      { source: { git: { ...GIT.source.git, ref: { tag: 'v1.0.0' } } } },
      'kustomize-controller',
    )
    const before = [await moduleIn(story, 'east'), await moduleIn(story, 'west')]
    await story.ask('prod', 'r1=v2.0.0')
    expect(await story.until(() => story.phase('prod') === 'Failed')).toBe(true)
    expect(story.last('prod')!.status).toMatchObject({
      reason: 'FieldOwned',
      message:
        'Module west/podinfo: spec.source.git.ref.tag managed by kustomize-controller; change it in Git or use pull-request',
    })
    await story.pass(600)
    const after = [await moduleIn(story, 'east'), await moduleIn(story, 'west')]
    expect(after.map((m) => [m.spec, m.metadata.annotations])).toEqual(
      before.map((m) => [m.spec, m.metadata.annotations]),
    )
    expect(written(story)).toEqual([])
  })

  it('what follows a range is left to it', async () => {
    const story = await twoModules('range', { tags: [{ tag: 'v1.0.0' }, { semver: '^1.2' }] })
    await story.ask('prod', 'r1=v2.0.0')
    expect(await story.until(() => story.phase('prod') === 'Failed')).toBe(true)
    expect(story.last('prod')!.status).toMatchObject({
      reason: 'NothingToEdit',
      message:
        'Module west/podinfo: source.git.ref.semver follows ^1.2; set one version in source.git.ref.tag',
    })
    expect(written(story)).toEqual([])
  })

  it('Modules of other clusters are nothing that it can write', async () => {
    const story = await PipelineStory.open('far', { clusters: ['eu'], environments: ['dev', 'prod'] })
    await story.pipeline({ dev: {}, prod: { promotion: MODULE, clusters: ['eu'] } }, { spec: ofModules })
    await story.ask('prod', 'r1=v2.0.0')
    expect(await story.until(() => story.phase('prod') === 'Failed')).toBe(true)
    expect(story.last('prod')!.status).toMatchObject({
      reason: 'InvalidSpec',
      message:
        'target prod on eu: strategy module changes Modules of the hub only; remove clusterRef, or use pull-request',
    })
  })

  it('X5: killed before and after writes: each Module is written once, and it ends the same', {
    timeout: 120_000,
  }, async () => {
    let deaths = 0
    for (const after of [false, true]) {
      const { first, step } = deathsOf(after)
      for (let write = first; ; write += step) {
        const what = `${write} ${after ? 'after' : 'before'}`
        const story = await twoModules(`killed ${what}`)
        story.manager.stop()
        const process = spawn(story.fleet.env, 'first', {
          delayMs: 1,
          lossRate: 0,
          dropRate: 0,
          crash: { write, after },
        })
        story.manager = story.start(process.env)
        await story.ask('prod', 'r1=v2.0.0')
        const hasDied = await story.until(() => !process.alive || story.phase('prod') === 'Converging')
        expect(hasDied, what).toBe(true)
        if (process.alive) break
        deaths++
        story.manager = story.start()
        expect(await story.until(() => story.phase('prod') === 'Converging'), what).toBe(true)
        expect(await tags(story), what).toEqual(Array(2).fill({ tag: 'v2.0.0' }))
        expect(written(story), what).toEqual(['east', 'west'])
        expect(story.last('prod')!.status?.result, what).toEqual({ modules: 2 })
      }
    }
    expect(deaths).toBeGreaterThan(4)
  })

  /** dev and prod freeze what a ConfigMap has by a release, which was promoted once. */
  async function released(seed: string, o: object = {}) {
    const story = await PipelineStory.open(seed, { environments: ['dev', 'prod'] })
    const content = async (text: string) => {
      for (const namespace of ['dev', 'prod']) {
        const data = {
          a: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: dev}\ndata: {v: "${text}"}\n`,
        }
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app', namespace }, data }
        const o = { purpose: 'user', manager: 'flux', precondition: 'any', force: true } as const
        must(await story.during(story.fleet.hub.apply(configMapKind, body, o)))
      }
    }
    // These hubs have no clusters.
    const source = { source: { configMaps: [{ name: 'app' }] }, targets: { allowEmpty: true } }
    const releases = async (release: string, text: string) => {
      await content(text)
      await applied(story, 'dev', { ...source, release })
    }
    await releases('2026.10', '1')
    await handedOver(story, 'prod', source, { release: '2026.10' })
    await story.pipeline({ dev: {}, prod: { promotion: { ...MODULE, ...o } } }, { spec: ofModules })
    expect(await story.until(() => story.phase('prod') === 'Succeeded')).toBe(true)
    return { story, releases }
  }

  it('the release follows, and with it what it freezes', async () => {
    const { story, releases } = await released('release')
    await releases('2026.11', '2')
    expect(await story.until(() => story.promotions('prod').length === 2)).toBe(true)
    expect(await story.until(() => story.phase('prod') === 'Succeeded')).toBe(true)
    expect((await moduleIn(story, 'prod')).spec.release).toBe('2026.11')
    expect(story.environment('prod')?.current).toBe(story.environment('dev')?.current)
  })

  it('that goes back takes the release back that was there before', async () => {
    const readyExpr = "!targets.exists(t, t.object.spec.release == '2026.11')"
    const verify = { soakSeconds: 0, timeoutSeconds: 60, checks: [{ name: 'slo', readyExpr }] }
    const { story, releases } = await released('release/back', { verify, rollback: 'OnFailure' })
    await releases('2026.11', '2')
    expect(await story.until(() => story.promotions('prod').length === 3, 300)).toBe(true)
    const [before, failed, back] = story.promotions('prod')
    expect([failed!.status?.phase, back!.spec]).toMatchObject([
      'Failed',
      { revision: before!.spec.revision, release: '2026.10', rollbackOf: failed!.metadata.name },
    ])
    expect(await story.until(() => story.phase('prod') === 'Converging')).toBe(true)
    expect((await moduleIn(story, 'prod')).spec.release).toBe('2026.10')
  })
})
