/** A Validated Pattern that the chart has installed: its cluster group passes from Argo CD to a Module. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import {
  encodeJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  keyOf,
  parseApiVersion,
  refOf,
} from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { renderClusterGroup } from '../../packages/lockstep/src/decisions/clustergroup/render/renderclustergroup.ts'
import { patternDefinitions } from '../../packages/simulators/src/olm/patterndefinitions.ts'
import { canRun, sharedData } from '../shareddata.ts'
import { must } from './simfleet.ts'
import { Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody' } as const
const ARGO = { purpose: 'user', manager: 'argocd-controller', precondition: 'any', force: true } as const
/** Where the patterns operator has Argo CD and the Application of the cluster group. */
const GITOPS = 'openshift-gitops'
const GROUP = 'edge-hub'
/** Where its objects go that name no namespace. */
const HOME = 'openshift-operators'

const VALUES = `
global:
  pattern: edge
  repoURL: https://git.example.com/edge.git
  multiSourceRepoUrl: https://charts.example.com
  options: {useCSV: false}
clusterGroup:
  name: hub
  namespaces:
    openshift-storage: {labels: {openshift.io/cluster-monitoring: "true"}}
    openshift-cnv:
    shop: {operatorGroup: false}
  argoProjects: [hub]
  subscriptions:
    odf:
      name: odf-operator
      namespace: openshift-storage
      channel: stable-4.16
      annotations: {argocd.argoproj.io/sync-wave: "5"}
      sequenceJob: {resourceType: sc, resourceName: ocs-storagecluster-ceph-rbd}
    virt:
      name: kubevirt-hyperconverged
      namespace: openshift-cnv
      annotations: {argocd.argoproj.io/sync-wave: "10"}
  applications:
    odf: {name: odf, namespace: openshift-storage, argoProject: hub, chart: odf, chartVersion: 0.3.*}
    shop: {name: shop, namespace: shop, argoProject: hub, path: charts/shop}
`

const kindOf = (o: KubeObject) => {
  const { group, version } = parseApiVersion(o.apiVersion)
  const plural = `${o.kind.toLowerCase()}${o.kind.endsWith('s') ? 'es' : 's'}`
  return defineKind({ group, version, kind: o.kind, plural, namespaced: o.metadata.namespace !== undefined })
}
const GROUP_APPLICATION: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: GROUP, namespace: GITOPS },
}
/** What the storage operator has made. */
const CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'ocs-storagecluster-ceph-rbd' },
  provisioner: 'rbd.csi.ceph.com',
} as KubeObject

/** As Argo CD has it in its cluster: Jobs are somewhere, and what is applied has no nulls. */
const placed = (o: JsonObject): KubeObject => {
  const { metadata, ...rest } = withoutNulls(o) as unknown as KubeObject
  const home = rest.kind === 'Job' ? { namespace: HOME } : {}
  return { ...rest, metadata: { ...home, ...metadata } }
}

function withoutNulls(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([k, v]) => (v == null ? [] : [[k, withoutNulls(v)]])),
  )
}

const MARKS_OF_ARGO = [
  'argocd.argoproj.io/tracking-id',
  'app.kubernetes.io/instance',
  'kubectl.kubernetes.io/last-applied-configuration',
]

/** How Argo CD has written them: it marks objects in one of two ways, and applies them in one of two ways. */
interface Way {
  readonly name: string
  readonly label?: true
  readonly serverSide?: true
}
const WAYS: readonly Way[] = [
  { name: 'tracking annotation that Argo CD has applied' },
  { name: 'tracking label that Argo CD has applied', label: true },
  { name: 'tracking annotation that Argo CD has applied at the server', serverSide: true },
]

function written(o: KubeObject, { label, serverSide }: Way): KubeObject {
  const { group, kind, namespace, name } = refOf(o)
  const { labels, annotations } = o.metadata
  const tracking = {
    'argocd.argoproj.io/tracking-id': `${GROUP}:${group}/${kind}:${namespace ?? ''}/${name}`,
  }
  const marked = {
    labels: { ...labels, ...(label ? { 'app.kubernetes.io/instance': GROUP } : {}) },
    annotations: { ...annotations, ...(label ? {} : tracking) },
  }
  const made = { ...o, metadata: { ...o.metadata, ...marked } } as KubeObject
  const memory = { 'kubectl.kubernetes.io/last-applied-configuration': encodeJson(made) }
  const remembered = { ...marked.annotations, ...(serverSide ? {} : memory) }
  return { ...made, metadata: { ...made.metadata, annotations: remembered } }
}

/** On a cluster where Argo CD has delivered it all; what operators and applications say of themselves is there, too. */
async function installed(name: string, rendered: readonly JsonObject[], way: Way): Promise<Story> {
  const story = await Story.begin(name, ['edge'], { operators: {} })
  const { client } = story.fleet.clusters.get('edge')!
  const make = async (o: KubeObject) => must(await story.during(client.create(kindOf(o), o, USER)))
  for (const crd of patternDefinitions()) must(await story.during(client.create(crdKind, crd as never, USER)))
  const objects = rendered.map(placed)
  const argos = objects.flatMap((o) => (o.kind === 'Application' ? [o.metadata.namespace!] : []))
  for (const n of new Set([GITOPS, HOME, ...argos]))
    await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: n } })
  await make(CLASS)
  for (const o of [...objects].sort(
    (a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'),
  )) {
    const body = written(o, way)
    must(
      await story.during(
        way.serverSide ? client.apply(kindOf(o), body, ARGO) : client.create(kindOf(o), body, ARGO),
      ),
    )
    const status = { health: { status: 'Healthy' }, sync: { status: 'Synced', revision: 'abc' } }
    const by = { ...ARGO, manager: 'argocd-application-controller' }
    if (o.kind === 'Application') must(await story.during(client.patch(kindOf(o), keyOf(o), { status }, by)))
  }
  // The Jobs end, too.
  await story.pass(60)
  return story
}

