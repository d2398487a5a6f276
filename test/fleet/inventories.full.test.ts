/** Who the clusters are: inventories that come, say more, fall silent and go. */
import { describe, expect, it } from 'vitest'
import type { Processes } from '../../packages/kube/src/env/processes.ts'
import { ok } from '../../packages/kube/src/env/result.ts'
import { crdKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { ORPHANED_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type ExecProviders, parseProviders } from '../../packages/lockstep/src/fleet/credentials/provider.ts'
import { kubeconfigName } from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import { InventoryStory, UP } from './inventorystory.ts'
import { clientOf, NAMESPACE } from './simfleet.ts'
import { configManifest } from './steps.ts'

/** A module that is ready on one Cluster, `c0`. */
async function delivered(name: string) {
  const story = await InventoryStory.open(name, ['c0'])
  const kind = await story.installClusterApi()
  await story.cluster(kind, 'c0')
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web', { targets: { clusterSelector: { matchLabels: { env: 'prod' } } } })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  return { story, kind, from: story.fleet.commits.length }
}

const hasValue = (story: InventoryStory, value: string): boolean =>
  at(story.live('c0', 'configmaps', 'web'), 'data', 'value') === value

const deletes = (story: InventoryStory, cluster: string, from = 0): string[] =>
  story.writes(cluster, from).filter((w) => w.startsWith('delete '))

describe('Cluster API', () => {
  it.each(['v1beta1', 'v1beta2'])('%s: nothing is tried before the kubeconfig is there', async (version) => {
    const story = await InventoryStory.open(`capi-${version}`, ['c0'])
    const kind = await story.installClusterApi(version)
    const up = version === 'v1beta2' ? UP : { controlPlaneReady: true }
    await story.object(kind, 'c0', {})
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web')
    await story.pass(150)
    await story.object(kind, 'c0', up)
    await story.pass(150)
    expect(story.requests.get('c0') ?? 0).toBe(0)
    expect(story.blockers('web')).toEqual([
      'KubeconfigMissing: cluster c0 has no credential: Secret platform/c0-kubeconfig with label cluster.x-k8s.io/cluster-name does not exist',
    ])
    expect(story.see('web').status?.clusters).toMatchObject({ total: 1, provisioning: 1 })
    await story.kubeconfig('c0')
    expect(await story.until(() => story.live('c0', 'configmaps', 'web') !== undefined, 2)).toBe(true)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a control plane that was never up is waited for, without a try', async () => {
    const story = await InventoryStory.open('capi-init', ['c0'])
    const kind = await story.installClusterApi()
    await story.kubeconfig('c0')
    await story.object(kind, 'c0', {})
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web')
    await story.pass(300)
    expect(story.requests.get('c0') ?? 0).toBe(0)
    expect(story.blockers('web')).toEqual([
      'Provisioning: Cluster platform/c0 is provisioning: control plane not initialized',
    ])
    await story.object(kind, 'c0', UP)
    expect(await story.until(() => story.live('c0', 'configmaps', 'web') !== undefined, 2)).toBe(true)
  })

  it('once reached, what it says of its control plane removes nothing, over a restart too', async () => {
    const { story, kind, from } = await delivered('capi-flip')
    const record = JSON.stringify(story.assemblage('c0')?.spec)
    const condition = { type: 'ControlPlaneInitialized', status: 'False', reason: 'x', message: '' }
    const down = { initialization: { controlPlaneInitialized: false }, conditions: [condition] }
    await story.object(kind, 'c0', { ...down, controlPlaneReady: false })
    await story.pass(3600)
    story.restart()
    await story.pass(60)
    expect(story.writes('c0', from)).toEqual([])
    expect(JSON.stringify(story.assemblage('c0')?.spec)).toBe(record)
    await story.config('web', configManifest('web', '2'))
    expect(await story.until(() => hasValue(story, '2'), 60)).toBe(true)
  })

  it('its kubeconfig is gone: said at once, and the session goes on; back again, nothing has happened', async () => {
    const { story, from } = await delivered('capi-kubeconfig')
    await story.remove(secretKind, kubeconfigName('c0'))
    const isSaid = () => story.blockers('web').some((b) => b.startsWith('KubeconfigMissing: '))
    expect(await story.until(isSaid, 1)).toBe(true)
    await story.config('web', configManifest('web', '2'))
    expect(await story.until(() => hasValue(story, '2'), 60)).toBe(true)
    await story.kubeconfig('c0')
    expect(await story.until(() => story.isReady('web') && !isSaid(), 2)).toBe(true)
    expect(deletes(story, 'c0', from)).toEqual([])
  })

  it('without a kubeconfig after a restart it is unreachable, not new', async () => {
    const { story, from } = await delivered('capi-restart')
    await story.remove(secretKind, kubeconfigName('c0'))
    story.restart()
    await story.pass(30)
    expect(story.see('web').status?.clusters).toMatchObject({ total: 1, unreachable: 1, provisioning: 0 })
    expect(story.blockers('web')).toContainEqual(expect.stringMatching(/^KubeconfigMissing: /))
    await story.kubeconfig('c0')
    expect(await story.until(() => story.isReady('web'), 5)).toBe(true)
    expect(story.writes('c0', from)).toEqual([])
  })

  it('is there once it is installed, and another version may come beside', async () => {
    const story = await InventoryStory.open('capi-late', ['c0'])
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web')
    await story.pass(600)
    const kind = await story.installClusterApi('v1beta1')
    await story.kubeconfig('c0')
    await story.object(kind, 'c0', { controlPlaneReady: true })
    expect(await story.until(() => story.isReady('web'), 10)).toBe(true)
  })
})

describe('a cluster that does not let us see who it is', () => {
  it('is written to by nobody, and says which right is missing', async () => {
    const story = await InventoryStory.open('hidden', ['c0'])
    const { api } = story.fleet.clusters.get('c0')!
    const status = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: 'no' }
    const forbidden = {
      status: 403,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(status),
    }
    story.fleet.env.net.serve('https://c0.test', async (request) =>
      request.url === '/api/v1/namespaces/kube-system' ? forbidden : api.handle(request),
    )
    await story.labelled('c0')
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web')
    await story.pass(60)
    expect(story.blockers('web')).toContain(
      'IdentityUnreadable: identity of cluster c0 is not readable: get on Namespace kube-system is forbidden',
    )
    expect(story.writes('c0')).toEqual([])
    story.fleet.env.net.serve('https://c0.test', api.handle)
    expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
  })
})

