/** The module of examples/waits on a cluster: first nothing of what it needs is there, then all. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configMapKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { must } from './simfleet.ts'
import { Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

const classKind = defineKind({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
})

it('waits for the storage and the address of the site, and says so', async () => {
  const story = await Story.begin('example waits', ['edge-7'])
  const [module] = parseYamlStream(readFileSync('examples/waits/registry.yaml', 'utf8'))
  must(await story.during(story.fleet.hub.apply(moduleKind, module as unknown as Module, USER)))
  await story.pass(10)
  const said = () => (story.inventory('registry', 'edge-7')!.status?.blockers ?? []).map((b) => b.message)
  expect(said().slice(0, 2)).toEqual([
    'ConfigMap kube-public/site does not exist; ConfigMap registry/registry waits for it to be healthy (config.kubernetes.io/apply-time-mutation)',
    'StorageClass block does not exist; PersistentVolumeClaim registry/images waits for it to exist (lockstep.dev/wait-for)',
  ])
  const { client } = story.fleet.clusters.get('edge-7')!
  const storage = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'block' },
    provisioner: 'block.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  }
  must(await story.during(client.create(classKind, storage, USER)))
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-public' } }
  must(await story.during(client.apply(namespaceKind, home, USER)))
  const metadata = { name: 'site', namespace: 'kube-public' }
  const site = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { domain: 'north.example.com' } }
  must(await story.during(client.create(configMapKind, site as never, USER)))
  expect(await story.until(() => story.isReady('registry'), 30)).toBe(true)
  expect(story.live('edge-7', 'configmaps', 'registry', 'registry')?.data).toEqual({
    url: 'https://registry.north.example.com',
  })
  expect(story.fleet.oracles.violations).toEqual([])
})
