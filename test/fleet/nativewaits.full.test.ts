/** The cluster group of a Validated Pattern, its sequenceJobs as waits: the race of a storage and a virtualization operator. */
import { describe, expect, it } from 'vitest'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import type { OlmRefusal, OperatorPlans } from '../../packages/simulators/src/olm/operatorplans.ts'
import { patternDefinitions } from '../../packages/simulators/src/olm/patterndefinitions.ts'
import { must, type SimFleetOptions } from './simfleet.ts'
import { Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody' } as const
const CEPH = 'ocs-storagecluster-ceph-rbd'
const classKind = defineKind({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
})
const storageClass: KubeObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: CEPH },
  provisioner: 'rbd.csi.ceph.com',
} as KubeObject

const render = (more: object = {}) => ({
  render: { namespace: 'openshift-operators', clusterGroup: { valuesFiles: ['all.yaml'], ...more } },
})

const values = (job: string, more = ''): string => `global: {pattern: edge, options: {useCSV: false}}
clusterGroup:
  name: hub
  namespaces: [openshift-cnv, openshift-storage]
  subscriptions:
    virt:
      name: kubevirt-hyperconverged
      namespace: openshift-cnv
      annotations: {argocd.argoproj.io/sync-wave: "10"}
    odf:
      name: odf-operator
      namespace: openshift-storage
      annotations: {argocd.argoproj.io/sync-wave: "5"}
      ${job}
${more}`
const WAITS = `sequenceJob: {resourceType: sc, resourceName: ${CEPH}}`

const RACE: OperatorPlans = {
  'odf-operator': { installMs: 20_000, makes: [{ afterMs: 60_000, object: storageClass }] },
}

async function begun(name: string, text: string, options: SimFleetOptions & { spec?: object } = {}) {
  const { spec, ...world } = options
  const story = await Story.begin(name, ['edge'], { operators: RACE, ...world })
  const { client } = story.fleet.clusters.get('edge')!
  for (const crd of patternDefinitions()) must(await story.during(client.create(crdKind, crd as never, USER)))
  await story.config('group', text)
  await story.module('group', 'group', { ...render(), ...spec })
  return story
}

const find = (story: Story, name: string, namespace: string): KubeObject | undefined =>
  story.live('edge', 'subscriptions.operators.coreos.com', name, namespace)
const virt = (story: Story) => find(story, 'kubevirt-hyperconverged', 'openshift-cnv')
const odf = (story: Story) => find(story, 'odf-operator', 'openshift-storage')
const steady = (story: Story): number => story.fleet.env.clock.steady()
const made = (story: Story, resource: string): number =>
  story.fleet.commits.filter((c) => c.cluster === 'edge' && c.verb === 'create' && c.resource === resource)
    .length

/** Milliseconds of the fleet from when the class is there until the virtualization operator is subscribed, which comes later. */
async function lagOf(story: Story): Promise<number> {
  expect(
    await story.until(() => story.live('edge', 'storageclasses.storage.k8s.io', CEPH, '') !== undefined),
  ).toBe(true)
  const at = steady(story)
  expect(await story.until(() => virt(story) !== undefined)).toBe(true)
  const places = ['storageclasses.storage.k8s.io', 'subscriptions.operators.coreos.com openshift-cnv'].map(
    (what) =>
      story.fleet.commits.findIndex((c) => c.verb !== 'delete' && `${c.resource} ${c.key}`.startsWith(what)),
  )
  expect(places[0]).toBeLessThan(places[1]!)
  return steady(story) - at
}

