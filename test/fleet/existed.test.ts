/** Objects that existed before their Module: a person decides about those that no manifest restores. */
import { describe, expect, it } from 'vitest'
import { crdKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import {
  byRing,
  claimText,
  deletesOn,
  inShop,
  isGone,
  namespaceText,
  type Place,
  relabel,
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

const approve = async (story: Story, module: string): Promise<void> => {
  const spec = {
    targetRef: { kind: 'Module' as const, name: module },
    stage: 'prune',
    point: 'After' as const,
    revisionHash: story.inventory(module, 'c1')!.spec.admitted!.revision,
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
