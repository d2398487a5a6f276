/** Cluster objects that ask a credential provider for a token for their own server: no program is run, and nothing is sent. */
import { expect, it } from 'vitest'
import type { Processes } from '../../packages/kube/src/env/processes.ts'
import { ok } from '../../packages/kube/src/env/result.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type ExecProviders, parseProviders } from '../../packages/lockstep/src/fleet/credentials/provider.ts'
import { InventoryStory } from './inventorystory.ts'
import { clientOf, NAMESPACE } from './simfleet.ts'
import { configManifest } from './steps.ts'

const execConfig = { apiVersion: 'client.authentication.k8s.io/v1', command: 'gke-gcloud-auth-plugin' }
const NAME = 'gke-gcloud-auth-plugin'

/** A provider for c0 in the namespace of the clusters. `argocd`: where Argo CD is. */
async function begin(name: string, argocd: string) {
  const text = JSON.stringify({
    providers: [{ name: NAME, execConfig, servers: ['c0.test'], namespaces: [NAMESPACE] }],
  })
  const providers = (parseProviders('providers.json', text) as { value: ExecProviders }).value
  const story = await InventoryStory.open(name, ['c0', 'c1'])
  let runs = 0
  const processes: Processes = {
    find: async () => undefined,
    async run() {
      runs++
      return ok({ code: 0, stdout: new Uint8Array(), stderr: '' })
    },
  }
  const { env } = story.fleet
  story.manager.stop()
  const options = { providers, argocdNamespaces: [argocd] }
  story.manager = startManager({ ...env, processes }, clientOf(env, 'hub', 'lockstep-controller'), options)
  const sent = () => [runs, story.requests.get('c1') ?? 0]
  return { story, sent }
}

async function expectRefused(story: InventoryStory, why: string): Promise<void> {
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web', { targets: { clusters: ['c1'] } })
  const refused = `CredentialRefused: credential of cluster c1 refused: ${why}`
  expect(await story.until(() => story.blockers('web').includes(refused), 30)).toBe(true)
}

it('A14: a ClusterProfile with another server', async () => {
  const { story, sent } = await begin('a14-profile', 'argocd')
  const kind = await story.installProfiles()
  const cluster = { server: 'https://c1.test' }
  await story.object(kind, 'c1', { accessProviders: [{ name: NAME, cluster }] })
  await expectRefused(story, `ClusterProfile platform/c1: provider ${NAME} is not for server c1.test`)
  expect(sent()).toEqual([0, 0])
})

it.each([
  ['where Argo CD is', NAMESPACE, `Secret platform/c1: provider ${NAME} is not for server c1.test`],
  ['elsewhere', 'argocd', "Secret platform/c1: Argo CD's clusters are read in namespaces argocd only"],
])('A14: a Secret of Argo CD %s, with another server', async (_, argocd, why) => {
  const { story, sent } = await begin(`a14-${argocd}`, argocd)
  await story.argo('c1', 'c1', { execProviderConfig: { command: NAME } })
  await expectRefused(story, why)
  expect(sent()).toEqual([0, 0])
})