describe('absence is no intent', () => {
  it.each([
    ['the Cluster is deleted', (s: InventoryStory, kind) => s.remove(kind, 'c0'), true],
    [
      'the Cluster is paused',
      (s: InventoryStory, kind) => s.object(kind, 'c0', UP, { spec: { paused: true } }),
      false,
    ],
    [
      'the definition is removed',
      (s: InventoryStory) => s.remove(crdKind, 'clusters.cluster.x-k8s.io'),
      true,
    ],
    ['its kubeconfig is gone', (s: InventoryStory) => s.remove(secretKind, kubeconfigName('c0')), false],
  ] as [string, (s: InventoryStory, kind: never) => Promise<void>, boolean][])(
    '%s: nothing is deleted there, also when the module goes',
    async (_, act, isOrphan) => {
      const { story, kind, from } = await delivered('absent')
      await act(story, kind as never)
      await story.pass(60)
      expect(story.writes('c0', from)).toEqual([])
      const since = story.inventory('web', 'c0')?.metadata.annotations?.[ORPHANED_ANNOTATION]
      expect(since !== undefined).toBe(isOrphan)
      story.restart()
      await story.pass(60)
      expect(story.writes('c0', from)).toEqual([])
      await story.deleteModule('web')
      await story.pass(120)
      expect(story.writes('c0', from)).toEqual([])
      expect(story.live('c0', 'configmaps', 'web')).toBeDefined()
      expect(story.fleet.oracles.violations).toEqual([])
    },
  )

  it('a list that breaks off on its second page says nothing of what it lacks', async () => {
    const { story, kind, from } = await delivered('pages')
    await story.crowd(
      kind,
      Array.from({ length: 600 }, (_, i) => `a${i}`),
    )
    let cut = 0
    story.fleet.env.net.wire('https://hub.test', {
      async before({ path }) {
        if (!path.includes('/clusters?') || !path.includes('continue=')) return undefined
        cut++
        return { phase: 'receive', detail: 'cut off' }
      },
    })
    story.restart()
    await story.pass(300)
    expect(cut).toBeGreaterThan(3)
    expect(story.writes('c0', from)).toEqual([])
    story.fleet.env.net.wire('https://hub.test', undefined)
    expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
    expect(story.writes('c0', from)).toEqual([])
    expect(story.inventory('web', 'c0')?.metadata.annotations).toBeUndefined()
  })

  it('nor does it where the module goes meanwhile', async () => {
    const { story, kind, from } = await delivered('pages deleted')
    await story.crowd(
      kind,
      Array.from({ length: 600 }, (_, i) => `a${i}`),
    )
    story.fleet.env.net.wire('https://hub.test', {
      async before({ path }) {
        const isSecond = path.includes('/clusters?') && path.includes('continue=')
        return isSecond ? { phase: 'receive', detail: 'cut off' } : undefined
      },
    })
    story.restart()
    await story.deleteModule('web')
    await story.pass(300)
    expect(story.writes('c0', from)).toEqual([])
    expect(story.live('c0', 'configmaps', 'web')).toBeDefined()
  })

  it('what is left of a cluster is kept for a while, and goes from the hub alone; come back, it is no orphan', async () => {
    const { story, kind, from } = await delivered('while')
    story.manager.stop()
    const client = clientOf(story.fleet.env, 'hub', 'lockstep-controller')
    story.manager = startManager(story.fleet.env, client, { orphanRetentionMs: 2 * 3_600_000 })
    await story.pass(10)
    await story.remove(kind, 'c0')
    await story.pass(1.9 * 3600)
    expect(story.inventory('web', 'c0')?.metadata.annotations).toHaveProperty([ORPHANED_ANNOTATION])
    await story.cluster(kind, 'c0')
    expect(await story.until(() => story.isReady('web'), 30)).toBe(true)
    expect(story.inventory('web', 'c0')?.metadata.annotations).toBeUndefined()
    expect(story.writes('c0', from)).toEqual([])
    await story.remove(kind, 'c0')
    await story.pass(3.1 * 3600)
    expect(story.inventory('web', 'c0')).toBeUndefined()
    expect(story.assemblage('c0')).toBeUndefined()
    expect(story.writes('c0', from)).toEqual([])
    expect(story.live('c0', 'configmaps', 'web')).toBeDefined()
  })

  it('a Cluster that is being deleted is left alone, and a module does not wait for it', async () => {
    const { story, kind, from } = await delivered('deleting')
    const held = { metadata: { finalizers: ['cluster.x-k8s.io/cluster'] } }
    const write = { purpose: 'user', manager: 'user', precondition: 'any' } as const
    const key = { namespace: NAMESPACE, name: 'c0' }
    await story.during(story.fleet.hub.patch(kind, key, held, write))
    await story.remove(kind, 'c0')
    await story.config('web', configManifest('web', '2'))
    await story.pass(60)
    expect(story.see('web').status?.clusters).toMatchObject({ total: 0 })
    await story.deleteModule('web')
    expect(await story.until(() => story.fleet.stored('modules').length === 0, 30)).toBe(true)
    expect(story.writes('c0', from)).toEqual([])
  })
})

