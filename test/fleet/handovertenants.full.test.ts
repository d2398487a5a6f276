/** Objects that a Module of another hub namespace has as well: nothing changes hands, and nothing irreplaceable is deleted. */
import { expect, it } from 'vitest'
import { namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import {
  claimText,
  deletesOn,
  holdersOf,
  inShop,
  namespaceText,
  type Place,
  settings,
  together,
  uidOf,
} from './handoverstory.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

const OTHER = 'team-b'
const CLAIM: Place = ['persistentvolumeclaims', 'shop', 'data']
const SET: Place = ['statefulsets.apps', 'shop', 'db']
const setText = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "registry.example.com/db:1"}]}
`

/** A Module of the other namespace, on the same cluster. */
async function foreign(story: Story, objects: readonly object[]): Promise<void> {
  const { hub } = story.fleet
  const write = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OTHER } }
  must(await story.during(hub.apply(namespaceKind, namespace as never, write)))
  const secret = clusterSecret('c1', { env: 'prod' })
  const theirs = { ...secret, metadata: { ...secret.metadata, namespace: OTHER } }
  must(await story.during(hub.apply(secretKind, theirs, write)))
  const body = {
    apiVersion: API_VERSION,
    kind: 'Module',
    metadata: { name: 'shop', namespace: OTHER },
    spec: { targets: { clusterSelector: {} }, source: { inline: { objects } } },
  }
  must(await story.during(hub.apply(moduleKind, body as never, write)))
}

const objectOf = (apiVersion: string, kind: string, name: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...(kind === 'Namespace' ? {} : { namespace: 'shop' }) },
  ...more,
})

const CLAIMED = [
  objectOf('v1', 'PersistentVolumeClaim', 'data', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  objectOf('apps/v1', 'StatefulSet', 'db', {
    spec: {
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: { containers: [{ name: 'db', image: 'registry.example.com/db:1' }] },
      },
    },
  }),
  objectOf('v1', 'ConfigMap', 'settings', { data: { value: '1' } }),
]

async function begun(name: string, objects: readonly object[]): Promise<Story> {
  const story = await Story.begin(name, ['c1'])
  await story.config(
    'a',
    together(namespaceText, claimText, setText, inShop('settings', '1'), inShop('own', '1')),
  )
  await story.module('a', 'a')
  expect(await story.until(() => story.isReady('a'))).toBe(true)
  await foreign(story, objects)
  await story.pass(30)
  return story
}

const approve = async (story: Story): Promise<void> => {
  const body = {
    apiVersion: API_VERSION,
    kind: 'Approval',
    metadata: { name: 'prune', namespace: NAMESPACE },
    spec: {
      targetRef: { kind: 'Module' as const, name: 'a' },
      stage: 'prune',
      point: 'After' as const,
      revisionHash: story.inventory('a', 'c1')!.spec.admitted!.revision,
      approvedBy: 'ann',
    },
  }
  must(await story.during(story.fleet.hub.create(approvalKind, body, USER)))
}

it('a prune asks a person about a claim and a StatefulSet, and deletes a ConfigMap (acceptance 7)', async () => {
  const story = await begun('tenants prune', CLAIMED)
  const from = story.fleet.commits.length
  await story.config('a', together(namespaceText, inShop('own', '1')))
  await story.pass(24 * 3600)
  expect(deletesOn(story, 'c1', from)).toEqual(['delete configmaps shop/settings'])
  expect(holdersOf(story, 'c1', [CLAIM, SET])).toEqual(['m.platform.a', 'm.platform.a'])
  const said = (kind: string, name: string) =>
    `PruneConfirmation: ${kind} shop/${name} on c1 is also in Module team-b/shop: remove it there, or lockstep rollout approve a --stage prune`
  expect(story.blockers('a').filter((b) => b.startsWith('Prune'))).toEqual([
    said('PersistentVolumeClaim', 'data'),
  ])
  expect(story.inventory('a', 'c1')?.status?.blockers?.map((b) => b.reason)).toEqual([
    'PruneConfirmation',
    'PruneConfirmation',
  ])
  await approve(story)
  const isGone = () => [CLAIM, SET].every((p) => holdersOf(story, 'c1', [p])[0] !== 'm.platform.a')
  expect(await story.until(() => isGone() && story.inventory('a', 'c1')?.status?.state === 'Ready', 60)).toBe(
    true,
  )
  expect(story.fleet.oracles.violations).toEqual([])
})

it('a removal keeps the Namespace in which a Module of another namespace has an object', async () => {
  const story = await begun('tenants removal', [
    objectOf('v1', 'ConfigMap', 'of-b', { data: { value: '1' } }),
  ])
  const isThere = () => story.live('c1', 'configmaps', 'of-b', 'shop') !== undefined
  expect(await story.until(isThere, 30)).toBe(true)
  await story.deleteModule('a')
  await story.pass(600)
  expect(uidOf(story, 'c1', ['namespaces', '', 'shop'])).toBeDefined()
  expect([isThere(), uidOf(story, 'c1', settings('own'))]).toEqual([true, undefined])
  expect(story.blockers('a').join()).toContain(
    'NamespaceInUse: cannot delete Namespace shop on c1: it contains objects of Module team-b/shop',
  )
  // Both end the wait.
  expect(story.inventory('a', 'c1')?.status?.blockers?.[0]?.on).toEqual([
    expect.objectContaining({ kind: 'Object', name: 'shop', cluster: 'c1' }),
    expect.objectContaining({ kind: 'Unit', name: 'shop', namespace: 'team-b', cluster: 'c1' }),
  ])
  expect(story.fleet.oracles.violations).toEqual([])
})
