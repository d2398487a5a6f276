/** What clusters know of what was delivered to them, and a hub that has forgotten it. */
import { describe, expect, it } from 'vitest'
import { type ConfigMap, configMapKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { remoteAssemblageKind } from '../../packages/lockstep/src/api/kinds/remoteassemblage/columns.ts'
import { backup, restore } from './hubbackup.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const STAMP = { namespace: 'lockstep-system', name: 'lockstep-stamp-m.platform.web' }
const USER = { purpose: 'user', manager: 'kubectl' } as const

const live = (story: Story, name: string, namespace?: string): ConfigMap | undefined =>
  story.live('edge', 'configmaps', name, namespace) as ConfigMap | undefined

const stampOf = (story: Story) => live(story, STAMP.name, STAMP.namespace)

/** `web` is delivered with the value 1. */
async function begin(name: string, apply: Readonly<Record<string, unknown>> = {}): Promise<Story> {
  const story = await Story.begin(`stamps ${name}`, ['edge'])
  for (const value of ['1', '2', '3']) await story.config(`v${value}`, configManifest('web', value))
  await story.module('web', 'v1', { apply })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  return story
}

async function change(story: Story, source: string, o = {}): Promise<void> {
  await story.module('web', source, o)
  await story.pass(1)
  expect(await story.until(() => story.isReady('web'))).toBe(true)
}

describe('a stamp', () => {
  it('is written once an admission that changes content, before the first write of it', async () => {
    const story = await begin('once')
    const { hub } = story.fleet
    const kubeSystem = must(
      await story.during(hub.get(namespaceKind, { name: 'kube-system' }, { purpose: 'user' })),
    )
    const { metadata, spec, status } = story.inventory('web', 'edge')!
    expect(stampOf(story)).toMatchObject({
      metadata: { labels: { 'lockstep.dev/stamp': 'true' } },
      data: {
        hub: kubeSystem.metadata.uid,
        inventory: metadata.uid,
        serial: String(spec.admitted!.contentSerial),
        contentDigest: status!.contentDigest,
        revision: spec.admitted!.revision,
      },
    })
    const from = story.fleet.commits.length
    await change(story, 'v2')
    const order = story.fleet.commits
      .slice(from)
      .filter((c) => c.cluster === 'edge' && c.resource === 'configmaps')
    expect(order.map((c) => `${c.verb} ${c.key}`)).toEqual([
      `update ${STAMP.namespace}/${STAMP.name}`,
      'apply default/web',
    ])
  })

  it('is left alone by verification, repair and restarts', async () => {
    const story = await begin('quiet')
    const from = story.fleet.commits.length
    await change(story, 'v1', { attempt: 1 })
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(60)
    await edit(story, { value: 'edited' })
    expect(await story.until(() => live(story, 'web')?.data?.value === '1')).toBe(true)
    expect(story.stamps('edge', from)).toEqual([])
    expect(story.writes('edge', from)).toEqual(['apply configmaps default/web'])
  })

  it('that somebody has made unreadable, or deleted, is written anew with the next content', async () => {
    const story = await begin('broken')
    await onCluster(story, { data: { serial: 'many' } })
    await change(story, 'v2')
    // This process knew it as it was; it looks again.
    expect(stampOf(story)?.data?.serial).toBe('2')
    const { client } = story.fleet.clusters.get('edge')!
    must(await story.during(client.delete(configMapKind, STAMP, { ...USER, precondition: 'any' })))
    await change(story, 'v3')
    expect(stampOf(story)?.data?.serial).toBe('3')
  })

  it.each(['Delete', 'Orphan'])('goes last with its unit (deletionPolicy %s)', async (deletionPolicy) => {
    const story = await begin(`gone ${deletionPolicy}`, { deletionPolicy })
    const from = story.fleet.commits.length
    await story.deleteModule('web')
    expect(await story.until(() => story.inventory('web', 'edge') === undefined)).toBe(true)
    expect(story.stamps('edge', from)).toEqual([`delete configmaps ${STAMP.namespace}/${STAMP.name}`])
    const last = story.fleet.commits.slice(from).filter((c) => c.cluster === 'edge')
    expect(last[last.length - 1]?.key).toBe(`${STAMP.namespace}/${STAMP.name}`)
  })
})

describe('a stamp that the cluster cannot read', () => {
  it.each([
    ['a delivery', 'Delivering', (story: Story) => story.module('web', 'v2')],
    ['a removal', 'Removing', (story: Story) => story.deleteModule('web')],
  ] as const)('is why %s waits', async (name, state, act) => {
    const story = await begin(`unreadable ${name}`)
    story.manager.stop()
    await story.pass(1)
    const refusal = { phase: 'receive', detail: 'read ECONNRESET' } as const
    story.fleet.env.net.wire('https://edge.test', {
      before: async ({ method, path }) =>
        method === 'GET' && path.includes(STAMP.name) ? refusal : undefined,
      after: async () => undefined,
    })
    story.manager = story.fleet.startController()
    await act(story)
    const status = () => story.inventory('web', 'edge')?.status
    const says = () => status()?.blockers?.map((b) => `${status()?.state}: ${b.reason} ${b.message}`)
    expect(await story.until(() => says() !== undefined, 60)).toBe(true)
    expect(says()).toEqual([expect.stringContaining(`${state}: `)])
    expect(says()![0]).toContain(`ConfigMap ${STAMP.namespace}/${STAMP.name}`)
    story.fleet.env.net.wire('https://edge.test', undefined)
    const isDone = () =>
      state === 'Removing'
        ? status() === undefined
        : status()?.state === 'Ready' && live(story, 'web')?.data?.value === '2'
    expect(await story.until(isDone, 120)).toBe(true)
  })
})

describe('a hub that was restored from a backup', () => {
  it('writes nothing where the cluster knows more, says so, and goes on once somebody has decided', async () => {
    const story = await begin('restored')
    const before = await backup(story, RESTORED)
    await change(story, 'v2')
    story.manager.stop()
    await story.pass(1)
    await restore(story, before)
    const from = story.fleet.commits.length
    story.manager = story.fleet.startController()
    await story.pass(120)
    expect(story.isReady('web')).toBe(false)
    const [blocker] = story.inventory('web', 'edge')!.status!.blockers!
    expect(blocker).toMatchObject({
      reason: 'HubRestored',
      on: [
        { kind: 'Object', cluster: 'edge' },
        { kind: 'Cluster', name: 'edge' },
      ],
    })
    expect(blocker!.message).toMatch(
      /^ConfigMap lockstep-system\/lockstep-stamp-m\.platform\.web on edge records admission 2, the restored hub knows 1; update the hub, then delete it$/,
    )
    expect([...story.writes('edge', from), ...story.stamps('edge', from)]).toEqual([])
    expect(live(story, 'web')?.data).toEqual({ value: '2' })

    const { client } = story.fleet.clusters.get('edge')!
    must(await story.during(client.delete(configMapKind, STAMP, { ...USER, precondition: 'any' })))
    expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
    expect(live(story, 'web')?.data).toEqual({ value: '1' })
    expect(stampOf(story)?.data?.serial).toBe('1')
  })

  it('deletes nothing either', async () => {
    const story = await begin('restored removal')
    const before = await backup(story, RESTORED)
    await change(story, 'v2')
    story.manager.stop()
    await story.pass(1)
    await restore(story, before)
    await story.deleteModule('web')
    story.manager = story.fleet.startController()
    await story.pass(120)
    expect(story.inventory('web', 'edge')!.status!.blockers![0]!.reason).toBe('HubRestored')
    expect(live(story, 'web')).toBeDefined()
  })
})

it('a cluster that another hub delivers the same unit to is not written to', async () => {
  const story = await Story.begin('stamps foreign', ['edge'])
  const { client } = story.fleet.clusters.get('edge')!
  const meta = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: STAMP.namespace } }
  must(await story.during(client.create(namespaceKind, meta, USER)))
  const data = { hub: 'another', inventory: 'i', serial: '1' }
  const stamp = { apiVersion: 'v1', kind: 'ConfigMap', metadata: STAMP, data }
  must(await story.during(client.create(configMapKind, stamp, USER)))
  await story.config('v1', configManifest('web', '1'))
  await story.module('web', 'v1')
  await story.pass(60)
  expect(story.blockers('web')[0]).toMatch(
    /^OwnedByAnotherHub: .*names another hub \(kube-system another\); remove the cluster from one hub/,
  )
  expect(live(story, 'web')).toBeUndefined()
})

