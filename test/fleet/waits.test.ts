/** Conditions on objects that a bundle does not deliver. */
import { describe, expect, it } from 'vitest'
import { configMapKind, crdKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { HeldWatches } from './heldwatches.ts'
import { must } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody', precondition: 'any', force: true } as const

const configText = (name: string, notes: Readonly<Record<string, string>>): string =>
  configManifest(name, '1').replace(
    'metadata: {',
    `metadata: {annotations: {${Object.entries(notes).map(([k, v]) => `${k}: ${JSON.stringify(v)}`)}}, `,
  )

async function put(story: Story, name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name, namespace: 'default' }
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
  must(await story.during(story.fleet.clusters.get('edge')!.client.apply(configMapKind, map, USER)))
}

async function remove(story: Story, name: string): Promise<void> {
  const key = { namespace: 'default', name }
  must(await story.during(story.fleet.clusters.get('edge')!.client.delete(configMapKind, key, USER)))
}

/** What the unit says of itself on the cluster. */
const blockers = (story: Story, module: string) =>
  (story.inventory(module, 'edge')?.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

const requests = (story: Story): number =>
  story.fleet.env.meters
    .read()
    .filter((s) => s.name === 'lockstep_client_requests_total' && s.labels.cluster === 'edge')
    .filter((s) => s.labels.why !== 'user' && s.labels.verb !== 'watch')
    .reduce((sum, s) => sum + s.value, 0)

const OUTSIDE = { 'lockstep.dev/depends-on': '/namespaces/default/ConfigMap/storage' }

describe('an object outside the bundle', () => {
  it('appears after 40 s: its blocker names it, who waits and why; then it goes on (13)', async () => {
    const story = await Story.begin('outside', ['edge'])
    await story.config('all', `${configText('app', OUTSIDE)}---\n${configManifest('free', '1')}`)
    await story.module('m', 'all')
    await story.pass(40)
    expect(blockers(story, 'm')).toEqual([
      'WaitNotFound: ConfigMap default/storage does not exist; ConfigMap default/app waits for it to be healthy (lockstep.dev/depends-on)',
      'WaitingForObject: ConfigMap default/app waits for ConfigMap default/storage to be healthy (lockstep.dev/depends-on)',
    ])
    expect(story.live('edge', 'configmaps', 'free')).toBeDefined()
    expect(story.live('edge', 'configmaps', 'app')).toBeUndefined()
    await put(story, 'storage', {})
    expect(await story.until(() => story.isReady('m'), 5)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('was there once: its deletion, a restart and a repair do not ask again, new content does', async () => {
    const story = await Story.begin('once', ['edge'])
    await story.config('v1', configText('app', OUTSIDE))
    await story.config('v2', configText('app', { ...OUTSIDE, other: 'x' }))
    await story.module('m', 'v1')
    await put(story, 'storage', {})
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    expect(story.inventory('m', 'edge')!.spec.waits).toEqual([
      { id: 'ConfigMap default/storage Healthy', serial: 1 },
    ])
    await remove(story, 'storage')
    await story.pass(20)
    expect(story.isReady('m')).toBe(true)
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(20)
    await remove(story, 'app')
    expect(await story.until(() => story.live('edge', 'configmaps', 'app') !== undefined, 20)).toBe(true)
    expect(await story.until(() => story.isReady('m'), 20)).toBe(true)
    await story.module('m', 'v2')
    await story.pass(20)
    expect(blockers(story, 'm')[0]).toMatch(/^WaitNotFound: ConfigMap default\/storage does not exist; /)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is asked an expression; what is said names it, and costs no request until something changes', async () => {
    const story = await Story.begin('when', ['edge'])
    const when = "object.data.state == 'open'"
    const wait = JSON.stringify([{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gate', when }])
    await story.config('all', configText('app', { 'lockstep.dev/wait-for': wait }))
    await put(story, 'gate', { state: 'shut' })
    await story.module('m', 'all')
    await story.pass(5)
    expect(blockers(story, 'm')[0]).toBe(
      `WaitingForObject: ConfigMap default/gate: ${when} is not true; ConfigMap default/app waits for it to match its expression (lockstep.dev/wait-for)`,
    )
    const before = requests(story)
    await story.pass(300)
    expect(requests(story)).toBe(before)
    await put(story, 'gate', {})
    await story.pass(2)
    expect(blockers(story, 'm')[0]).toContain('is not true: no such key: data;')
    await put(story, 'gate', { state: 'open' })
    expect(await story.until(() => story.isReady('m'), 5)).toBe(true)
  })

  it('that does not come is a failure after health.timeoutSeconds, and none any more when it does', async () => {
    const story = await Story.begin('late', ['edge'])
    await story.config('all', configText('app', OUTSIDE))
    await story.module('m', 'all', { health: { timeoutSeconds: 600 } })
    await story.pass(590)
    expect(story.inventory('m', 'edge')!.status?.state).toBe('Delivering')
    await story.pass(15)
    expect(story.inventory('m', 'edge')!.status?.health).toBe('Failed')
    expect(blockers(story, 'm')[0]).toMatch(
      /^WaitNotFound: ConfigMap default\/storage does not exist after 600s; /,
    )
    const { serial } = story.inventory('m', 'edge')!.spec.admitted!
    await put(story, 'storage', {})
    expect(await story.until(() => story.inventory('m', 'edge')!.status?.health === 'Healthy', 20)).toBe(true)
    expect(story.inventory('m', 'edge')!.spec.admitted!.serial).toBe(serial)
  })

  it('has to be healthy, not only there: one that is not in time is named with what it says', async () => {
    const story = await Story.begin('unwell', ['edge'])
    const needs = { 'lockstep.dev/depends-on': 'apps/namespaces/default/Deployment/db' }
    await story.config('all', configText('app', needs))
    story.fleet.clusters.get('edge')!.world.fail({ image: 'bad:1', outcome: 'ImagePull' })
    await story.config('db', deploymentManifest('db', 'bad:1'))
    await story.module('other', 'db')
    await story.module('m', 'all', { health: { timeoutSeconds: 60 } })
    await story.pass(30)
    expect(blockers(story, 'm')[0]).toMatch(/^WaitingForObject: Deployment default\/db: /)
    await story.pass(40)
    expect(blockers(story, 'm')[0]).toMatch(
      /^HealthTimeout: Deployment default\/db is not healthy after 60s: .*; /,
    )
    await story.config('db-2', deploymentManifest('db', 'good:2'))
    await story.module('other', 'db-2')
    // The rollout keeps in mind that it has failed; the unit does not.
    expect(await story.until(() => story.inventory('m', 'edge')!.status?.health === 'Healthy', 60)).toBe(true)
  })

  it('of a kind that nobody serves yet is named by its kind, and found once it is served', async () => {
    const story = await Story.begin('unserved', ['edge'])
    const wait = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' }]
    await story.config('all', configText('app', { 'lockstep.dev/wait-for': JSON.stringify(wait) }))
    await story.module('m', 'all')
    await story.pass(5)
    expect(blockers(story, 'm')[0]).toBe(
      'WaitKindNotServed: Widget default/w does not exist: the cluster serves no example.com/v1 Widget; ConfigMap default/app waits for it to exist (lockstep.dev/wait-for)',
    )
    const { client } = story.fleet.clusters.get('edge')!
    must(await story.during(client.create(crdKind, widgets as never, USER)))
    await story.pass(70)
    expect(blockers(story, 'm')[0]).toMatch(/^WaitNotFound: Widget default\/w does not exist; /)
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
    }
    must(await story.during(client.create(widgetKind, widget, USER)))
    expect(await story.until(() => story.isReady('m'), 5)).toBe(true)
  })

  it('a condition on an object of the bundle sees what that holds', async () => {
    const story = await Story.begin('inside', ['edge'])
    const wait = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gate', when: "object.data.value == 'open'" }]
    const app = configText('app', { 'lockstep.dev/wait-for': JSON.stringify(wait) })
    await story.config('v1', `${app}---\n${configManifest('gate', 'shut')}`)
    await story.config('v2', `${app}---\n${configManifest('gate', 'open')}`)
    await story.module('m', 'v1')
    await story.pass(10)
    expect(blockers(story, 'm')).toEqual([
      'WaitingForObject: ConfigMap default/app waits for ConfigMap default/gate to match its expression (lockstep.dev/wait-for)',
    ])
    await story.module('m', 'v2')
    expect(await story.until(() => story.isReady('m'), 20)).toBe(true)
  })

  it('has no namespace, though who waits for it has: it is called so', async () => {
    const story = await Story.begin('above', ['edge'])
    const wait = [{ apiVersion: 'v1', kind: 'Namespace', name: 'later' }]
    await story.config('all', configText('app', { 'lockstep.dev/wait-for': JSON.stringify(wait) }))
    await story.module('m', 'all')
    await story.pass(5)
    expect(blockers(story, 'm')[0]).toMatch(/^WaitNotFound: Namespace later does not exist; /)
    const later = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } }
    must(await story.during(story.fleet.clusters.get('edge')!.client.create(namespaceKind, later, USER)))
    expect(await story.until(() => story.isReady('m'), 5)).toBe(true)
  })

  it('may not be read: the server says so, and it is found once it may', async () => {
    const story = await Story.begin('forbidden', ['edge'])
    story.manager.stop()
    const network = new HeldWatches()
    const path = '/api/v1/namespaces/default/configmaps'
    network.forbid(path)
    story.manager = network.startController(story.fleet)
    await put(story, 'storage', {})
    await story.config('all', configText('app', OUTSIDE))
    await story.module('m', 'all')
    await story.pass(10)
    expect(blockers(story, 'm')[0]).toMatch(
      /^WaitForbidden: ConfigMap default\/storage cannot be read: .*cannot read \/api.*; ConfigMap default\/app waits for it to be healthy/,
    )
    network.forbid()
    expect(await story.until(() => story.isReady('m'), 60)).toBe(true)
  })

  it('is watched only while it is waited for', async () => {
    const story = await Story.begin('watched', ['edge'])
    await story.config('all', configText('app', OUTSIDE))
    await story.module('m', 'all')
    await story.pass(5)
    const { fleet } = story.manager
    const session = fleet.session(fleet.view('platform', 'edge')!, { namespace: 'platform' })!
    expect(session.selections.size).toBe(1)
    await put(story, 'storage', {})
    expect(await story.until(() => story.isReady('m'), 5)).toBe(true)
    expect(session.selections.size).toBe(0)
  })
})

const widgetKind = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
})

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}
