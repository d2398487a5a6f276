/** When an object counts as ready for what comes after it: old reports, short troubles, objects that vanish. */
import { describe, expect, it } from 'vitest'
import { podKind } from '../../packages/kube/src/kinds/types.ts'
import { at, type JsonObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { HeldWatches } from './heldwatches.ts'
import { must } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'operator', precondition: 'any' } as const

const wave = (n: number) => `annotations: {argocd.argoproj.io/sync-wave: "${n}"}`
const inWave = (text: string, n: number): string => text.replace('metadata: {', `metadata: {${wave(n)}, `)

const kindOf = (group: string, kind: string, plural: string) =>
  defineKind({ group, version: 'v1', kind, plural, namespaced: true })

const deploymentKind = kindOf('apps', 'Deployment', 'deployments')
const certificateKind = kindOf('cert-manager.io', 'Certificate', 'certificates')
const widgetKind = kindOf('example.com', 'Widget', 'widgets')

const definition = (kind: typeof certificateKind): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${kind.plural}.${kind.group}}
spec:
  group: ${kind.group}
  scope: Namespaced
  names: {kind: ${kind.kind}, plural: ${kind.plural}, singular: ${kind.kind.toLowerCase()}, listKind: ${kind.kind}List}
  versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`

const resource = (kind: typeof certificateKind, size: number): string =>
  `apiVersion: ${kind.group}/v1\nkind: ${kind.kind}\nmetadata: {name: w, namespace: default}\nspec: {size: ${size}}\n`

/** What an operator writes into a status. */
async function report(story: Story, kind: typeof certificateKind, name: string, status: JsonObject) {
  const { client } = story.fleet.clusters.get('edge')!
  const key = { namespace: 'default', name }
  must(await story.during(client.patch(kind, key, { status }, { ...USER, subresource: 'status' })))
}

const ready = (status: string, reason = 'x') => ({ conditions: [{ type: 'Ready', status, reason }] })

const value = (story: Story, name: string): unknown =>
  at(story.live('edge', 'configmaps', name)?.data, 'value')

const unit = (story: Story, module = 'm') => story.inventory(module, 'edge')!.status
const blockers = (story: Story, module = 'm') =>
  (unit(story, module)?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

/** What was told of the unit, as `Reason: text`. */
const events = (story: Story): string[] =>
  story.fleet.commits
    .filter(
      (c) =>
        c.cluster === 'hub' && c.next?.kind === 'Event' && at(c.next.involvedObject, 'kind') === 'Inventory',
    )
    .map((c) => `${c.next!.reason}: ${c.next!.message}`)

describe('a report about something older (18)', () => {
  it('a Deployment that was changed, with the status of its old generation: the next wave is not started', async () => {
    const story = await Story.begin('stale', ['edge'])
    const bundle = (v: number) =>
      `${inWave(deploymentManifest('web', `web:${v}`), 1)}---\n${inWave(configManifest('next', `${v}`), 2)}`
    await story.config('v1', bundle(1))
    await story.config('v2', bundle(2))
    await story.module('m', 'v1')
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    story.fleet.clusters.get('edge')!.world.stop()
    await story.module('m', 'v2')
    const isPatched = () => story.live('edge', 'deployments.apps', 'web')?.metadata.generation === 2
    expect(await story.until(isPatched)).toBe(true)
    const { status } = story.live('edge', 'deployments.apps', 'web')!
    expect(status).toMatchObject({ observedGeneration: 1, availableReplicas: 1 })
    await story.pass(3)
    expect(value(story, 'next')).toBe('1')
    await report(story, deploymentKind, 'web', { observedGeneration: 2 })
    expect(await story.until(() => value(story, 'next') === '2', 2)).toBe(true)
  })

  it('a kind that reports no generation, and says Ready of what was before: the next wave waits 2 s', async () => {
    const story = await Story.begin('silent', ['edge'])
    const bundle = (v: number) =>
      [
        definition(widgetKind),
        inWave(resource(widgetKind, v), 1),
        inWave(configManifest('next', `${v}`), 2),
      ].join('---\n')
    await story.config('v1', bundle(1))
    await story.config('v2', bundle(2))
    await story.module('m', 'v1')
    expect(await story.until(() => story.live('edge', 'widgets.example.com', 'w') !== undefined)).toBe(true)
    await report(story, widgetKind, 'w', ready('True'))
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    await story.module('m', 'v2')
    const isPatched = () => at(story.live('edge', 'widgets.example.com', 'w')?.spec, 'size') === 2
    expect(await story.until(isPatched)).toBe(true)
    await story.pass(1.9)
    expect([value(story, 'next'), blockers(story)[0]]).toEqual([
      '1',
      expect.stringMatching(/^Applying: Widget default\/w: waiting [12]s for a stable status$/),
    ])
    await story.pass(0.3)
    expect(value(story, 'next')).toBe('2')
  })
})

describe('a Certificate that is not ready for a while (19)', () => {
  async function issuing(name: string): Promise<Story> {
    const story = await Story.begin(name, ['edge'])
    const certificate = inWave(resource(certificateKind, 1), 1)
    await story.config(
      'v1',
      [definition(certificateKind), certificate, inWave(configManifest('next', '1'), 2)].join('---\n'),
    )
    await story.module('m', 'v1')
    const isThere = () => story.live('edge', 'certificates.cert-manager.io', 'w') !== undefined
    expect(await story.until(isThere)).toBe(true)
    await report(story, certificateKind, 'w', ready('False', 'DoesNotExist'))
    return story
  }

  it('for 10 s: it is a success, and no failure was told', async () => {
    const story = await issuing('brief')
    await story.pass(10)
    expect([value(story, 'next'), unit(story)?.health]).toEqual([undefined, 'Progressing'])
    await report(story, certificateKind, 'w', ready('True'))
    expect(await story.until(() => story.isReady('m'), 10)).toBe(true)
    expect(events(story)).toEqual([])
  })

  it('for 31 s: ObjectFailed names it; once it is ready that is over, without a new admission', async () => {
    const story = await issuing('long')
    await story.pass(31)
    expect([unit(story)?.health, blockers(story)[0]]).toEqual([
      'Failed',
      expect.stringMatching(/^ObjectFailed: Certificate default\/w: /),
    ])
    expect(events(story)).toEqual([expect.stringMatching(/^ObjectFailed: Certificate default\/w/)])
    const { serial } = story.inventory('m', 'edge')!.spec.admitted!
    await report(story, certificateKind, 'w', ready('True'))
    expect(await story.until(() => unit(story)?.health === 'Healthy', 10)).toBe(true)
    expect([value(story, 'next'), story.inventory('m', 'edge')!.spec.admitted!.serial]).toEqual(['1', serial])
  })
})

describe('an object that a wave waits for (20)', () => {
  async function waiting(name: string): Promise<Story> {
    const story = await Story.begin(name, ['edge'])
    story.fleet.clusters.get('edge')!.world.fail(SLOW)
    await story.config(
      'v1',
      `${inWave(deploymentManifest('web', 'slow:1'), 1)}---\n${inWave(configManifest('next', '1'), 2)}`,
    )
    await story.module('m', 'v1')
    expect(await story.until(() => story.live('edge', 'deployments.apps', 'web') !== undefined)).toBe(true)
    return story
  }
  const SLOW = { image: 'slow:1', outcome: 'NeverReady' } as const

  it('is deleted meanwhile: it is made again, the wait goes on, and an event names it', async () => {
    const story = await waiting('deleted')
    await story.pass(20)
    const first = story.live('edge', 'deployments.apps', 'web')!.metadata.uid
    const { client, world } = story.fleet.clusters.get('edge')!
    must(await story.during(client.delete(deploymentKind, { namespace: 'default', name: 'web' }, USER)))
    const again = () => story.live('edge', 'deployments.apps', 'web')?.metadata.uid
    expect(await story.until(() => again() !== undefined && again() !== first, 10)).toBe(true)
    await story.pass(5)
    expect([value(story, 'next'), unit(story)?.state]).toEqual([undefined, 'Delivering'])
    expect(events(story)).toEqual(['DriftReverted: drift reverted: Deployment default/web (deleted)'])
    world.heal(SLOW)
    expect(await story.until(() => story.isReady('m'), 20)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('never becomes healthy: HealthTimeout after 600 s, and not any more when it does', async () => {
    const story = await waiting('never')
    await story.pass(590)
    expect(unit(story)?.health).toBe('Progressing')
    await story.pass(15)
    expect([unit(story)?.health, blockers(story)[0]]).toEqual([
      'Failed',
      expect.stringMatching(/^HealthTimeout: Deployment default\/web is not healthy after 600s: /),
    ])
    story.fleet.clusters.get('edge')!.world.heal(SLOW)
    expect(await story.until(() => unit(story)?.health === 'Healthy', 20)).toBe(true)
    expect(value(story, 'next')).toBe('1')
  })
})

describe('a kind that is served late, or never', () => {
  it('established after 20 s, in discovery 5 s later: its resource is created with one request (21)', async () => {
    const story = await Story.begin('established', ['edge'])
    story.manager.stop()
    const watches = new HeldWatches()
    story.manager = watches.startController(story.fleet)
    await story.config('first', configManifest('first', '1'))
    await story.module('first', 'first')
    expect(await story.until(() => story.isReady('first'))).toBe(true)
    await story.config('v1', `${definition(widgetKind)}---\n${resource(widgetKind, 1)}`)
    watches.hold('customresourcedefinitions', ...DISCOVERY)
    await story.module('m', 'v1')
    await story.pass(20)
    watches.hold(...DISCOVERY)
    await story.pass(5)
    expect(story.live('edge', 'widgets.example.com', 'w')).toBeUndefined()
    expect(unit(story)?.health).toBe('Progressing')
    watches.hold()
    expect(await story.until(() => story.live('edge', 'widgets.example.com', 'w') !== undefined, 10)).toBe(
      true,
    )
    expect(watches.requests.filter((r) => r.startsWith('PATCH') && r.endsWith('/widgets/w'))).toHaveLength(1)
    expect(await story.until(() => story.isReady('m'), 30)).toBe(true)
    expect(events(story)).toEqual([])
  })
  const DISCOVERY = ['GET /api', 'GET /apis']

  it('never: it is named, and the rest is delivered (22)', async () => {
    const story = await Story.begin('never-served', ['edge'])
    const widget = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w1, namespace: app}\n'
    await story.config('v1', `${widget}---\n${configManifest('rest', '1')}`)
    await story.module('m', 'v1')
    expect(await story.until(() => value(story, 'rest') === '1')).toBe(true)
    await story.pass(30)
    expect(blockers(story)).toEqual([
      'KindNotServed: Widget app/w1: no API serves example.com/v1 Widget; deliver its CRD first or add dependsOn',
    ])
  })
})

describe('a Job', () => {
  it('that others depend on has completed first, not only started (13)', async () => {
    const story = await Story.begin('job', ['edge'], { delays: { notice: [5, 5], start: [5000, 5000] } })
    const job = `apiVersion: batch/v1
