/** Edges to objects, and to units on other clusters. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { HeldWatches } from './heldwatches.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody', precondition: 'any', force: true } as const

/** Somebody else writes an object on a cluster. */
async function put(story: Story, cluster: string, value: string): Promise<void> {
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'storage', namespace: 'default' },
    data: { value },
  }
  must(await story.during(story.fleet.clusters.get(cluster)!.client.apply(configMapKind, map, USER)))
}

const STORAGE = { apiVersion: 'v1', kind: 'ConfigMap', name: 'storage', namespace: 'default' }
const IS_FAST = "object.data.value == 'fast'"

const HUNDRED = JSON.stringify([...Array(100).keys()])

describe('an edge to an object', () => {
  it('waits until it exists, then until it is as the expression wants it, by events alone', async () => {
    const story = await Story.begin('object', ['edge'])
    await story.config('b-1', configManifest('b', '1'))
    await story.module('b', 'b-1', { dependsOn: [{ id: 'fast', object: STORAGE, readyExpr: IS_FAST }] })
    await story.pass(5)
    expect(story.blockers('b')).toEqual([
      'DependencyMissing: waiting for ConfigMap default/storage on edge: not found',
    ])
    await put(story, 'edge', 'slow')
    expect(
      await story.until(() => story.blockers('b')[0]?.startsWith('DependencyNotReady') === true, 5),
    ).toBe(true)
    expect(story.blockers('b')).toEqual([
      `DependencyNotReady: waiting for ConfigMap default/storage on edge: ${IS_FAST} is false`,
    ])
    expect(story.live('edge', 'configmaps', 'b')).toBeUndefined()
    await put(story, 'edge', 'fast')
    expect(await story.until(() => story.isReady('b'), 5)).toBe(true)
    const [evidence] = story.inventory('b', 'edge')!.spec.admitted!.evidence!
    const { uid, resourceVersion } = story.live('edge', 'configmaps', 'storage')!.metadata
    expect(evidence).toEqual({ edge: 'fast', uid, resourceVersion })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is asked again only for the next revision: what is delivered stays and is repaired', async () => {
    const story = await Story.begin('object2', ['edge'])
    await story.config('b-1', configManifest('b', '1'))
    await story.config('b-2', configManifest('b', '2'))
    const dependsOn = [{ id: 'fast', object: STORAGE, readyExpr: IS_FAST }]
    await put(story, 'edge', 'fast')
    await story.module('b', 'b-1', { dependsOn })
    expect(await story.until(() => story.isReady('b'))).toBe(true)
    await put(story, 'edge', 'slow')
    await story.pass(5)
    expect(story.isReady('b')).toBe(true)
    await story.module('b', 'b-2', { dependsOn })
    await story.pass(5)
    expect(story.blockers('b')[0]).toMatch(
      /^DependencyNotReady: waiting for ConfigMap default\/storage on edge: .* is false$/,
    )
    expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: '1' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it.each([
    ['a kind that nobody serves', { apiVersion: 'x.y/v1', kind: 'Z', name: 'n' }, 'no API serves x.y/v1 Z'],
    ['a namespace forgotten', { apiVersion: 'v1', kind: 'ConfigMap', name: 'n' }, 'set object.namespace'],
    [
      'a namespace too much',
      { apiVersion: 'v1', kind: 'Namespace', name: 'default', namespace: 'default' },
      'remove object.namespace',
    ],
  ])('%s is said', async (_, object, text) => {
    const story = await Story.begin('object3', ['edge'])
    await story.config('b-1', configManifest('b', '1'))
    await story.module('b', 'b-1', { dependsOn: [{ id: 'o', object: object as Record<string, string> }] })
    await story.pass(5)
    expect(story.blockers('b')[0]).toMatch(/^DependencyMissing: waiting for .* on edge: not found \(/)
    expect(story.blockers('b')[0]).toContain(text)
  })

  it.each([
    [
      "object.data.value == 'fast' &&",
      /^InvalidExpression: spec\.dependsOn\[0\]\.readyExpr: 1:\d+: Syntax error/,
    ],
    ["'fast'", /^InvalidExpression: spec\.dependsOn\[0\]\.readyExpr: must give a bool, not string$/],
    ['self.x', /readyExpr: 1:1: undeclared reference to 'self'/],
  ])('%s is refused; a neighbour goes on', async (readyExpr, says) => {
    const story = await Story.begin('object4', ['edge'])
    await story.config('b-1', configManifest('b', '1'))
    await story.config('c-1', configManifest('c', '1'))
    await story.module('b', 'b-1', { dependsOn: [{ id: 'o', object: STORAGE, readyExpr }] })
    await story.module('c', 'c-1')
    expect(await story.until(() => story.isReady('c'))).toBe(true)
    expect(story.blockers('b')[0]).toMatch(says)
  })

  it.each([
    ['object.data.nothing', /no such key: nothing$/],
    [
      `${HUNDRED}.all(a, ${HUNDRED}.all(b, ${HUNDRED}.all(c, a + b + c >= 0)))`,
      /readyExpr of dependency "o" costs more than 1000000 units; it was stopped$/,
    ],
  ])('an expression that fails when it runs keeps the edge closed', async (readyExpr, says) => {
    const story = await Story.begin('object5', ['edge'])
    await put(story, 'edge', 'fast')
    await story.config('b-1', configManifest('b', '1'))
    await story.module('b', 'b-1', { dependsOn: [{ id: 'o', object: STORAGE, readyExpr }] })
    await story.pass(5)
    expect(story.blockers('b')[0]).toMatch(
      /^DependencyNotReady: waiting for ConfigMap default\/storage on edge: /,
    )
    expect(story.blockers('b')[0]).toMatch(says)
  })
})

describe('an edge to a unit on another cluster', () => {
  /** `a` on the cluster mgmt, `b` on edge, which needs it there. */
  async function across(name: string): Promise<Story> {
    const story = await Story.begin(name, ['edge', 'mgmt'])
    await story.config('a-1', configManifest('a', '1'))
    await story.config('a-2', configManifest('a', '2'))
    await story.config('b-1', configManifest('b', '1'))
    await story.config('b-2', configManifest('b', '2'))
    await story.module('b', 'b-1', far('r1'))
    await story.pass(5)
    expect(story.blockers('b')).toEqual(['DependencyMissing: waiting for Module platform/a: not found'])
    await story.module('a', 'a-1', { release: 'r1', targets: { clusters: ['mgmt'] } })
    expect(await story.until(() => story.isReady('b', 'r1'))).toBe(true)
    return story
  }
  const far = (release: string) => ({
    release,
    targets: { clusters: ['edge'] },
    dependsOn: [{ on: 'a', cluster: 'mgmt' }],
  })

  it('moves after it, at the same release', async () => {
    const story = await across('across')
    await story.module('b', 'b-2', far('r2'))
    await story.pass(5)
    expect(story.blockers('b')).toEqual(['ReleaseMismatch: dependency a is at release r1, b requires r2'])
    await story.module('a', 'a-2', { release: 'r2', targets: { clusters: ['mgmt'] } })
    expect(await story.until(() => story.isReady('b', 'r2'))).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('it leaves after its dependants, wherever they are', async () => {
    const story = await across('across2')
    await story.deleteModule('a')
    await story.pass(10)
    expect(story.blockers('a')).toContainEqual(
      'DependentsRemain: waiting for dependent b on edge to be removed: it depends on a; delete it or the dependency',
    )
    await story.deleteModule('b')
    expect(await story.until(() => story.inventories.length === 0)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a module of the hub counts for every cluster', async () => {
    const story = await Story.begin('hub', ['edge', 'mgmt'])
    await story.config('a-1', configManifest('a', '1'))
    await story.config('b-1', configManifest('b', '1'))
    await story.module('b', 'b-1', { dependsOn: ['a'] })
    await story.module('a', 'a-1', { targets: { hub: true } })
    expect(await story.until(() => story.isReady('b'))).toBe(true)
    const uid = story.inventory('a', 'hub')!.metadata.uid
    for (const cluster of ['edge', 'mgmt'])
      expect(story.inventory('b', cluster)!.spec.admitted!.evidence).toMatchObject([{ edge: 'a', uid }])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('cycles over clusters are named with them; the old revision stays', async () => {
    const story = await across('across3')
    await story.module('a', 'a-2', {
      release: 'r2',
      targets: { clusters: ['mgmt'] },
      dependsOn: [{ on: 'b', cluster: 'edge' }],
    })
    await story.pass(5)
    expect(story.blockers('a')).toEqual([
      'CycleDetected: spec.dependsOn: a@mgmt → b@edge → a@mgmt; remove one of these dependencies',
    ])
    expect(story.live('mgmt', 'configmaps', 'a')?.data).toEqual({ value: '1' })
  })

  it('silent for a minute: one live read that answers is enough', async () => {
    const { story, reads } = await silent('quiet')
    await story.module('b', 'b-2', far('r1'))
    expect(
      await story.until(
        () => JSON.stringify(story.live('edge', 'configmaps', 'b')?.data) === '{"value":"2"}',
        10,
      ),
    ).toBe(true)
    // That one; and who the hub is, for the first stamp of this process.
    expect(reads()).toBe(2)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('silent, and the live read fails: the edge is stale, until a later read', async () => {
    const { story, watches } = await silent('stale')
    const { net } = story.fleet.env
    const refuse = async () => ({ phase: 'connect', detail: 'no route to host' }) as const
    net.wire('https://mgmt.test', { before: refuse })
    await story.module('b', 'b-2', far('r1'))
    const isStale = () => story.blockers('b')[0]?.startsWith('DependencyStale') === true
    expect(await story.until(isStale, 10)).toBe(true)
    expect(story.blockers('b')[0]).toMatch(
      /^DependencyStale: waiting for dependency a on mgmt: no answer since 2026-01-01T00:\d\d:\d\dZ \(limit 60s\); last known: ready at r1$/,
    )
    await story.pass(60)
    expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: '1' })
    net.wire('https://mgmt.test', undefined)
    watches.hold()
    // The next try: 30 s and a fifth, and what is delivered then.
    expect(await story.until(() => story.isReady('b') && !isStale(), 37)).toBe(true)
    expect(story.live('edge', 'configmaps', 'b')?.data).toEqual({ value: '2' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  /** Both delivered, and no cluster has said a word for a minute. */
  async function silent(name: string) {
    const story = await across(name)
    story.manager.stop()
    const watches = new HeldWatches()
    story.manager = watches.startController(story.fleet)
    await story.pass(10)
    watches.hold('namespaces', 'configmaps')
    await story.pass(61)
    const from = watches.requests.length
    const reads = () =>
      watches.requests.slice(from).filter((r) => r === 'GET /api/v1/namespaces/kube-system').length
    return { story, watches, reads }
  }
})
