/** What cannot be changed where it is, in a ClusterResourceSet that is Continuous. */
import { describe, expect, it } from 'vitest'
import { at } from '../../packages/kube/src/object/index.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { jobKind } from '../integration/casemanifests.ts'
import { config, continuous, convergedOf, isInSync, valueOn } from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { must } from './simfleet.ts'

const C1 = ['c1']

const job = (command: string) => ({
  ...manifest('Job', 'init', {
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: [command] }] },
      },
    },
  }),
  apiVersion: 'batch/v1',
})

const claim = (mode: string) =>
  manifest('PersistentVolumeClaim', 'data', {
    spec: { accessModes: [mode], resources: { requests: { storage: '1Gi' } } },
  })

const REPLACE = { [SET.replaceImmutable]: 'true' }

const commandOn = (story: SetStory): unknown =>
  at(
    story.live('c1', 'jobs.batch', 'init') as never,
    'spec',
    'template',
    'spec',
    'containers',
    0,
    'command',
    0,
  )

async function delivered(name: string, o: object, more: Readonly<Record<string, string>> = {}) {
  const story = await SetStory.open(name, C1)
  await story.source('a', { 'a.yaml': yaml(o, config('x')) })
  await story.set('crs1', sources('a'), continuous(more))
  expect(await story.until(() => isInSync(story), 120)).toBe(true)
  await story.pass(60)
  return story
}

/** Our requests that would write to a resource, from now on. */
function requests(story: SetStory, resource: string): string[] {
  const seen: string[] = []
  story.fleet.env.net.wire('https://c1.test', {
    before: async ({ method, path, headers }) => {
      const isOurs = String(headers['user-agent'] ?? '').startsWith('lockstep')
      if (isOurs && method !== 'GET' && path.includes(`/${resource}`)) seen.push(`${method} ${path}`)
      return undefined
    },
  })
  return seen
}

describe('a field that cannot change', () => {
  it('is tried once, and said with what helps; all else is delivered; undone, all is well', async () => {
    const story = await delivered('continuous-immutable', job('one'))
    const seen = requests(story, 'jobs')
    await story.source('a', { 'a.yaml': yaml(job('two'), config('x', '2')) })
    await story.pass(3600)
    expect(seen).toEqual([expect.stringMatching(/^PATCH .*\/jobs\/init\?/)])
    const says =
      'Job default/init: .spec.template is immutable; set lockstep.dev/replace-immutable: "true" or rename it'
    expect(story.said('crs1')).toContain(`NotApplied 1: c1 (ConfigMap a: ${says})`)
    expect(convergedOf(story)).toContain(`Failed 1: c1 (ImmutableField: ${says})`)
    expect(valueOn(story, 'c1', 'x')).toBe('2')
    await story.source('a', { 'a.yaml': yaml(job('one'), config('x', '3')) })
    expect(await story.until(() => isInSync(story) && valueOn(story, 'c1', 'x') === '3', 30)).toBe(true)
  })

  it('whoever deletes the object has it made from the manifest', async () => {
    const story = await delivered('continuous-immutable-deleted', job('one'))
    await story.source('a', { 'a.yaml': yaml(job('two'), config('x')) })
    expect(await story.until(() => convergedOf(story).includes('ImmutableField'), 30)).toBe(true)
    const gone = story.fleet.clusters
      .get('c1')!
      .client.delete(
        jobKind,
        { namespace: 'default', name: 'init' },
        { purpose: 'user', manager: 'user', precondition: 'any', propagation: 'Background' },
      )
    must(await story.during(gone))
    expect(await story.until(() => convergedOf(story).startsWith('True/InSync'), 15)).toBe(true)
    expect(commandOn(story)).toBe('two')
  })

  it('replace-immutable: one delete and one create, also where it is asked for afterwards', async () => {
    const story = await delivered('continuous-replaced-anew', job('one'), REPLACE)
    const isNow = (command: string) => () => isInSync(story) && commandOn(story) === command
    const from = story.fleet.commits.length
    await story.source('a', { 'a.yaml': yaml(job('two'), config('x')) })
    expect(await story.until(isNow('two'), 60)).toBe(true)
    await story.pass(600)
    const once = ['delete jobs.batch default/init', 'create jobs.batch default/init']
    expect(story.writes('c1', from)).toEqual(once)
    await story.set('crs1', sources('a'), continuous())
    await story.source('a', { 'a.yaml': yaml(job('three'), config('x')) })
    expect(await story.until(() => convergedOf(story).includes('ImmutableField'), 30)).toBe(true)
    await story.set('crs1', sources('a'), continuous(REPLACE))
    expect(await story.until(isNow('three'), 60)).toBe(true)
    await story.pass(600)
    expect(story.writes('c1', from)).toEqual([...once, ...once])
  })

  it('replace-immutable: never what holds data', async () => {
    const story = await delivered('continuous-replaced-claim', claim('ReadWriteOnce'), REPLACE)
    const [from, seen] = [story.fleet.commits.length, requests(story, 'persistentvolumeclaims')]
    await story.source('a', { 'a.yaml': yaml(claim('ReadWriteMany'), config('x')) })
    await story.pass(3600)
    expect(story.writes('c1', from)).toEqual([])
    expect(seen).toHaveLength(1)
    expect(convergedOf(story)).toMatch(/Failed 1: c1 \(ReplaceRefused: PersistentVolumeClaim default\/data: /)
    expect(story.said('crs1', 'Ready')).toMatch(/^False\//)
  })
})