describe('a wave with a sequenceJob', () => {
  it('ends when what the operator makes is there: no pod, no Job, at once', async () => {
    const story = await begun('native race', values(WAITS))
    expect(
      await story.until(() => (odf(story)?.status as { state?: string })?.state === 'AtLatestKnown'),
    ).toBe(true)
    await story.pass(5)
    expect(story.blockers('group')).toEqual([
      `WaitNotFound: StorageClass ${CEPH} on edge (sc → storageclasses.storage.k8s.io) does not exist (wave 5, sequenceJob of odf-operator)`,
    ])
    const lag = await lagOf(story)
    expect(lag).toBeLessThan(50)
    expect(await story.until(() => story.isReady('group'))).toBe(true)
    expect([made(story, 'jobs.batch'), made(story, 'pods')]).toEqual([0, 0])
    expect(story.inventory('group', 'edge')!.spec.waits).toEqual([{ id: `sc ${CEPH} Exists`, serial: 1 }])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('of operators is not kept closed by Applications without a wave, which need them (ADR 0085)', async () => {
    const apps =
      '  applications: {odf: {name: odf, namespace: openshift-storage, path: charts/odf, repoURL: "https://git/p", targetRevision: main}}\n'
    const story = await begun('loose applications', `${values(WAITS)}${apps}`)
    const { local } = story.fleet.clusters.get('edge')!.api
    expect(
      local.create(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'edge-hub' } } as KubeObject,
        'somebody',
      ).ok,
    ).toBe(true)
    // Its Application is never healthy here, where no Argo CD is: operators come, and the group is not ready.
    expect(await story.until(() => virt(story) !== undefined)).toBe(true)
    await story.pass(30)
    expect(story.isReady('group')).toBe(false)
    expect(story.blockers('group')).toEqual(['Applying: Application edge-hub/odf on edge: no health yet'])
  })

  it('without it ends too early', async () => {
    const story = await begun('annotations only', values(''))
    expect(await story.until(() => virt(story) !== undefined)).toBe(true)
    expect(story.live('edge', 'storageclasses.storage.k8s.io', CEPH, '')).toBeUndefined()
    expect(odf(story)?.status).toMatchObject({ state: 'AtLatestKnown' })
  })

  it('goes on after a crash in which the object came; it is written down once', async () => {
    const story = await begun('crash', values(WAITS))
    expect(
      await story.until(() => (odf(story)?.status as { state?: string })?.state === 'AtLatestKnown'),
    ).toBe(true)
    story.manager.stop()
    expect(
      await story.until(() => story.live('edge', 'storageclasses.storage.k8s.io', CEPH, '') !== undefined),
    ).toBe(true)
    await story.pass(30)
    expect(virt(story)).toBeUndefined()
    story.manager = story.fleet.startController()
    const from = steady(story)
    expect(await story.until(() => virt(story) !== undefined)).toBe(true)
    expect(steady(story) - from).toBeLessThan(2000)
    expect(await story.until(() => story.isReady('group'))).toBe(true)
    expect(story.inventory('group', 'edge')!.spec.waits).toHaveLength(1)
  })

  it('asks once for a content: a restart and a deletion do not open it again, new content does', async () => {
    const story = await begun('again', values(WAITS))
    expect(await story.until(() => story.isReady('group'))).toBe(true)
    const { client } = story.fleet.clusters.get('edge')!
    must(await story.during(client.delete(classKind, { name: CEPH }, { ...USER, precondition: 'any' })))
    const commits = story.fleet.commits.length
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.config(
      'group',
      values(`sequenceJob: {resourceType: sc, resourceName: ${CEPH}, image: other}`),
    )
    await story.pass(60)
    expect(story.isReady('group')).toBe(true)
    expect(story.writes('edge', commits)).toEqual([])
    await story.config(
      'group',
      values(WAITS).replace(
        'name: kubevirt-hyperconverged',
        'name: kubevirt-hyperconverged\n      channel: stable',
      ),
    )
    await story.pass(20)
    expect(story.blockers('group')[0]).toMatch(/^WaitNotFound: /)
    expect(virt(story)?.spec).not.toHaveProperty('channel')
    must(await story.during(client.create(classKind, storageClass as never, USER)))
    expect(await story.until(() => story.isReady('group'), 10)).toBe(true)
  })

  it('waits for a kind that comes with the operator', async () => {
    const kafka =
      'sequenceJob: {resourceType: kafkas.kafka.strimzi.io, resourceName: main, resourceNamespace: shop}'
    const story = await begun('unserved', values(kafka))
    await story.pass(40)
    expect(story.blockers('group')[0]).toBe(
      'WaitKindNotServed: kafkas.kafka.strimzi.io main on edge does not exist: the cluster serves no "kafkas.kafka.strimzi.io" (wave 5, sequenceJob of odf-operator)',
    )
    const { local } = story.fleet.clusters.get('edge')!.api
    const names = { plural: 'kafkas', singular: 'kafka', kind: 'Kafka', listKind: 'KafkaList' }
    const schema = { openAPIV3Schema: { type: 'object' } }
    const versions = [{ name: 'v1', served: true, storage: true, schema }]
    const spec = { group: 'kafka.strimzi.io', scope: 'Namespaced', names, versions }
    const put = (o: object): void => expect(local.create(o as KubeObject, 'strimzi').ok).toBe(true)
    put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
    put({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'kafkas.kafka.strimzi.io' },
      spec,
    })
    await story.pass(0.1)
    put({ apiVersion: 'kafka.strimzi.io/v1', kind: 'Kafka', metadata: { name: 'main', namespace: 'shop' } })
    expect(await story.until(() => virt(story) !== undefined, 2)).toBe(true)
  })

  it('that is not met in time is a failure, and none any more when it is; nothing is admitted anew', async () => {
    const story = await begun('late', values(WAITS), {
      operators: { 'odf-operator': { installMs: 1000, makes: [{ afterMs: 900_000, object: storageClass }] } },
      spec: { health: { timeoutSeconds: 600 } },
    })
    await story.pass(700)
    const seen = () => story.inventory('group', 'edge')!
    expect([seen().status?.health, story.see('group').status?.clusters?.failed]).toEqual(['Failed', 1])
    expect(story.blockers('group').some((b) => /^WaitNotFound: .* after 600s \(/.test(b))).toBe(true)
    const { serial } = seen().spec.admitted!
    expect(await story.until(() => virt(story) !== undefined, 300)).toBe(true)
    expect(await story.until(() => seen().status?.health === 'Healthy', 30)).toBe(true)
    expect(seen().spec.admitted!.serial).toBe(serial)
  })
})

