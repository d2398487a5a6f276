/** Values of a Validated Pattern as a module: delivered as all else, and refused as a whole. */
import { expect, it } from 'vitest'
import { eventKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { must } from './simfleet.ts'
import { Story } from './steps.ts'

const render = (more: object = {}) => ({
  render: {
    namespace: 'default',
    clusterGroup: { valuesFiles: ['all.yaml'], sequencing: 'Jobs', ...more },
  },
})

/** A namespace without operators, and a ConfigMap. */
const values = (colour: string, more = ''): string => `global: {pattern: edge}
clusterGroup:
  name: hub
  namespaces: {shop: {operatorGroup: false}}
  extraObjects:
    settings:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: settings, namespace: shop}
      data: {colour: "${colour}", nothing: null}
${more}`

const colour = (story: Story) =>
  (story.live('edge', 'configmaps', 'settings', 'shop') as { data?: object } | undefined)?.data

const stalled = (story: Story) => story.see('group').status?.conditions?.find((c) => c.type === 'Stalled')

it('is delivered; a value that is refused publishes nothing, and what is delivered stays', async () => {
  const story = await Story.begin('clustergroup', ['edge'])
  await story.config('group', values('blue'))
  await story.module('group', 'group', render())
  expect(await story.until(() => story.isReady('group'))).toBe(true)
  expect(colour(story)).toEqual({ colour: 'blue' })
  expect(story.live('edge', 'namespaces', 'shop', '')?.metadata.labels).toMatchObject({
    'argocd.argoproj.io/managed-by': 'edge-hub',
  })
  const [revisions, commits] = [story.fleet.revisions().length, story.fleet.commits.length]

  await story.config('group', values('red', '  subscriptions: {x: {name: x, channel: "a: b"}}\n'))
  expect(await story.until(() => stalled(story)?.status === 'True')).toBe(true)
  await story.pass(120)
  expect(story.blockers('group')).toEqual([
    'RenderFailed: ConfigMap platform/group key all.yaml: clusterGroup.subscriptions.x.channel: "a: b" is not a plain value; the chart\'s output would not parse',
  ])
  expect(story.fleet.revisions()).toHaveLength(revisions)
  expect(story.writes('edge', commits)).toEqual([])
  expect(colour(story)).toEqual({ colour: 'blue' })

  await story.config('group', values('red'))
  expect(await story.until(() => JSON.stringify(colour(story)) === '{"colour":"red"}')).toBe(true)
  expect(await story.until(() => stalled(story)?.status !== 'True')).toBe(true)
  expect(story.fleet.revisions()).toHaveLength(revisions + 1)
})

it('has the Jobs of its sequenceJobs in the namespace of the module, and its warnings as an event', async () => {
  const job =
    '{name: odf, disabled: "false", annotations: {}, sequenceJob: {syncWave: "5", command: [oc, get, sc]}}'
  const story = await Story.begin('clustergroup jobs', ['edge'])
  await story.config('group', values('blue', `  subscriptions: {odf: ${job}}\n`))
  await story.module('group', 'group', render({ applications: 'Skip' }))
  expect(await story.until(() => story.isReady('group'), 600)).toBe(true)
  expect(story.writes('edge')).toContain('create jobs.batch default/odf-sequencejob')
  await story.pass(5)
  const { items } = must(await story.during(story.fleet.hub.list(eventKind, { purpose: 'user' })))
  const told = items.filter((e) => e.reason === 'RenderWarned').map((e) => e.note?.split('\n'))
  const path = 'ConfigMap platform/group key all.yaml: clusterGroup.subscriptions.odf'
  expect(told).toEqual([
    [
      `${path}.disabled: the text "false" disables, since it is not empty; use a boolean`,
      `${path}.sequenceJob: the subscription is disabled and its Job is not: it waits for a subscription that is not installed; disable it, too`,
    ],
  ])
})

it('takes values of its own over those of files, and makes a revision of them', async () => {
  const story = await Story.begin('clustergroup values', ['edge'])
  await story.config('group', values('blue'))
  await story.module('group', 'group', render())
  expect(await story.until(() => story.isReady('group'))).toBe(true)
  const own = { clusterGroup: { extraObjects: { settings: { data: { colour: 'green' } } } } }
  await story.module('group', 'group', render({ values: own }))
  expect(await story.until(() => story.isReady('group'))).toBe(true)
  expect(colour(story)).toEqual({ colour: 'green' })
})

/** A kind of OLM, as a cluster serves it. */
const definition = (kind: string, plural: string, version: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.operators.coreos.com` },
  spec: {
    group: 'operators.coreos.com',
    scope: 'Namespaced',
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

const SEQUENCED = `global: {pattern: edge, options: {useCSV: true}}
clusterGroup:
  name: hub
  namespaces: [cnv, storage]
  subscriptions:
    virt: {name: kubevirt, namespace: cnv, annotations: {argocd.argoproj.io/sync-wave: "10"}}
    odf:
      name: odf-operator
      namespace: storage
      annotations: {argocd.argoproj.io/sync-wave: "5"}
      sequenceJob: {resourceType: sc, resourceName: ceph}
`

it('goes wave by wave: a subscription is healthy and its Job has ended before the next one is made', async () => {
  const story = await Story.begin('clustergroup waves', ['edge'])
  const { local } = story.fleet.clusters.get('edge')!.api
  for (const crd of [
    definition('Subscription', 'subscriptions', 'v1alpha1'),
    definition('OperatorGroup', 'operatorgroups', 'v1'),
  ])
    local.create(crd as unknown as KubeObject, 'olm')
  await story.config('group', SEQUENCED)
  await story.module('group', 'group', render())
  const find = (name: string, namespace: string) =>
    local.get('subscriptions.operators.coreos.com', namespace, name)
  const isInstalled = (name: string, namespace: string): void => {
    const status = { state: 'AtLatestKnown' }
    expect(local.updateStatus({ ...find(name, namespace)!, status } as KubeObject, 'olm').ok).toBe(true)
  }
  expect(await story.until(() => find('odf-operator', 'storage') !== undefined)).toBe(true)
  await story.pass(60)
  expect(find('kubevirt', 'cnv')).toBeUndefined()
  expect(find('odf-operator', 'storage')?.spec).not.toHaveProperty('startingCSV')

  isInstalled('odf-operator', 'storage')
  expect(await story.until(() => find('kubevirt', 'cnv') !== undefined)).toBe(true)
  isInstalled('kubevirt', 'cnv')
  expect(await story.until(() => story.isReady('group'))).toBe(true)
  const made = story.writes('edge').filter((w) => /^create (?:subscr|jobs|operatorg)/.test(w))
  // In one wave there is no order: the Job polls.
  expect([made.slice(0, 2), made.slice(2, 4).sort(), made.slice(4)]).toEqual([
    [
      'create operatorgroups.operators.coreos.com cnv/cnv-operator-group',
      'create operatorgroups.operators.coreos.com storage/storage-operator-group',
    ],
    [
      'create jobs.batch default/odf-operator-sequencejob',
      'create subscriptions.operators.coreos.com storage/odf-operator',
    ],
    ['create subscriptions.operators.coreos.com cnv/kubevirt'],
  ])
  // Rendered again, it is the same: nothing is written.
  const commits = story.fleet.commits.length
  await story.config('group', `# nothing else\n${SEQUENCED}`)
  await story.pass(60)
  expect(story.writes('edge', commits)).toEqual([])
})
