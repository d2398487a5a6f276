/** A cluster that does not take our credential any more, whose kubeconfig is gone. */
import { expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { kubeconfigName } from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import { InventoryStory } from './inventorystory.ts'
import { configManifest } from './steps.ts'

async function delivered(name: string) {
  const story = await InventoryStory.open(name, ['c0'])
  const kind = await story.installClusterApi()
  await story.cluster(kind, 'c0')
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  return { story, from: story.fleet.commits.length }
}

const hasValue = (story: InventoryStory, value: string): boolean =>
  at(story.live('c0', 'configmaps', 'web'), 'data', 'value') === value

const deletes = (story: InventoryStory, cluster: string, from: number): string[] =>
  story.writes(cluster, from).filter((w) => w.startsWith('delete '))

it('its kubeconfig is gone, and then its credential is refused: nothing is written, nothing goes; back within 2 s', async () => {
  const { story, from } = await delivered('capi-refused')
  await story.remove(secretKind, kubeconfigName('c0'))
  await story.pass(5)
  const { api } = story.fleet.clusters.get('c0')!
  const status = { kind: 'Status', status: 'Failure', reason: 'Unauthorized', code: 401, message: 'no' }
  const refused = {
    status: 401,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(status),
  }
  const { net } = story.fleet.env
  net.serve('https://c0.test', async () => refused)
  net.cut('https://c0.test')
  await story.pass(120)
  expect(story.blockers('web').join()).toContain('CredentialsRejected: cluster c0 rejects the credentials: ')
  expect(story.writes('c0', from)).toEqual([])
  net.serve('https://c0.test', api.handle)
  await story.kubeconfig('c0')
  expect(await story.until(() => story.blockers('web').length === 0 && story.isReady('web'), 2)).toBe(true)
  expect(story.writes('c0', from)).toEqual([])
  await story.config('web', configManifest('web', '2'))
  expect(await story.until(() => hasValue(story, '2'), 30)).toBe(true)
  expect(deletes(story, 'c0', from)).toEqual([])
})