describe('ClusterProfile', () => {
  const execConfig = { apiVersion: 'client.authentication.k8s.io/v1', command: 'get-token' }
  const file = parseProviders(
    'providers.json',
    JSON.stringify({
      providers: [{ name: 'gke', execConfig, servers: ['c0.test', 'c2.test'], namespaces: [NAMESPACE] }],
    }),
  )
  const providers = (file as { value: ExecProviders }).value

  function withProviders(story: InventoryStory): { runs: number } {
    const tally = { runs: 0 }
    const status = { token: 't' }
    const printed = JSON.stringify({ apiVersion: execConfig.apiVersion, kind: 'ExecCredential', status })
    const processes: Processes = {
      find: async () => undefined,
      run: async () => {
        tally.runs++
        return ok({ code: 0, stdout: new TextEncoder().encode(printed), stderr: '' })
      },
    }
    const { env } = story.fleet
    story.manager.stop()
    const client = clientOf(env, 'hub', 'lockstep-controller')
    story.manager = startManager({ ...env, processes }, client, { providers })
    return tally
  }
  const offer = (name: string, server: string) => ({ name, cluster: { server: `https://${server}.test` } })

  it('is reached by the provider of our file; another one is refused, and stops only itself', async () => {
    const story = await InventoryStory.open('profiles', ['c0', 'c1', 'c2'])
    const kind = await story.installProfiles()
    const tally = withProviders(story)
    await story.object(kind, 'c0', { accessProviders: [offer('gke', 'c0')] })
    await story.object(kind, 'c1', { accessProviders: [offer('aks', 'c1')] })
    await story.object(kind, 'c2', { credentialProviders: [offer('gke', 'c2')] })
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web', { rollout: { strategy: 'Replace', maxUnreachable: '100%' } })
    expect(await story.until(() => story.see('web').status?.clusters?.ready === 2, 60)).toBe(true)
    expect(story.blockers('web')).toContain(
      'CredentialRefused: credential of cluster c1 refused: ClusterProfile platform/c1: no provider aks in providers.json',
    )
    expect(tally.runs).toBe(2)
    for (const c of ['c0', 'c2']) expect(story.live(c, 'configmaps', 'web')).toBeDefined()
    expect(story.requests.get('c1') ?? 0).toBe(0)
  })

  it('is selected by its properties', async () => {
    const story = await InventoryStory.open('properties', ['c0', 'c1'])
    const kind = await story.installProfiles()
    withProviders(story)
    const properties = (region: string) => [{ name: 'region.example.com', value: region }]
    for (const [c, region] of [
      ['c0', 'eu west'],
      ['c1', 'us'],
    ] as const)
      await story.object(kind, c, { accessProviders: [offer('gke', c)], properties: properties(region) })
    await story.config('web', configManifest('web', '1'))
    const eu = [{ name: 'region.example.com', operator: 'In', values: ['eu west'] }]
    await story.module('web', 'web', { targets: { clusterSelector: {}, properties: eu } })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.see('web').status?.clusters?.total).toBe(1)
    expect(story.live('c0', 'configmaps', 'web')).toBeDefined()
    expect(story.live('c1', 'configmaps', 'web')).toBeUndefined()
  })
})

