import { describe, expect, it } from 'vitest'
import { deploymentKind } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { at, jsonEqual } from '../../packages/kube/src/object/index.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { chain as chainStart } from './starts/chain.ts'
import { forked } from './starts/start.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

/** A (a Deployment), B on A, C on B, all at release r1 and delivered. */
const chain = (name: string): Promise<Story> => forked(chainStart, name)

describe('a release moves in order, whatever the order of writes', () => {
  it('B at r2 waits for A to be published at r2, and is repaired at r1 meanwhile', async () => {
    const story = await chain('G1')
    await story.config('b-2', configManifest('b', '2'))
    await story.module('b', 'b-2', { release: 'r2', dependsOn: ['a'] })
    await story.pass(5)
    expect(story.blockers('b')).toEqual(['ReleaseMismatch: dependency a is at release r1, b requires r2'])
    expect(story.inventory('b', 'edge')?.spec.admitted?.release).toBe('r1')

    const edge = story.fleet.clusters.get('edge')!.client
    const user = { purpose: 'user', manager: 'kubectl-edit', precondition: 'any' } as const
    must(
      await story.during(
        edge.patch(configMapKind, { namespace: 'default', name: 'b' }, { data: { value: 'edited' } }, user),
      ),
    )
    await story.pass(5)
    expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: '1' })

    await story.config('a-2', deploymentManifest('a', 'a:2'))
    await story.module('a', 'a-2', { release: 'r2' })
    await story.config('c-2', configManifest('c', '1'))
    await story.module('c', 'c-2', { release: 'r2', dependsOn: ['b'] })
    expect(await story.until(() => ['a', 'b', 'c'].every((m) => story.isReady(m, 'r2')))).toBe(true)
    expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: '2' })
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('gates are driven by events, not by timers', () => {
  it('a chain of ten spends less than ten seconds in gates', async () => {
    const story = await Story.begin('G2', ['edge'])
    const names = Array.from({ length: 10 }, (_, i) => `m${i}`)
    for (const [i, name] of names.entries()) {
      await story.config(name, configManifest(name, '1'))
      await story.module(name, name, i === 0 ? {} : { dependsOn: [names[i - 1]!] })
    }
    const from = story.fleet.env.clock.steady()
    expect(await story.until(() => names.every((n) => story.isReady(n)))).toBe(true)
    expect(story.fleet.env.clock.steady() - from).toBeLessThan(10_000)
  })

  it('B waits while the Deployment of A has not been observed', async () => {
    const story = await chain('G2b')
    story.fleet.clusters.get('edge')!.world.stop()
    await story.config('a-2', deploymentManifest('a', 'a:2'))
    await story.module('a', 'a-2', { release: 'r2' })
    await story.module('b', 'b-1', { release: 'r2', dependsOn: ['a'] })
    await story.pass(20)
    expect(story.blockers('b')[0]).toBe(
      'DependencyNotReady: waiting for dependency a@r2 on edge: deploying: Deployment default/a: its controller has seen generation 1 of 2',
    )
  })
})

describe('inputs are frozen below a release', () => {
  it('a ConfigMap that changes under the same release changes nothing, until the release does', async () => {
    const story = await chain('G4')
    const before = story.see('b').status?.currentRevision
    await story.config('b-1', configManifest('b', 'other'))
    await story.pass(10)
    expect(story.see('b').status?.currentRevision).toBe(before)
    await story.module('a', 'a-1', { release: 'r2' })
    await story.module('b', 'b-1', { release: 'r2', dependsOn: ['a'] })
    expect(await story.until(() => story.isReady('b', 'r2'))).toBe(true)
    expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: 'other' })
  })
})

describe('what others rely on leaves last', () => {
  it("A is deleted: its objects stay until B's inventory there is gone", async () => {
    const story = await chain('G6')
    await story.deleteModule('a')
    await story.pass(10)
    expect(story.live('edge', 'deployments.apps', 'a')).toBeDefined()
    expect(story.blockers('a')).toContainEqual(
      'DependentsRemain: waiting for dependent b on edge to be removed: it depends on a; delete it or the dependency',
    )
    await story.deleteModule('b')
    await story.deleteModule('c')
    expect(await story.until(() => story.inventories.length === 0)).toBe(true)
    expect(story.live('edge', 'deployments.apps', 'a')).toBeUndefined()
    expect(story.fleet.oracles.verdicts().find((v) => v.id === 'I8')).toMatchObject({ violations: [] })
  })

  it('a cluster that vanishes from the inventory loses nothing', async () => {
    const story = await chain('G6b')
    const from = story.fleet.commits.length
    must(
      await story.during(
        story.fleet.hub.delete(
          secretKind,
          { namespace: NAMESPACE, name: 'edge' },
          { purpose: 'user', manager: 'user', precondition: 'any' },
        ),
      ),
    )
    await story.pass(60)
    expect(story.writes('edge', from)).toEqual([])
    expect(story.inventories).toHaveLength(3)
  })
})

