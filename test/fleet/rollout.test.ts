import { describe, expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const TEN = Array.from({ length: 10 }, (_, i) => `c${i}`)

/** The greatest number of units of a module that were in its ledger at once. */
function peak(story: Story, module: string): number {
  const sizes = story.fleet.commits
    .filter((c) => c.resource === 'modules.lockstep.dev' && c.key.endsWith(`/${module}`))
    .map(
      (c) =>
        ((c.next as { status?: { rollout?: { ledger?: unknown[] } } })?.status?.rollout?.ledger ?? []).length,
    )
  return Math.max(...sizes)
}

describe('a rollout over ten clusters', () => {
  it('never has more than maxUnavailable in flight, and one alone first', async () => {
    const story = await Story.begin('R1', TEN, { delays: LIFELIKE })
    await story.config('v1', deploymentManifest('web', 'web:1'))
    await story.module('web', 'v1', { rollout: { maxUnavailable: 3 } })
    const first = () => story.see('web').status?.rollout?.ledger?.length ?? 0
    expect(await story.until(() => first() > 0)).toBe(true)
    expect(first()).toBe(1)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(peak(story, 'web')).toBe(3)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('halts at the first failure; what is in flight finishes; a new revision goes on', async () => {
    const story = await Story.begin('R8', TEN, { delays: LIFELIKE })
    await story.config('v1', deploymentManifest('web', 'web:1'))
    const options = { rollout: { maxUnavailable: 4 }, health: { timeoutSeconds: 20 } }
    await story.module('web', 'v1', options)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    for (const c of story.fleet.clusters.values()) c.world.fail({ image: 'web:2', outcome: 'ImagePull' })
    await story.config('v2', deploymentManifest('web', 'web:2'))
    await story.module('web', 'v2', options)
    expect(await story.until(() => story.see('web').status?.rollout?.phase === 'Halted')).toBe(true)
    await story.pass(60)
    const halted = story.see('web').status!
    expect(halted.conditions?.find((c) => c.type === 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'Halted',
    })
    // The first one alone: nobody else has seen it.
    expect(halted.clusters).toMatchObject({ updated: 1, failed: 1, waiting: 9 })
    expect(story.blockers('web')[0]).toMatch(
      /^Halted: rollout of [0-9a-f]{10} halted: 1 cluster failed \(c\d\), maxFailed 0; publish a fix or run "lockstep rollout retry web"$/,
    )
    await story.config('v3', deploymentManifest('web', 'web:3'))
    await story.module('web', 'v3', options)
    await story.pass(3)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a failing cluster does not hold up the others where it is tolerated', async () => {
    const story = await Story.begin('R8b', TEN.slice(0, 5), { delays: LIFELIKE })
    story.fleet.clusters.get('c3')!.world.fail({ image: 'web:1', outcome: 'CrashLoop' })
    await story.config('v1', deploymentManifest('web', 'web:1'))
    await story.module('web', 'v1', { rollout: { maxFailed: 1 }, health: { timeoutSeconds: 10 } })
    expect(await story.until(() => story.see('web').status?.clusters?.ready === 4)).toBe(true)
    expect(story.see('web').status?.clusters).toMatchObject({ total: 5, ready: 4 })
  })
})

describe('which clusters', () => {
  it.each([
    ['an absent selector selects none', {}, 0],
    ['an empty one selects all', { clusterSelector: {} }, 3],
    ['by label', { clusterSelector: { matchLabels: { env: 'prod' } } }, 3],
    ['by name', { clusters: ['c1'] }, 1],
    ['less what is excluded', { clusterSelector: {}, exclude: { matchLabels: { env: 'prod' } } }, 0],
  ])('%s', async (_, targets, expected) => {
    const story = await Story.begin('F3', ['c0', 'c1', 'c2'])
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x', { targets })
    await story.pass(20)
    expect(story.inventories).toHaveLength(expected)
  })

  it('a selector that matches none says so, and what labels there are', async () => {
    const story = await Story.begin('F3b', ['c0', 'c1', 'c2'])
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x', { targets: { clusterSelector: { matchLabels: { env: 'prd' } } } })
    await story.pass(10)
    expect(story.blockers('x')).toEqual([
      'SelectsNothing: 0 of 3 clusters match env=prd (labels seen: env=prod)',
    ])
  })

  it('a selector that matches none is never ready, and names no cluster', async () => {
    const story = await Story.begin('F3c', ['c0', 'c1', 'c2'])
    await story.config('x', configManifest('x', '1'))
    const nowhere = { clusterSelector: { matchLabels: { env: 'prd' } } }
    await story.module('x', 'x', { targets: nowhere })
    await story.pass(60)
    const { conditions = [], rollout, currentRevision } = story.see('x').status ?? {}
    expect(currentRevision).toBeDefined()
    expect(conditions.map((c) => [c.type, c.status, c.reason, c.message])).toEqual([
      ['Ready', 'False', 'SelectsNothing', '0 of 3 clusters match env=prd (labels seen: env=prod)'],
      ['Reconciling', 'False', 'SelectsNothing', ''],
      ['Stalled', 'False', 'NotStalled', ''],
    ])
    expect([rollout?.phase, rollout?.completedAt]).toEqual(['Idle', undefined])
    // No rollback leads to a revision without a cluster.
    const known = story.manager.hub.revisions.store.by('module', `Module/${NAMESPACE}/x`)
    expect([...known].map((r) => r.completedAt)).toEqual([undefined])
    await story.module('x', 'x', { targets: { ...nowhere, allowEmpty: true } })
    expect(await story.until(() => story.isReady('x'), 20)).toBe(true)
    const allowed = story.see('x').status
    expect(allowed?.conditions?.[0]).toMatchObject({
      reason: 'NoClusters',
      message: '0 clusters selected (allowed)',
    })
    expect([allowed?.blockers, allowed?.rollout?.completedAt]).toEqual([[], undefined])
    await story.module('x', 'x', { targets: nowhere })
    expect(await story.until(() => !story.isReady('x'), 20)).toBe(true)
  })

  it.each([
    ['names that no cluster has', { clusters: ['c0'] }, { clusters: ['c9'] }],
    [
      'a label that no cluster has',
      { clusterSelector: {} },
      { clusterSelector: { matchLabels: { env: 'prd' } } },
    ],
  ])('removed from its last cluster by %s it is not ready', async (_, before, after) => {
    const story = await Story.begin(`F3d ${_}`, ['c0'])
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x', { targets: before })
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    await story.module('x', 'x', { targets: after })
    expect(await story.until(() => story.inventories.length === 0, 60)).toBe(true)
    await story.pass(60)
    expect(story.isReady('x')).toBe(false)
    expect(story.blockers('x')).toEqual([expect.stringMatching(/^SelectsNothing: 0 of 1 clusters /)])
    await story.module('x', 'x', { targets: before })
    expect(await story.until(() => story.isReady('x'))).toBe(true)
  })

  it('an unreachable cluster is still selected', async () => {
    const story = await Story.begin('F3e', ['c0'])
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x')
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    story.fleet.env.net.unserve('https://c0.test')
    await story.pass(300)
    expect(story.see('x').status?.clusters?.total).toBe(1)
    expect(story.blockers('x').join()).not.toContain('SelectsNothing')
  })

  it("a second module adds its assignment without touching the first's", async () => {
    const story = await Story.begin('F1', ['c0'])
    await story.config('x', configManifest('x', '1'))
    await story.module('one', 'x')
    expect(await story.until(() => story.isReady('one'))).toBe(true)
    const record = () => JSON.stringify(story.assigned('one', 'c0'))
    const before = record()
    await story.config('other', configManifest('other', '1'))
    await story.module('two', 'other')
    expect(await story.until(() => story.isReady('two'))).toBe(true)
    expect(record()).toBe(before)
  })
})

describe('clusters that come late or are wrong', () => {
  it('a Secret without kubeconfig: no attempt; with it: delivered at once', async () => {
    const story = await Story.begin('F5', ['c0', 'c1'])
    const user = { purpose: 'user', manager: 'user', precondition: 'any' } as const
    const { hub } = story.fleet
    const full = clusterSecret('c1', { env: 'prod' })
    must(await story.during(hub.patch(secretKind, full.metadata, { data: { kubeconfig: null } }, user)))
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x', { rollout: { strategy: 'Replace' } })
    await story.pass(300)
    expect(story.blockers('x')).toEqual([
      'KubeconfigMissing: cluster c1 has no credential: Secret platform/c1 has no key kubeconfig or value',
    ])
    expect(story.see('x').status?.rollout?.phase).toBe('Complete')
    must(await story.during(hub.patch(secretKind, full.metadata, { data: full.data }, user)))
    expect(await story.until(() => story.inventory('x', 'c1')?.status?.state === 'Ready', 2)).toBe(true)
  })

  it.each([
    [
      'exec',
      '{exec: {command: sh}}',
      'CredentialRefused: credential of cluster c1 refused: Secret platform/c1: kubeconfig: users[0].user.exec: is not allowed in a cluster Secret; use token or a credential provider',
    ],
    [
      'a file',
      '{tokenFile: /etc/passwd}',
      'CredentialRefused: credential of cluster c1 refused: Secret platform/c1: kubeconfig: users[0].user.tokenFile: is not allowed in a cluster Secret; use token or a credential provider',
    ],
  ])('a kubeconfig with %s is refused, and the others go on', async (_, user, message) => {
    const story = await Story.begin('F5b', ['c0', 'c1'])
    const full = clusterSecret('c1', { env: 'prod' })
    const text = atob(full.data.kubeconfig).replace('{token: t}', user)
    must(
      await story.during(
        story.fleet.hub.patch(
          secretKind,
          full.metadata,
          { data: { kubeconfig: btoa(text) } },
          { purpose: 'user', manager: 'user', precondition: 'any' },
        ),
      ),
    )
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x', { rollout: { maxUnreachable: 1 } })
    expect(await story.until(() => story.inventory('x', 'c0')?.status?.state === 'Ready')).toBe(true)
    expect(story.blockers('x')).toContainEqual(message)
  })

  it('an unreachable cluster is said to be so after 50 s, and delivered when it is back', async () => {
    const story = await Story.begin('F5c', ['c0', 'c1'])
    const { net } = story.fleet.env
    const { api } = story.fleet.clusters.get('c1')!
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x')
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    net.unserve('https://c1.test')
    net.wire('https://c1.test', undefined)
    await story.config('x2', configManifest('x', '2'))
    await story.module('x', 'x2', { rollout: { maxUnreachable: 1 } })
    await story.pass(400)
    expect(
      story.blockers('x').some((b) => b.startsWith('ClusterUnreachable: cluster c1 is unreachable')),
    ).toBe(true)
    const stored = story.fleet.objects('remoteassemblages.lockstep.dev').find((o) => o.metadata.name === 'c1')
    expect(stored?.status).toMatchObject({
      blockers: [{ reason: 'ClusterUnreachable', on: [{ kind: 'Cluster', name: 'c1' }], facts: {} }],
    })
    expect(story.live('c0', 'configmaps', 'x')?.data).toEqual({ value: '2' })
    net.serve('https://c1.test', api.handle)
    expect(await story.until(() => story.isReady('x'), 120)).toBe(true)
    expect(story.live('c1', 'configmaps', 'x')?.data).toEqual({ value: '2' })
  })
})

describe('one of five modules goes', () => {
  it('exactly its objects go, and the others are not written to', async () => {
    const story = await Story.begin('F7', ['c0'])
    const names = ['m1', 'm2', 'm3', 'm4', 'm5']
    for (const n of names) {
      await story.config(n, configManifest(n, '1'))
      await story.module(n, n)
    }
    expect(await story.until(() => names.every((n) => story.isReady(n)))).toBe(true)
    const from = story.fleet.commits.length
    await story.deleteModule('m3')
    expect(await story.until(() => story.inventories.length === 4)).toBe(true)
    await story.pass(10)
    expect(story.writes('c0', from)).toEqual(['delete configmaps default/m3'])
    expect(names.map((n) => story.live('c0', 'configmaps', n) !== undefined)).toEqual([
      true,
      true,
      false,
      true,
      true,
    ])
  })
})
