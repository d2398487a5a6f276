/** Units that are not with their fleet: pinned by a Hold, or joined before their stage opened. */
import { describe, expect, it } from 'vitest'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { short10, timestamp } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { CLUSTER_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = ['c0', 'c1', 'c2', 'c3']

const at = (story: Story, cluster: string, name = 'a'): unknown =>
  (story.live(cluster, 'configmaps', name)?.data as { value?: string } | undefined)?.value
const all = (story: Story): unknown[] => CLUSTERS.map((c) => at(story, c))

async function hold(story: Story, name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const body = {
    apiVersion: API_VERSION,
    kind: 'Hold',
    metadata: { name, namespace: NAMESPACE },
    spec: { targetRef: { kind: 'Module' as const, name: 'a' }, reason: 'test', action: 'Pin', ...spec },
  }
  must(await story.during(story.fleet.hub.apply(holdKind, body as never, { ...USER, force: true })))
}
const release = async (story: Story, name: string): Promise<void> => {
  must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name }, USER)))
}

/** A at 1, then at 2, everywhere; its two revisions. */
async function twice(name: string, more: object = {}): Promise<[Story, string, string]> {
  const story = await Story.begin(name, CLUSTERS)
  const revisions: string[] = []
  for (const n of [1, 2, 3]) await story.config(`a${n}`, configManifest('a', String(n)))
  for (const n of [1, 2]) {
    await story.module('a', `a${n}`, { rollout: { strategy: 'Replace' }, ...more })
    await story.pass(3)
    expect(await story.until(() => story.isReady('a'))).toBe(true)
    revisions.push(story.see('a').status!.currentRevision!)
  }
  return [story, revisions[0]!, revisions[1]!]
}