it('where no stamp may be kept, everything is delivered, and that is said', async () => {
  const story = await Story.begin('stamps forbidden', ['edge'])
  const { api } = story.fleet.clusters.get('edge')!
  story.fleet.env.net.serve('https://edge.test', async (request) =>
    request.url.includes('/namespaces/lockstep-system') ? FORBIDDEN : api.handle(request),
  )
  await story.config('v1', configManifest('web', '1'))
  await story.config('v2', configManifest('web', '2'))
  await story.module('web', 'v1')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const said = () =>
    story.inventory('web', 'edge')!.status!.conditions!.filter((c) => c.type === 'RestoreDetection')
  expect(said()).toMatchObject([
    {
      status: 'False',
      reason: 'Forbidden',
      message: expect.stringMatching(/a hub restored from a backup is not detected.*you may not/),
    },
  ])
  story.fleet.env.net.serve('https://edge.test', api.handle)
  await change(story, 'v2')
  expect([said(), stampOf(story)?.data?.serial]).toEqual([[], '2'])
})

const FORBIDDEN = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Forbidden',
    message: 'you may not',
    code: 403,
  }),
}

async function edit(story: Story, data: Readonly<Record<string, string>>): Promise<void> {
  const { client } = story.fleet.clusters.get('edge')!
  const key = { namespace: 'default', name: 'web' }
  must(await story.during(client.patch(configMapKind, key, { data }, { ...USER, precondition: 'any' })))
}

async function onCluster(story: Story, patch: { data: Record<string, string> }): Promise<void> {
  const { client } = story.fleet.clusters.get('edge')!
  must(await story.during(client.patch(configMapKind, STAMP, patch, { ...USER, precondition: 'any' })))
}

const RESTORED: readonly Kind<KubeObject>[] = [moduleKind, remoteAssemblageKind, inventoryKind] as never