kind: Job
metadata: {name: seed, namespace: default}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "seed:1"}]}}}
`
    const needs = 'annotations: {config.kubernetes.io/depends-on: batch/namespaces/default/Job/seed}'
    const app = configManifest('app', '1').replace('metadata: {', `metadata: {${needs}, `)
    await story.config('v1', `${app}---\n${job}`)
    await story.module('m', 'v1')
    await story.pass(4)
    expect(at(story.live('edge', 'jobs.batch', 'seed')?.status, 'active')).toBe(1)
    expect(blockers(story)).toContain(
      'WaitingForObject: ConfigMap default/app waits for Job default/seed to complete (config.kubernetes.io/depends-on)',
    )
    expect(story.live('edge', 'configmaps', 'app')).toBeUndefined()
    expect(await story.until(() => story.isReady('m'), 20)).toBe(true)
    const commits = story.fleet.commits.filter((c) => c.cluster === 'edge')
    const done = commits.findIndex((c) => c.resource === 'jobs.batch' && isComplete(c.next?.status))
    expect(done).toBeGreaterThan(0)
    expect(commits.findIndex((c) => c.key === 'default/app')).toBeGreaterThan(done)
  })
})

const isComplete = (status: unknown): boolean =>
  (at(status, 'conditions') as readonly JsonObject[] | undefined)?.some(
    (c) => c.type === 'Complete' && c.status === 'True',
  ) === true

it.each(['Lockstep', 'KStatus'])(
  'a Pod that cannot be scheduled is seen after 15 s, without any event (%s)',
  async (profile) => {
    const story = await Story.begin(`unschedulable ${profile}`, ['edge'])
    const { world, client } = story.fleet.clusters.get('edge')!
    world.stop()
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\nspec: {containers: [{name: main, image: "web:1"}]}\n'
    await story.config('v1', pod)
    await story.module('m', 'v1', { health: { profile, degradedSeconds: 0 } })
    expect(await story.until(() => story.live('edge', 'pods', 'p') !== undefined)).toBe(true)
    const conditions = [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' },
    ]
    const status = { phase: 'Pending', conditions }
    const key = { namespace: 'default', name: 'p' }
    must(await story.during(client.patch(podKind, key, { status }, { ...USER, subresource: 'status' })))
    await story.pass(5)
    expect(blockers(story)[0]).toMatch(/^Applying: /)
    expect(await story.until(() => blockers(story)[0]?.startsWith('ObjectFailed: ') === true, 15)).toBe(true)
  },
)

it('a custom kind below k8s.io is no kind of Kubernetes: what it says too early is not believed', async () => {
  const scalerKind = kindOf('autoscaling.k8s.io', 'VerticalPodAutoscaler', 'verticalpodautoscalers')
  const story = await Story.begin('k8s.io', ['edge'])
  const scaler = inWave(resource(scalerKind, 1), 0)
  await story.config(
    'v1',
    [definition(scalerKind), scaler, inWave(configManifest('x', '1'), 1)].join('---\n'),
  )
  await story.module('m', 'v1')
  expect(
    await story.until(
      () => story.live('edge', `${scalerKind.plural}.${scalerKind.group}`, 'w') !== undefined,
    ),
  ).toBe(true)
  await story.pass(5)
  expect(value(story, 'x')).toBeUndefined()
  expect(await story.until(() => value(story, 'x') === '1', 15)).toBe(true)
})

it('who waits for a wave says for which object of it', async () => {
  const story = await Story.begin('wave by name', ['edge'])
  const widget = inWave(resource(widgetKind, 1), 0)
  await story.config(
    'v1',
    [definition(widgetKind), widget, inWave(configManifest('x', '1'), 2)].join('---\n'),
  )
  await story.module('m', 'v1')
  expect(await story.until(() => story.live('edge', 'widgets.example.com', 'w') !== undefined)).toBe(true)
  await report(story, widgetKind, 'w', ready('False', 'Broken'))
  await story.pass(20)
  expect(blockers(story)[1]).toBe(
    'WaitingForObject: ConfigMap default/x waits for Widget default/w to be healthy (argocd.argoproj.io/sync-wave 0 before 2)',
  )
})

it.each([
  ['ObjectFailed', { degradedSeconds: 30 }, 60],
  ['HealthTimeout', { degradedSeconds: 3600, timeoutSeconds: 600 }, 700],
])(
  'a unit that has failed (%s) stays so over a restart, until it is well',
  async (reason, health, seconds) => {
    const story = await Story.begin(`restart ${reason}`, ['edge'])
    const near = configManifest('near', '1')
    await story.config('v1', [definition(widgetKind), resource(widgetKind, 1), near].join('---\n'))
    await story.module('m', 'v1', { health })
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    const broken = reason === 'ObjectFailed' ? ready('False', 'Broken') : ready('False', 'Pending')
    await report(story, widgetKind, 'w', broken)
    await story.pass(seconds)
    expect(blockers(story)[0]).toMatch(new RegExp(`^${reason}: `))
    const from = story.fleet.commits.length
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(20)
    expect(unit(story)?.health).toBe('Failed')
    const healths = story.fleet.commits
      .slice(from)
      .flatMap((c) => (c.resource.startsWith('inventories') ? [at(c.next?.status, 'health')] : []))
    expect(healths.filter((h) => h !== 'Failed')).toEqual([])
    await report(story, widgetKind, 'w', ready('True'))
    expect(await story.until(() => unit(story)?.health === 'Healthy', 30)).toBe(true)
  },
)