describe('Argo CD', () => {
  it('what is not allowed is refused with its field, and stops only itself', async () => {
    const bad = {
      aws: { awsAuthConfig: { clusterName: 'c' } },
      exec: { execProviderConfig: { command: 'argocd-k8s-auth' } },
      insecure: { bearerToken: 'canary', tlsClientConfig: { insecure: true } },
      json: '{"bearerToken": "canary"',
    }
    const story = await InventoryStory.open('argo', ['c0', ...Object.keys(bad)])
    await story.argo('c0', 'c0')
    for (const [name, config] of Object.entries(bad)) await story.argo(name, name, config)
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web', { rollout: { strategy: 'Replace', maxUnreachable: '100%' } })
    expect(await story.until(() => story.live('c0', 'configmaps', 'web') !== undefined, 60)).toBe(true)
    await story.pass(60)
    const file = 'there is none in no --credential-provider file'
    expect(story.blockers('web').sort()).toEqual([
      `CredentialRefused: credential of cluster aws refused: Secret platform/aws: config.awsAuthConfig: is not allowed without a provider aws, and ${file}`,
      `CredentialRefused: credential of cluster exec refused: Secret platform/exec: config.execProviderConfig: is not allowed without a provider argocd-k8s-auth, and ${file}`,
      'CredentialRefused: credential of cluster insecure refused: Secret platform/insecure: config.tlsClientConfig.insecure: is not allowed; give caData',
      'CredentialRefused: credential of cluster json refused: Secret platform/json: config: is not a JSON object',
    ])
    for (const name of Object.keys(bad)) expect(story.requests.get(name) ?? 0).toBe(0)
    expect(JSON.stringify([story.see('web'), story.fleet.env.lines])).not.toContain('canary')
  })

  it.each([
    [
      'other namespaces',
      { namespaces: 'a, b' },
      configManifest('web', '1'),
      'ConfigMap default/web: default is not in namespaces a,b of the cluster',
    ],
    [
      'no namespace',
      { namespaces: 'default' },
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
      'Namespace web has no namespace, and the cluster is limited to namespaces default; set clusterResources in its Secret',
    ],
  ])(
    'a Secret for some namespaces, and an object of %s: nothing is written',
    async (_, more, manifest, problem) => {
      const story = await InventoryStory.open('namespaces', ['c0'])
      await story.argo('c0', 'c0', { bearerToken: 't' }, { env: 'prod' }, more)
      await story.config('web', manifest)
      await story.module('web', 'web')
      await story.pass(60)
      expect(story.inventory('web', 'c0')?.status?.blockers).toMatchObject([
        { reason: 'NamespaceNotAllowed', message: problem },
      ])
      expect(story.writes('c0')).toEqual([])
      await story.argo(
        'c0',
        'c0',
        { bearerToken: 't' },
        { env: 'prod' },
        { ...more, namespaces: 'default', clusterResources: 'true' },
      )
      expect(await story.until(() => story.isReady('web'), 30)).toBe(true)
    },
  )

  it('a module may ask for clusters of some inventories', async () => {
    const story = await InventoryStory.open('inventories', ['c0', 'c1'])
    await story.argo('c0', 'c0')
    await story.labelled('c1')
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web', { targets: { clusterSelector: {}, inventories: ['ArgoCD'] } })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.see('web').status?.clusters?.total).toBe(1)
    expect(story.live('c0', 'configmaps', 'web')).toBeDefined()
  })
})
