/** Values that are copied from other objects when an object is applied. */
import { expect, it } from 'vitest'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { jobHook } from './hookspecs.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody', precondition: 'any', force: true } as const

const copying = (kind: 'ConfigMap' | 'Secret', source: string, data: string): string => `apiVersion: v1
kind: ${kind}
metadata:
  name: app
  namespace: default
  annotations:
    config.kubernetes.io/apply-time-mutation: |
      - sourceRef: {kind: ${kind}, name: ${source}}
        sourcePath: $.data.value
        targetPath: $.data.url
        token: '%v'
data: {url: "${data}"}
`

async function put(story: Story, kind: 'ConfigMap' | 'Secret', name: string, value: string): Promise<void> {
  const metadata = { name, namespace: 'default' }
  const body = { apiVersion: 'v1', kind, metadata, data: { value } }
  const { client } = story.fleet.clusters.get('edge')!
  must(await story.during(client.apply(kind === 'Secret' ? secretKind : configMapKind, body as never, USER)))
}

const url = (story: Story, resource = 'configmaps'): unknown =>
  (story.live('edge', resource, 'app')?.data as { url?: string } | undefined)?.url

it('from an object of the bundle: once it is there, and again when its value changes, with one write', async () => {
  const story = await Story.begin('copies', ['edge'])
  await story.config(
    'v1',
    `${copying('ConfigMap', 'base', 'http://%v/')}---\n${configManifest('base', 'one')}`,
  )
  await story.config(
    'v2',
    `${copying('ConfigMap', 'base', 'http://%v/')}---\n${configManifest('base', 'two')}`,
  )
  await story.module('m', 'v1')
  expect(await story.until(() => story.isReady('m'))).toBe(true)
  expect(url(story)).toBe('http://one/')
  const from = story.fleet.commits.length
  await story.module('m', 'v2')
  expect(await story.until(() => url(story) === 'http://two/', 20)).toBe(true)
  await story.pass(30)
  expect(story.isReady('m')).toBe(true)
  expect(story.writes('edge', from)).toEqual([
    'apply configmaps default/base',
    'apply configmaps default/app',
  ])
  expect(story.fleet.oracles.violations).toEqual([])
})

it('from an object of others: waited for, followed, and left as it is when that goes', async () => {
  const story = await Story.begin('copies2', ['edge'])
  await story.config('v1', copying('ConfigMap', 'site', 'http://%v/'))
  await story.module('m', 'v1')
  await story.pass(10)
  const said = () =>
    (story.inventory('m', 'edge')!.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)
  expect(said()[0]).toBe(
    'WaitNotFound: ConfigMap default/site does not exist; ConfigMap default/app waits for it to be healthy (config.kubernetes.io/apply-time-mutation)',
  )
  await put(story, 'ConfigMap', 'site', 'north')
  expect(await story.until(() => story.isReady('m'), 10)).toBe(true)
  expect(url(story)).toBe('http://north/')
  await put(story, 'ConfigMap', 'site', 'south')
  expect(await story.until(() => url(story) === 'http://south/', 5)).toBe(true)
  const key = { namespace: 'default', name: 'site' }
  const { client } = story.fleet.clusters.get('edge')!
  must(await story.during(client.delete(configMapKind, key, USER)))
  story.manager.stop()
  story.manager = story.fleet.startController()
  await story.pass(20)
  expect([story.isReady('m'), url(story)]).toEqual([true, 'http://south/'])
  // What somebody takes away cannot be made again without the value; that is said.
  must(await story.during(client.delete(configMapKind, { ...key, name: 'app' }, USER)))
  await story.pass(20)
  expect(said()).toContain(
    'WaitNotFound: ConfigMap default/site does not exist; ConfigMap default/app waits for it to exist (config.kubernetes.io/apply-time-mutation)',
  )
  await put(story, 'ConfigMap', 'site', 'west')
  expect(await story.until(() => url(story) === 'http://west/', 20)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('from a Secret into a Secret: its value is in neither status, nor Inventory, nor a log', async () => {
  const story = await Story.begin('copies3', ['edge'])
  const value = Buffer.from('open sesame').toString('base64')
  await put(story, 'Secret', 'root', value)
  await story.secret('v1', copying('Secret', 'root', '%v'))
  await story.module('m', { secrets: [{ name: 'v1' }] })
  expect(await story.until(() => story.isReady('m'))).toBe(true)
  expect(url(story, 'secrets')).toBe(value)
  const [entry] = story.inventory('m', 'edge')!.spec.objects!
  expect(entry!.content.split(':')).toHaveLength(3)
  expect(JSON.stringify([story.inventories, story.see('m')])).not.toMatch(/sesame/)
  expect(JSON.stringify([story.inventories, story.see('m')])).not.toContain(value)
})

const COPY = `
      - sourceRef: {kind: ConfigMap, name: site}
        sourcePath: $.data.value
        targetPath: $.spec.template.spec.containers[0].image`

const copyingHook = (name: string, phase: string): string =>
  jobHook(name, phase, { annotations: { 'config.kubernetes.io/apply-time-mutation': COPY } })

const imageOf = (o: KubeObject | undefined): unknown =>
  at(o, 'spec', 'template', 'spec', 'containers', 0, 'image')

const unitSays = (story: Story): string[] =>
  (story.inventory('m', 'edge')?.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

it.each(['PreSync', 'Sync', 'PostSync'])(
  'into a hook of phase %s: it begins once the value is there',
  async (phase) => {
    const story = await Story.begin(`copies hook ${phase}`, ['edge'])
    await story.config('v1', `${copyingHook('seed', phase)}---\n${configManifest('base', 'one')}`)
    await story.module('m', 'v1')
    await story.pass(20)
    expect(story.isReady('m')).toBe(false)
    expect(unitSays(story).join()).toContain('WaitNotFound: ConfigMap default/site does not exist')
    await put(story, 'ConfigMap', 'site', 'job:7')
    expect(await story.until(() => story.isReady('m'), 20)).toBe(true)
    expect(imageOf(story.live('edge', 'jobs.batch', 'seed'))).toBe('job:7')
    await put(story, 'ConfigMap', 'site', 'job:8')
    await story.pass(30)
    expect([story.isReady('m'), imageOf(story.live('edge', 'jobs.batch', 'seed'))]).toEqual([true, 'job:7'])
    expect(story.fleet.oracles.violations).toEqual([])
  },
)

it('into a hook before the deletion: said, and looked for again', async () => {
  const story = await Story.begin('copies at the end', ['edge'])
  await story.config('v1', `${copyingHook('bye', 'PreDelete')}---\n${configManifest('base', 'one')}`)
  await story.module('m', 'v1')
  expect(await story.until(() => story.isReady('m'), 20)).toBe(true)
  await story.deleteModule('m')
  await story.pass(20)
  expect(unitSays(story)).toEqual([
    'WaitNotFound: ConfigMap default/site does not exist; Job default/bye waits for it to exist (config.kubernetes.io/apply-time-mutation)',
  ])
  await put(story, 'ConfigMap', 'site', 'job:7')
  expect(await story.until(() => story.inventory('m', 'edge') === undefined, 30)).toBe(true)
  const made = story.fleet.commits.filter((c) => c.resource === 'jobs.batch' && c.next)
  expect(imageOf(made.at(-1)?.next)).toBe('job:7')
})