describe('a Subscription', () => {
  it('that cannot be resolved for 30 s fails its unit with the words of OLM, and goes on once it can', async () => {
    let refusal: OlmRefusal | undefined = {
      type: 'ResolutionFailed',
      reason: 'ConstraintsNotSatisfiable',
      message: 'no operators found in package odf-operator',
    }
    const story = await begun('unresolved', values(''), {
      operators: { 'odf-operator': { installMs: 0, refuses: () => refusal } },
    })
    await story.pass(25)
    expect(story.inventory('group', 'edge')!.status?.health).toBe('Progressing')
    await story.pass(20)
    expect(story.inventory('group', 'edge')!.status?.health).toBe('Failed')
    expect(story.blockers('group').join('\n')).toContain('no operators found in package odf-operator')
    refusal = undefined
    expect(await story.until(() => virt(story) !== undefined, 10)).toBe(true)
  })
})

describe('applications of the group', () => {
  it('are gone before operators, and namespaces last', async () => {
    const apps = `  argoProjects: [shop]\n  applications: {web: {name: web, path: charts/web, argoProject: shop}}\n`
    const story = await begun(
      'removal',
      values('', apps)
        .replace('namespaces: [', 'namespaces: [edge-hub, ')
        .replace('global: {', 'global: {repoURL: https://git.example.com/p.git, '),
    )
    const app = () => story.live('edge', 'applications.argoproj.io', 'web', 'edge-hub')
    expect(await story.until(() => app() !== undefined)).toBe(true)
    const { local } = story.fleet.clusters.get('edge')!.api
    const status = { health: { status: 'Healthy' }, sync: { status: 'Synced' } }
    expect(local.updateStatus({ ...app()!, status } as KubeObject, 'argocd').ok).toBe(true)
    expect(await story.until(() => story.isReady('group'))).toBe(true)
    const commits = story.fleet.commits.length
    await story.deleteModule('group')
    await story.pass(5)
    // Its finalizer is Argo CD's: until that is done, nothing else goes.
    expect(story.writes('edge', commits).filter((w) => w.startsWith('delete'))).toEqual(
      expect.not.arrayContaining([expect.stringContaining('subscriptions')]),
    )
    const going = app()!
    expect(going.metadata.deletionTimestamp).toBeDefined()
    expect(
      local.update({ ...going, metadata: { ...going.metadata, finalizers: [] } } as KubeObject, 'argocd').ok,
    ).toBe(true)
    expect(await story.until(() => story.inventory('group', 'edge') === undefined, 300)).toBe(true)
    const gone = story.fleet.commits
      .slice(commits)
      .filter((c) => c.cluster === 'edge' && c.verb === 'delete')
      .map((c) => c.resource.split('.')[0])
    const order = (resource: string): number => gone.indexOf(resource)
    expect(order('applications')).toBeLessThan(order('subscriptions'))
    expect(order('subscriptions')).toBeLessThan(order('namespaces'))
  })
})
