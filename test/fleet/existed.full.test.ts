/** Objects that existed before their Module: a person decides about those that no manifest restores. */
import { describe, expect, it } from 'vitest'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { configMapKind, crdKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { FleetTraffic } from './fleettraffic.ts'
import {
  byRing,
  claimText,
  deletesOn,
  inShop,
  isGone,
  namespaceText,
  type Place,
  relabel,
  startProcess,
  together,
  uidOf,
} from './handoverstory.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { type ModuleOptions, Story } from './steps.ts'

const claimKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
})
const DEFINITION = 'widgets.example.com'
const definitionText = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${DEFINITION}}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`
const schema = { openAPIV3Schema: { type: 'object' } }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: DEFINITION },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
}

const GUARDED: readonly Place[] = [
  ['namespaces', '', 'shop'],
  ['persistentvolumeclaims', 'shop', 'data'],
  ['customresourcedefinitions.apiextensions.k8s.io', '', DEFINITION],
]
const areThere = (story: Story): boolean[] => GUARDED.map((p) => uidOf(story, 'c1', p) !== undefined)

/** The three kinds exist, and a Module has them and a ConfigMap. */
async function begun(name: string, existed: boolean, options: ModuleOptions = {}): Promise<Story> {
  const story = await Story.begin(name, ['c1'])
  await relabel(story, 'c1', { ring: 'blue' })
  const { client } = story.fleet.clusters.get('c1')!
  const write = { purpose: 'user', manager: 'somebody' } as const
  if (existed) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'shop' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }
    must(await story.during(client.create(namespaceKind, namespace, write)))
    must(await story.during(client.create(claimKind, claim, write)))
    must(await story.during(client.create(crdKind, definition as never, write)))
  }
  await story.config('all', together(namespaceText, claimText, definitionText, inShop('one', '1')))
  await story.module('m', 'all', { ...byRing('blue'), ...options })
  expect(await story.until(() => story.isReady('m'), 60)).toBe(true)
  return story
}

/** By the revision that `lockstep rollout approve` names. */
const approve = async (story: Story, module: string): Promise<void> => {
  const { rollout, currentRevision } = story.see(module).status!
  const spec = {
    targetRef: { kind: 'Module' as const, name: module },
    stage: 'prune',
    point: 'After' as const,
    revisionHash: rollout?.revision ?? currentRevision!,
    approvedBy: 'ann',
  }
  const metadata = { name: 'prune', namespace: NAMESPACE }
  must(
    await story.during(
      story.fleet.hub.create(
        approvalKind,
        { apiVersion: API_VERSION, kind: 'Approval', metadata, spec },
        USER,
      ),
    ),
  )
}

describe('a Namespace, a claim and a definition that existed (acceptance 12)', () => {
  it('are not deleted for 24 hours, and are gone once a person approves', async () => {
    const story = await begun('existed', true)
    const from = story.fleet.commits.length
    await story.deleteModule('m')
    await story.pass(24 * 3600)
    expect(areThere(story)).toEqual([true, true, true])
    expect(deletesOn(story, 'c1', from)).toEqual(['delete configmaps shop/one'])
    expect(story.inventory('m', 'c1')?.status?.blockers?.map((b) => b.message)).toContain(
      'Namespace shop existed before its Module: lockstep rollout approve m --stage prune, or kubectl delete namespace shop',
    )
    await approve(story, 'm')
    expect(await story.until(() => isGone(story, 'm'), 120)).toBe(true)
    expect(areThere(story)).toEqual([false, false, false])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('are asked about by the prune of a receiver, too', async () => {
    const story = await begun('existed handed over', true)
    await story.module('t', 'all', byRing('green'))
    await relabel(story, 'c1', { ring: 'green' })
    expect(await story.until(() => story.isReady('t') && story.inventory('m', 'c1') === undefined, 60)).toBe(
      true,
    )
    const from = story.fleet.commits.length
    await story.deleteModule('t')
    await story.pass(3600)
    expect(areThere(story)).toEqual([true, true, true])
    expect(deletesOn(story, 'c1', from)).toEqual(['delete configmaps shop/one'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('are deleted after an approval with a receiver that was never deployed, too', async () => {
    const story = await begun('existed never deployed', true)
    await story.module('t', 'all', { ...byRing('green'), dependsOn: ['none'] })
    await relabel(story, 'c1', { ring: 'green' })
    expect(await story.until(() => story.inventory('m', 'c1') === undefined, 60)).toBe(true)
    expect(story.inventory('t', 'c1')?.spec.admitted).toBeUndefined()
    await story.deleteModule('t')
    await story.pass(600)
    expect(areThere(story)).toEqual([true, true, true])
    await approve(story, 't')
    expect(await story.until(() => isGone(story, 't'), 120)).toBe(true)
    expect(areThere(story)).toEqual([false, false, false])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it.each(['Delete', 'Keep'])('namespaces: %s decides about the Namespace', async (namespaces) => {
    const story = await begun(`existed ${namespaces}`, true, { apply: { namespaces } })
    await story.deleteModule('m')
    await approve(story, 'm')
    expect(await story.until(() => isGone(story, 'm'), 120)).toBe(true)
    expect(areThere(story)).toEqual([namespaces === 'Keep', false, false])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

it('objects that the Module created are deleted without a question', async () => {
  const story = await begun('created', false)
  await story.config('all', together(namespaceText, claimText, definitionText, inShop('one', '2')))
  expect(await story.until(() => story.isReady('m'), 60)).toBe(true)
  await story.pass(30)
  await story.deleteModule('m')
  expect(await story.until(() => isGone(story, 'm'), 120)).toBe(true)
  expect(areThere(story)).toEqual([false, false, false])
  expect(story.fleet.oracles.violations).toEqual([])
})

it('a Namespace that Lockstep created is known as its own after two deaths before it was written down', async () => {
  const story = await Story.begin('created and applied', ['c1'])
  story.manager.stop()
  const of = (r: NetRequest) => r.method === 'PATCH' && r.path.startsWith('/api/v1/namespaces/shop')
  for (const name of ['first', 'second']) {
    const dying = startProcess(story, name, { write: 1, of, after: true })
    if (name === 'first') {
      await story.config('m', together(namespaceText, inShop('one', '1')))
      await story.module('m', 'm')
    }
    expect(await story.until(() => !dying.alive, 60)).toBe(true)
    await story.pass(5)
  }
  startProcess(story, 'third')
  expect(await story.until(() => story.isReady('m'), 120)).toBe(true)
  await story.deleteModule('m')
  expect(await story.until(() => isGone(story, 'm'), 120)).toBe(true)
  expect(uidOf(story, 'c1', ['namespaces', '', 'shop'])).toBeUndefined()
  expect(story.fleet.oracles.violations).toEqual([])
})

const databaseText = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "registry.example.com/db:1"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

describe('a Namespace and a definition with external objects', () => {
  const precious = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop' },
    data: {},
  })

  it('are not deleted while the objects exist', async () => {
    const story = await begun('foreign content', false)
    const { client } = story.fleet.clusters.get('c1')!
    const write = { purpose: 'user', manager: 'somebody' } as const
    for (const name of ['precious-1', 'precious-2'])
      must(await story.during(client.create(configMapKind, precious(name), write)))
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
    }
    const widgets = defineKind({
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    })
    must(await story.during(client.create(widgets, widget, write)))
    await story.deleteModule('m')
    await story.pass(24 * 3600)
    expect(areThere(story)).toEqual([true, false, true])
    const said = story.inventory('m', 'c1')?.status?.blockers?.map((b) => b.message) ?? []
    expect(said.sort()).toEqual([
      `CustomResourceDefinition ${DEFINITION} holds Widget w, not from Lockstep: delete them, or lockstep rollout approve m --stage prune`,
      'Namespace shop holds ConfigMap precious-1 and 1 more, not from Lockstep: delete them, or lockstep rollout approve m --stage prune',
    ])
    for (const name of ['precious-1', 'precious-2'])
      must(await story.during(client.delete(configMapKind, { namespace: 'shop', name }, USER)))
    must(await story.during(client.delete(widgets, { namespace: 'default', name: 'w' }, USER)))
    expect(await story.until(() => isGone(story, 'm'), 400)).toBe(true)
    expect(areThere(story)).toEqual([false, false, false])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('are deleted after an approval, or with namespaces: Delete', async () => {
    const story = await begun('foreign approved', false, { apply: { namespaces: 'Delete' } })
    const { client } = story.fleet.clusters.get('c1')!
    const write = { purpose: 'user', manager: 'somebody' } as const
    must(await story.during(client.create(configMapKind, precious('precious'), write)))
    await story.deleteModule('m')
    expect(await story.until(() => isGone(story, 'm'), 120)).toBe(true)
    expect(areThere(story)).toEqual([false, false, false])
  })

  it('Pods, claims of a StatefulSet and Leases are no reason to ask, and each kind is listed once at most', async () => {
    const story = await Story.begin('own content', ['c1'])
    await story.config('all', together(namespaceText, databaseText, inShop('one', '1')))
    await story.module('m', 'all')
    expect(await story.until(() => story.isReady('m'), 120)).toBe(true)
    const { client } = story.fleet.clusters.get('c1')!
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-db-0', namespace: 'shop' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }
    must(await story.during(client.create(claimKind, claim, { purpose: 'user', manager: 'statefulset' })))
    const traffic = new FleetTraffic(story.fleet)
    await story.deleteModule('m')
    expect(await story.until(() => isGone(story, 'm'), 120)).toBe(true)
    expect(uidOf(story, 'c1', ['namespaces', '', 'shop'])).toBeUndefined()
    const lists = traffic.asked.filter((a) => a.what === 'read' && a.path.includes('/namespaces/shop/'))
    const paths = lists.map((a) => a.path.split('?')[0])
    expect(paths.length).toBeGreaterThan(3)
    expect(new Set(paths).size).toBe(paths.length)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