/** The Application of the cluster group, as the patterns operator makes it; suspended: its people have taken `automated` off. */
async function syncs(story: Story, automated: boolean): Promise<void> {
  const { client } = story.fleet.clusters.get('edge')!
  const spec = {
    project: 'default',
    destination: { name: 'in-cluster', namespace: GITOPS },
    source: { repoURL: 'https://git.example.com/edge.git', path: 'common/clustergroup' },
    syncPolicy: { ...(automated ? { automated: {} } : {}), retry: { limit: 20 } },
  }
  const app = { ...GROUP_APPLICATION, spec } as KubeObject
  must(await story.during(client.apply(kindOf(app), app, { ...ARGO, manager: 'patterns-operator' })))
}

async function taken(story: Story, values: string): Promise<void> {
  await story.config('group', values)
  const clusterGroup = { valuesFiles: ['all.yaml'] }
  const render = { namespace: HOME, clusterGroup }
  await story.module('group', 'group', { render, apply: { adopt: 'Listed' } })
}

/** By anybody, on the cluster; what is written down of the unit there is no object of the pattern. */
const writes = (story: Story, from: number): readonly CommitRecord[] =>
  story.fleet.commits
    .slice(from)
    .filter((c) => c.cluster === 'edge' && !`${c.resource} ${c.key}`.includes('lockstep-'))

/** All of an object but what is said about it, with how often that has changed. */
const content = ({ metadata: { uid, generation }, ...rest }: KubeObject) => ({ uid, generation, ...rest })

/** Its tool is out of it: no mark to find it by, and no field that it would have a say in; a status says what it is, too. */
function expectLeft(o: KubeObject): void {
  const { labels = {}, annotations = {}, managedFields = [] } = o.metadata
  expect(labels['lockstep.dev/unit']).toBe('m.platform.group')
  for (const mark of MARKS_OF_ARGO) expect({ ...labels, ...annotations }).not.toHaveProperty([mark])
  const fields = managedFields.filter((f) => f.manager === ARGO.manager).map((f) => f.fieldsV1)
  for (const left of fields) expect(Object.keys(left as object)).toEqual(['f:status'])
}

/** It has all been taken over, with two requests an object, and is as it was. */
async function expectTaken(story: Story, objects: readonly JsonObject[], from: number): Promise<void> {
  // What was refused is looked at again each five minutes.
  const isReady = await story.until(() => story.isReady('group'), 400)
  expect(isReady, story.blockers('group').join('\n')).toBe(true)
  // Long enough for drift to be seen, or for what is not listed any more to be taken away.
  await story.pass(1300)
  const found = writes(story, from)
  for (const c of found) {
    expect(['patch', 'apply'], `${c.verb} ${c.resource} ${c.key}`).toContain(c.verb)
    expect(content(c.next!), c.key).toEqual(content(c.old!))
  }
  // A Job of the chart is a wait by now: nobody looks at it.
  const own = objects.map(placed).filter((o) => o.kind !== 'Job')
  const count = (verb: string) => new Set(found.filter((c) => c.verb === verb).map((c) => c.uid)).size
  expect([found.length, count('patch'), count('apply')]).toEqual([2 * own.length, own.length, own.length])
  for (const o of found.filter((c) => c.verb === 'apply')) expectLeft(o.next!)
  expect(story.fleet.oracles.violations).toEqual([])
}

function rendered(): readonly JsonObject[] {
  const found = renderClusterGroup({ files: [{ file: 'values.yaml', text: VALUES }] })
  if (!found.ok) throw new Error(JSON.stringify(found.error))
  return found.value.objects
}

describe.each(WAYS.map((way) => [way.name, way] as const))('a pattern with a %s', (_, way) => {
  it('is taken over from a suspended Application: nothing is made, deleted or changed but whose it is', async () => {
    const story = await installed(`suspended ${way.name}`, rendered(), way)
    await syncs(story, false)
    const from = story.fleet.commits.length
    await taken(story, VALUES)
    await expectTaken(story, rendered(), from)
    expect(story.live('edge', 'jobs.batch', 'odf-operator-sequencejob', HOME)).toBeDefined()
  })

  it('is refused while the Application syncs by itself, which is named; nothing is written until it is suspended', async () => {
    const story = await installed(`automated ${way.name}`, rendered(), way)
    await syncs(story, true)
    const from = story.fleet.commits.length
    await taken(story, VALUES)
    await story.pass(300)
    expect(story.blockers('group').join('\n')).toContain(
      `AdoptionRefused: Namespace openshift-cnv on edge belongs to Argo CD Application ${GITOPS}/${GROUP}, which syncs automatically; argocd app set ${GROUP} --sync-policy none`,
    )
    expect(writes(story, from)).toEqual([])
    await syncs(story, false)
    await expectTaken(story, rendered(), story.fleet.commits.length)
  })
})

const CASE = sharedData('corpus/clustergroup/cases/aeg-hub-facts')

describe.runIf(canRun('the adoption of what the chart renders', CASE))('ansible-edge-gitops', () => {
  it('is taken over as the chart has rendered it', async () => {
    const objects = JSON.parse(readFileSync(join(CASE, 'expected.json'), 'utf8'))
    const story = await installed('ansible edge gitops', objects, WAYS[0]!)
    await syncs(story, false)
    const from = story.fleet.commits.length
    await taken(story, readFileSync(join(CASE, 'values.yaml'), 'utf8'))
    await expectTaken(story, objects, from)
  })
})