describe('verification is chained', () => {
  it('A changes, B and C are equal: both are verified again in order, and write nothing', async () => {
    const story = await chain('G7')
    const from = story.fleet.commits.length
    await story.config('a-2', deploymentManifest('a', 'a:2'))
    await story.module('a', 'a-2', { release: 'r1' })
    expect(
      await story.until(() =>
        story
          .blockers('c')
          .some((b) => b.startsWith('DependencyNotReady') && b.includes('not verified since')),
      ),
    ).toBe(true)
    expect(await story.until(() => ['a', 'b', 'c'].every((m) => story.isReady(m)))).toBe(true)
    expect(story.writes('edge', from).filter((w) => w.includes('configmaps'))).toEqual([])
    expect(story.inventory('c', 'edge')?.spec.admitted?.serial).toBe(2)
    expect(story.inventory('c', 'edge')?.spec.admitted?.contentSerial).toBe(1)
  })
})

describe('A closes between what B read and what B writes', () => {
  const INVENTORY = `/apis/lockstep.dev/v1alpha1/namespaces/${NAMESPACE}/inventories/m.b.edge`
  const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const

  /** Something happens on the hub just before the admission of B is written, for the first time. */
  async function justBefore(name: string, happen: (story: Story) => Promise<unknown>): Promise<Story> {
    const story = await chain(name)
    await story.config('b-2', configManifest('b', '2'))
    let hasHappened = false
    story.fleet.env.net.wire('https://hub.test', {
      async before({ method, path }) {
        if (hasHappened || method !== 'PUT' || path.split('?')[0] !== INVENTORY) return undefined
        hasHappened = true
        await happen(story)
        return undefined
      },
    })
    await story.module('b', 'b-2', { release: 'r1', dependsOn: ['a'] })
    expect(await story.until(() => hasHappened)).toBe(true)
    return story
  }
  const close = (story: Story) =>
    story.fleet.hub.patch(
      inventoryKind,
      { namespace: NAMESPACE, name: 'm.a.edge' },
      { status: { health: 'Progressing' } },
      { ...USER, subresource: 'status' },
    )

  it('B had read after the base of its write: what it read proves that A was open then', async () => {
    const story = await justBefore('G9', close)
    expect(await story.until(() => story.inventory('b', 'edge')!.spec.admitted!.serial === 2)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('B changed meanwhile: the write is refused, and the next look finds A closed', async () => {
    const story = await justBefore('G9b', async (s) => {
      s.fleet.clusters.get('edge')!.world.fail({ image: 'a:1', outcome: 'ImagePull' })
      const key = { namespace: NAMESPACE, name: 'm.b.edge' }
      must(await s.fleet.hub.patch(inventoryKind, key, { metadata: { annotations: { note: 'x' } } }, USER))
      must(
        await s.fleet.clusters
          .get('edge')!
          .client.delete(deploymentKind, { namespace: 'default', name: 'a' }, USER),
      )
      must(await close(s))
    })
    await story.pass(10)
    expect(story.inventory('b', 'edge')!.spec.admitted!.serial).toBe(1)
    expect(story.blockers('b')[0]).toMatch(
      /^DependencyNotReady: waiting for dependency a@r1 on edge: deploying/,
    )
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('an edge whose releases cannot be compared', () => {
  it('is a condition of its module as long as it holds, and keeps nobody waiting', async () => {
    const story = await Story.begin('compared', ['edge'])
    await story.config('a-1', configManifest('a', '1'))
    await story.config('b-1', configManifest('b', '1'))
    await story.module('a', 'a-1')
    await story.module('b', 'b-1', { release: 'r1', dependsOn: ['a'] })
    expect(await story.until(() => story.isReady('b', 'r1'))).toBe(true)
    const warning = () => story.see('b').status?.conditions?.find((c) => c.type === 'ReleaseNotCompared')
    expect(warning()).toMatchObject({
      status: 'True',
      reason: 'ReleaseNotCompared',
      message:
        'a: a sets no release; b may start before the next revision of a is published; set spec.release on both',
    })
    expect(story.blockers('b')).toEqual([])
    await story.module('a', 'a-1', { release: 'r1' })
    expect(await story.until(() => warning() === undefined)).toBe(true)
    await story.module('b', 'b-1', { dependsOn: ['a'] })
    expect(await story.until(() => warning()?.message.startsWith('a: b sets no release') === true)).toBe(true)
    await story.module('b', 'b-1', { dependsOn: [{ on: 'a', release: 'Any' }] })
    expect(await story.until(() => warning() === undefined)).toBe(true)
  })
})

describe('weaker edges', () => {
  it('release: Any: A moves, B is not verified again', async () => {
    const story = await Story.begin('G8', ['edge'])
    await story.config('a-1', configManifest('a', '1'))
    await story.config('a-2', configManifest('a', '2'))
    await story.config('b-1', configManifest('b', '1'))
    await story.module('a', 'a-1', { release: 'r1' })
    await story.module('b', 'b-1', { release: 'x', dependsOn: [{ on: 'a', release: 'Any' }] })
    expect(await story.until(() => story.isReady('b'))).toBe(true)
    await story.module('a', 'a-2', { release: 'r2' })
    expect(await story.until(() => story.isReady('a', 'r2'))).toBe(true)
    await story.pass(5)
    expect(story.inventory('b', 'edge')?.spec.admitted?.serial).toBe(1)
  })

  it('optional: passes where the other does not select the cluster; not where it does', async () => {
    const story = await Story.begin('G8b', ['edge'])
    await story.config('a-1', configManifest('a', '1'))
    await story.config('b-1', configManifest('b', '1'))
    await story.module('a', 'a-1', { targets: { clusters: ['elsewhere'] } })
    await story.module('b', 'b-1', {
      dependsOn: [
        { on: 'a', optional: true },
        { on: 'nowhere', optional: true },
      ],
    })
    expect(await story.until(() => story.isReady('b'))).toBe(true)
    await story.config('c-1', configManifest('c', '1'))
    await story.module('c', 'c-1', { dependsOn: ['a', 'nowhere'] })
    await story.pass(5)
    expect(story.blockers('c').sort()).toEqual([
      'DependencyMissing: waiting for Module platform/nowhere: not found',
      'DependencyNotSelected: dependency a does not select edge; extend its targets, or set optional: true',
    ])
  })
})

describe('cycles', () => {
  it('are refused by name; what was delivered stays', async () => {
    const story = await chain('G13')
    await story.module('a', 'a-1', { release: 'r1', dependsOn: ['c'] })
    await story.pass(5)
    expect(story.blockers('a')).toEqual([
      'CycleDetected: spec.dependsOn: a → c → b → a; remove one of these dependencies',
    ])
    expect(story.see('a').status?.conditions?.find((c) => c.type === 'Stalled')?.status).toBe('True')
    expect(story.live('edge', 'deployments.apps', 'a')).toBeDefined()
    expect(story.isReady('b')).toBe(true)
  })
})

describe('a controller that dies around the swap', () => {
  const isSwap = ({ method, path, body }: { method: string; path: string; body?: unknown }): boolean =>
    method === 'PUT' &&
    path.split('?')[0]!.endsWith('/inventories/m.b.edge') &&
    at(JSON.parse(String(body)), 'spec', 'admitted', 'release') === 'r2'

  const releases = (story: Story): unknown[] =>
    story.fleet.commits.flatMap(({ key, old, next }) => {
      const of = (o: typeof next) =>
        (o as { spec?: { admitted?: { release?: string } } } | undefined)?.spec?.admitted?.release
      return key.endsWith('m.b.edge') && of(next) !== of(old) ? [of(next)] : []
    })

  /** A is at r2, and B is published at r2. */
  async function about(
    name: string,
    wire: Parameters<Story['fleet']['env']['net']['wire']>[1],
  ): Promise<Story> {
    const story = await chain(name)
    await story.config('b-2', configManifest('b', '2'))
    await story.module('a', 'a-1', { release: 'r2' })
    expect(await story.until(() => story.isReady('a', 'r2'))).toBe(true)
    story.fleet.env.net.wire('https://hub.test', wire)
    await story.module('b', 'b-2', { release: 'r2', dependsOn: ['a'] })
    return story
  }

  it.each(['before', 'after'] as const)('%s it: its successor delivers that admission once', async (when) => {
    let story: Story | undefined
    let isDead = false
    const die = (): void => {
      isDead = true
      story?.manager.stop()
    }
    const gone = { phase: 'receive', detail: 'killed' } as const
    story = await about(`G10 ${when}`, {
      async before(request) {
        if (isDead || when !== 'before' || !isSwap(request)) return undefined
        die()
        return gone
      },
      async after(request) {
        if (isDead || when !== 'after' || !isSwap(request)) return undefined
        die()
        return gone
      },
    })
    expect(await story.until(() => isDead, 20)).toBe(true)
    await story.pass(10)
    expect(releases(story)).toEqual(when === 'before' ? ['r1'] : ['r1', 'r2'])
    expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: '1' })
    story.manager = story.fleet.startController()
    expect(await story.until(() => story!.isReady('b', 'r2'))).toBe(true)
    expect(releases(story)).toEqual(['r1', 'r2'])
    expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: '2' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('and whose write comes after its successor has written: it is refused', async () => {
    const answers: number[] = []
    let free: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      free = resolve
    })
    let isHeld = false
    const story = await about('G10 deposed', {
      async before(request) {
        if (isHeld || !isSwap(request)) return undefined
        isHeld = true
        await held
        return undefined
      },
      async after(request, response) {
        if (isSwap(request)) answers.push(response.status)
        return undefined
      },
    })
    expect(await story.until(() => isHeld, 20)).toBe(true)
    const old = story.manager
    story.manager = story.fleet.startController()
    expect(
      await story.until(() => jsonEqual(story.live('edge', 'configmaps', 'b')?.data ?? {}, { value: '2' })),
    ).toBe(true)
    free()
    await story.pass(5)
    old.stop()
    expect(answers).toContain(409)
    expect(releases(story)).toEqual(['r1', 'r2'])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