describe('a pin', () => {
  it('leads some clusters to a revision, whatever is published; released, they follow', async () => {
    const [story, first] = await twice('pin')
    await hold(story, 'p', { clusters: ['c2', 'c3'], revision: short10(first) })
    expect(await story.until(() => at(story, 'c2') === '1' && at(story, 'c3') === '1')).toBe(true)
    await story.module('a', 'a3', { rollout: { strategy: 'Replace' } })
    expect(await story.until(() => at(story, 'c0') === '3' && at(story, 'c1') === '3')).toBe(true)
    await story.pass(60)
    expect(all(story)).toEqual(['3', '3', '1', '1'])
    expect(story.see('a').status).toMatchObject({ rollout: { phase: 'Complete' }, clusters: { pinned: 2 } })
    expect(story.isReady('a')).toBe(true)
    // What is pinned is repaired there.
    const there = story.fleet.clusters.get('c3')!.client
    const key = { namespace: 'default', name: 'a' }
    must(await story.during(there.patch(configMapKind, key, { data: { value: 'x' } }, USER)))
    expect(await story.until(() => at(story, 'c3') === '1')).toBe(true)
    await release(story, 'p')
    expect(await story.until(() => all(story).every((v) => v === '3'))).toBe(true)
    expect(await story.until(() => story.isReady('a'))).toBe(true)
    expect(story.inventory('a', 'c2')?.spec.admitted?.apart).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('that leads back before those that rely on it says for whom it waits, and goes once they have gone', async () => {
    const story = await Story.begin('pin ahead', ['c0'])
    for (const n of ['1', '2']) await story.config(`a${n}`, configManifest('a', n))
    await story.config('b', configManifest('b', '1'))
    const publish = async (n: string) => {
      await story.module('a', `a${n}`, { release: `r${n}` })
      await story.module('b', 'b', { release: `r${n}`, dependsOn: ['a'] })
      expect(await story.until(() => story.isReady('a', `r${n}`) && story.isReady('b', `r${n}`))).toBe(true)
    }
    await publish('1')
    const first = story.see('a').status!.currentRevision!
    await publish('2')
    await hold(story, 'p', { clusters: ['c0'], revision: first })
    expect(await story.until(() => story.blockers('a').length > 0)).toBe(true)
    expect(story.blockers('a')).toEqual([
      expect.stringMatching(
        /^DependentAhead: dependent b on c0 requires a@r2; publish b at r1 too, or a at r2$/,
      ),
    ])
    expect(at(story, 'c0')).toBe('2')
    await story.deleteModule('b')
    expect(await story.until(() => at(story, 'c0') === '1')).toBe(true)
    expect(await story.until(() => story.blockers('a').length === 0)).toBe(true)
  })

  it('that ends by itself: what it held follows, no more at once than may', async () => {
    const [story, first] = await twice('pin until')
    const until = timestamp(story.fleet.env.clock.now() + 600_000)
    await hold(story, 'p', { clusters: ['c1', 'c2', 'c3'], revision: first, until })
    expect(await story.until(() => ['c1', 'c2', 'c3'].every((c) => at(story, c) === '1'))).toBe(true)
    await story.module('a', 'a3', { rollout: { maxUnavailable: 1 } })
    expect(await story.until(() => story.isReady('a') && at(story, 'c0') === '3')).toBe(true)
    expect(story.see('a').status).toMatchObject({
      clusters: { updated: 1, pinned: 3 },
      rollout: { budgets: { maxUnavailable: { max: 1 } } },
    })
    await story.pass(300)
    expect(all(story)).toEqual(['3', '1', '1', '1'])
    const from = story.fleet.commits.length
    expect(await story.until(() => all(story).every((v) => v === '3') && story.isReady('a'), 600)).toBe(true)
    const inFlight = story.fleet.commits.slice(from).flatMap(({ resource, next }) => {
      const { rollout } = (next as Stored<Module> | undefined)?.status ?? {}
      return resource === 'modules.lockstep.dev' && rollout?.ledger
        ? [rollout.ledger.map((e) => e.cluster)]
        : []
    })
    expect(inFlight.map((x) => x.length)).toEqual([1, 1, 1])
    expect(inFlight.flat().sort()).toEqual(['c1', 'c2', 'c3'])
    expect(story.see('a').status).toMatchObject({ clusters: { updated: 4, pinned: 0 } })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('where they are: nothing is written there while the others go on', async () => {
    const [story, , second] = await twice('pin here')
    await hold(story, 'p', { clusters: ['c1'], revision: second })
    const from = story.fleet.commits.length
    await story.module('a', 'a3', { rollout: { strategy: 'Replace' } })
    expect(await story.until(() => all(story).filter((v) => v === '3').length === 3)).toBe(true)
    await story.pass(60)
    expect([at(story, 'c1'), story.writes('c1', from)]).toEqual(['2', []])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('what relies on it waits there, and says for what', async () => {
    const [story, first] = await twice('pin below')
    await hold(story, 'p', { clusters: ['c0'], revision: first })
    expect(await story.until(() => at(story, 'c0') === '1')).toBe(true)
    await story.config('b', configManifest('b', '1'))
    await story.module('b', 'b', { dependsOn: ['a'], rollout: { strategy: 'Replace' } })
    await story.pass(30)
    expect(CLUSTERS.map((c) => at(story, c, 'b'))).toEqual([undefined, '1', '1', '1'])
    expect(story.blockers('b')).toEqual([
      `DependencyPinned: dependency a is pinned at ${short10(first)} on c0`,
    ])
    await release(story, 'p')
    expect(await story.until(() => story.isReady('b'))).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('at what nobody knows, or at two revisions: it stays where it is', async () => {
    const [story, first] = await twice('pin unknown')
    await hold(story, 'p', { clusters: ['c0'], revision: '0123456789' })
    await story.pass(20)
    expect(story.blockers('a')).toEqual([
      'PinnedRevisionUnknown: Hold p pins revision 0123456789, which is not in the history; the current revision stays',
    ])
    await hold(story, 'q', { clusters: ['c0'], revision: first })
    await story.pass(20)
    expect(story.blockers('a')).toEqual([
      'HoldConflict: Holds p and q pin different revisions on c0; the current revision stays',
    ])
    expect(at(story, 'c0')).toBe('2')
  })

  it.each([
    ['a revision for a Pin', { clusters: ['c0'] }, /must be set for a Pin, and must not be set for/],
    ['no revision for a Pause', { action: 'Pause', revision: '0123456789' }, /must be set for a Pin/],
    ['clusters for a Pin', { revision: '0123456789' }, /must be set for a Pin; to roll back all clusters/],
  ])('needs %s', async (_, spec, message) => {
    const story = await Story.begin(`pin ${_}`, ['c0'])
    await expect(hold(story, 'p', spec)).rejects.toThrow(message)
  })
})

describe('a cluster that joins before its stage opens', () => {
  const STAGES = [
    { name: 'canary', clusters: ['c0'], approval: 'Required' },
    { name: 'rest', clusterSelector: {} },
  ]
  const isCluster = async (story: Story, label: string | null): Promise<void> => {
    const body = { metadata: { labels: { [CLUSTER_LABEL]: label } } }
    must(
      await story.during(story.fleet.hub.patch(secretKind, { namespace: NAMESPACE, name: 'c9' }, body, USER)),
    )
  }

  /** A at r1, and at r2 on the canary; B needs A and is where A is. Then c9 comes. */
  async function joined(name: string, joining?: string): Promise<Story> {
    const rollout = {
      strategy: 'Staged',
      maxUnavailable: '100%',
      stages: STAGES,
      ...(joining ? { joining } : {}),
    }
    const story = await Story.begin(name, [...CLUSTERS, 'c9'])
    await isCluster(story, null)
    for (const n of [1, 2]) {
      await story.config(`a${n}`, configManifest('a', String(n)))
      await story.config(`b${n}`, configManifest('b', String(n)))
      for (const m of ['a', 'b'])
        await story.module(m, `${m}${n}`, {
          release: `r${n}`,
          rollout: n === 1 ? { strategy: 'Replace' } : rollout,
          ...(m === 'b' ? { dependsOn: ['a'] } : {}),
        })
      if (n === 1) expect(await story.until(() => story.isReady('a') && story.isReady('b'))).toBe(true)
    }
    expect(await story.until(() => at(story, 'c0', 'b') === '2')).toBe(true)
    await isCluster(story, 'true')
    await story.pass(60)
    return story
  }

  it('gets what was complete last, with what it depends on; then moves with its stage', async () => {
    const story = await joined('joining')
    expect([at(story, 'c9'), at(story, 'c9', 'b')]).toEqual(['1', '1'])
    expect(story.inventory('b', 'c9')?.spec.admitted).toMatchObject({ apart: 'Joined', release: 'r1' })
    for (const m of ['a', 'b']) {
      const revisionHash = story.see(m).status!.currentRevision!
      const body = {
        apiVersion: API_VERSION,
        kind: 'Approval',
        metadata: { name: m, namespace: NAMESPACE },
        spec: {
          targetRef: { kind: 'Module' as const, name: m },
          stage: 'canary',
          point: 'After' as const,
          revisionHash,
          approvedBy: 'ann',
        },
      }
      must(await story.during(story.fleet.hub.create(approvalKind, body, USER)))
    }
    expect(await story.until(() => story.isReady('a') && story.isReady('b'), 300)).toBe(true)
    expect([at(story, 'c9'), at(story, 'c9', 'b')]).toEqual(['2', '2'])
    expect(story.inventory('b', 'c9')?.spec.admitted?.apart).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('joining: Target: waits for its stage', async () => {
    const story = await joined('joining target', 'Target')
    expect([at(story, 'c9'), at(story, 'c9', 'b')]).toEqual([undefined, undefined])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
