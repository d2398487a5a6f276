/** Claims whose volume is made only for the Pod that mounts them, before that Pod. */
import { expect, it } from 'vitest'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { must } from './simfleet.ts'
import { deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody', precondition: 'any', force: true } as const

const classKind = defineKind({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
})

const waved = (n: number) => `annotations: {argocd.argoproj.io/sync-wave: "${n}"}`

const bundle = (className: string): string => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default, ${waved(1)}}
spec: {${className}accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
${deploymentManifest('db', 'db:1')
  .replace('metadata: {name: db,', `metadata: {${waved(2)}, name: db,`)
  .replace(
    'containers:',
    'volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n      containers:',
  )}`

const classText = (name: string, mode: string, notes = '') =>
  `apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: ${name}${notes}}\nprovisioner: x.test/p\nvolumeBindingMode: ${mode}\n`

async function makeClass(story: Story, name: string, mode: string, isDefault = false): Promise<void> {
  const annotations: Record<string, string> = isDefault
    ? { 'storageclass.kubernetes.io/is-default-class': 'true' }
    : {}
  const body = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations },
    provisioner: 'x.test/p',
    volumeBindingMode: mode,
  }
  must(await story.during(story.fleet.clusters.get('edge')!.client.create(classKind, body, USER)))
}

const phase = (story: Story): unknown => {
  const status = story.live('edge', 'persistentvolumeclaims', 'data')?.status
  return (status as { phase?: string } | undefined)?.phase
}

it('in an earlier wave than its Deployment, of a class of the cluster: it passes, and is bound for its Pod (21)', async () => {
  const story = await Story.begin('claim', ['edge'])
  await makeClass(story, 'local', 'WaitForFirstConsumer')
  await story.config('all', bundle('storageClassName: local, '))
  await story.module('m', 'all')
  expect(await story.until(() => phase(story) === 'Pending', 10)).toBe(true)
  expect(await story.until(() => story.isReady('m'), 30)).toBe(true)
  expect(phase(story)).toBe('Bound')
  expect(story.fleet.oracles.violations).toEqual([])
})

it('also of a class of the bundle', async () => {
  const story = await Story.begin('claim2', ['edge'])
  await story.config(
    'all',
    `${bundle('storageClassName: own, ')}---\n${classText('own', 'WaitForFirstConsumer')}`,
  )
  await story.module('m', 'all')
  expect(await story.until(() => story.isReady('m'), 30)).toBe(true)
})

it.each([
  ['of a class that is not there', 'storageClassName: lost, ', 'there is no StorageClass lost'],
  ['of no default class', '', 'no StorageClass is the default'],
])('%s it waits, and says so; a class that comes late is seen', async (_, className, text) => {
  const story = await Story.begin('claim3', ['edge'])
  const { api, world } = story.fleet.clusters.get('edge')!
  world.stop()
  await story.config('all', bundle(className))
  await story.module('m', 'all')
  expect(
    await story.until(() => story.live('edge', 'persistentvolumeclaims', 'data') !== undefined, 10),
  ).toBe(true)
  const { metadata, ...rest } = api.local.get('persistentvolumeclaims', 'default', 'data')!
  const kind = defineKind({
    group: '',
    version: 'v1',
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    namespaced: true,
  })
  const pending = { ...rest, metadata: { name: 'data', namespace: 'default' }, status: { phase: 'Pending' } }
  const { client } = story.fleet.clusters.get('edge')!
  must(
    await story.during(
      client.patch(kind, metadata as never, pending as never, { ...USER, subresource: 'status' } as never),
    ),
  )
  await story.pass(5)
  const said = (story.inventory('m', 'edge')!.status?.blockers ?? []).map((b) => b.message)
  expect(said[0]).toBe(`PersistentVolumeClaim default/data: phase Pending; ${text}`)
  expect(story.live('edge', 'deployments.apps', 'db')).toBeUndefined()
  await makeClass(story, 'lost', 'WaitForFirstConsumer', true)
  expect(await story.until(() => story.live('edge', 'deployments.apps', 'db') !== undefined, 5)).toBe(true)
})
