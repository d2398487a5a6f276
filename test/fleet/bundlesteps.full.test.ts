/** Steps of a bundle: nothing of the second is written before all of the first is well. */
import { expect, it } from 'vitest'
import { hooksOf, jobHook, together } from './hookspecs.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const inStep = (n: number, text: string): string =>
  text.replace('metadata: {', `metadata: {annotations: {lockstep.dev/step: "${n}"}, `)

const blockers = (story: Story): string[] =>
  (story.inventory('m', 'edge')?.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

/** What is created, in the order of the creates. */
const created = (story: Story): string[] =>
  story.writes('edge').flatMap((w) => (w.startsWith('create ') ? [w.split('/').at(-1)!] : []))

it('the first is unwell: nothing of the second is written, and it has failed by the name of what is unwell; once it is well, all goes on', async () => {
  const story = await Story.begin('steps', ['edge'])
  const { world } = story.fleet.clusters.get('edge')!
  const broken = { image: 'web:1', outcome: 'ImagePull' } as const
  world.fail(broken)
  const manifests = [
    inStep(2, configManifest('last', '1')),
    inStep(1, configManifest('next', '1')),
    configManifest('first', '1'),
    deploymentManifest('web', 'web:1'),
  ]
  await story.config('v1', together(...manifests))
  await story.module('m', 'v1', { health: { timeoutSeconds: 120 } })
  await story.pass(100)
  expect(created(story).sort()).toEqual(['first', 'web'])
  const waits = (name: string, step: string): string =>
    `WaitingForObject: ConfigMap default/${name} waits for Deployment default/web to be healthy (lockstep.dev/step ${step})`
  expect(blockers(story)).toEqual([
    'Applying: Deployment default/web: 0 of 1 replicas available',
    waits('last', '1 before 2'),
    waits('next', '0 before 1'),
  ])
  await story.pass(60)
  expect(story.inventory('m', 'edge')!.status!.health).toBe('Failed')
  expect(blockers(story)[0]).toMatch(/^HealthTimeout: Deployment default\/web is not healthy after 120s: /)
  expect(created(story)).toHaveLength(2)

  world.heal(broken)
  expect(await story.until(() => story.inventory('m', 'edge')!.status!.health === 'Healthy', 60)).toBe(true)
  expect(created(story).slice(2)).toEqual(['next', 'last'])
  await story.deleteModule('m')
  expect(await story.until(() => story.inventories.length === 0)).toBe(true)
  const gone = story.writes('edge').filter((w) => w.startsWith('delete '))
  expect(gone.map((w) => w.split('/').at(-1)!.split(' ')[0]).slice(0, 2)).toEqual(['last', 'next'])
  expect(story.fleet.oracles.violations).toEqual([])
})

it('hooks run in their step: a PostSync hook of the first comes before the second, of which nothing else is there', async () => {
  const story = await Story.begin('stephooks', ['edge'])
  const step = (n: number) => ({ annotations: { 'lockstep.dev/step': `${n}` } })
  await story.config('v1', together(inStep(1, configManifest('first', '1')), configManifest('former', '1')))
  await story.module('m', 'v1')
  expect(await story.until(() => story.isReady('m'))).toBe(true)
  const from = story.fleet.commits.length
  await story.config(
    'v2',
    together(
      jobHook('second-begins', 'PreSync', step(2)),
      inStep(2, configManifest('second', '1')),
      jobHook('first-ends', 'PostSync', step(1)),
      inStep(1, configManifest('first', '2')),
      jobHook('second-ends', 'PostSync', step(2)),
    ),
  )
  await story.module('m', 'v2')
  expect(await story.until(() => story.isReady('m') && hooksOf(story, 'm').length === 3)).toBe(true)
  const names = story.writes('edge', from).flatMap((w) => {
    const [verb, resource, key] = w.split(' ') as [string, string, string]
    const isContent = verb === 'create' || (resource === 'configmaps' && verb !== 'create')
    return isContent ? [`${verb} ${key.split('/').at(-1)}`] : []
  })
  expect(names).toEqual([
    'apply first',
    'create first-ends',
    'create second-begins',
    'create second',
    'delete former',
    'create second-ends',
  ])
  expect(story.fleet.oracles.violations).toEqual([])
})
