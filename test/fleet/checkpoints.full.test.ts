/** Modules without content: barriers that are verified again for each release. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { HeldWatches } from './heldwatches.ts'
import { must } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

describe('a checkpoint', () => {
  /** `b` needs the checkpoint `k`, which needs `a`. */
  async function checked(name: string): Promise<Story> {
    const story = await Story.begin(name, ['edge'], { delays: LIFELIKE })
    await story.config('a-1', deploymentManifest('a', 'a:1'))
    await story.config('a-2', deploymentManifest('a', 'a:2'))
    await story.config('b-1', configManifest('b', '1'))
    await story.module('a', 'a-1')
    await story.module('k', undefined, { dependsOn: ['a'] })
    await story.module('b', 'b-1', { dependsOn: ['k'] })
    expect(await story.until(() => ['a', 'k', 'b'].every((m) => story.isReady(m)))).toBe(true)
    return story
  }
  const serial = (story: Story, module: string) => story.inventory(module, 'edge')!.spec.admitted!.serial

  it('only A changes: K is verified again and B waits for it; no slot, no write to the cluster', async () => {
    const story = await checked('G5')
    const from = story.fleet.commits.length
    const slots = () => ['k', 'b'].flatMap((m) => story.see(m).status?.rollout?.ledger ?? [])
    let held = 0
    await story.module('a', 'a-2')
    const done = await story.until(() => {
      held = Math.max(held, slots().length)
      return serial(story, 'b') === 2 && ['a', 'k', 'b'].every((m) => story.isReady(m))
    })
    expect([done, held, serial(story, 'k')]).toEqual([true, 0, 2])
    expect(story.writes('edge', from).filter((w) => !w.endsWith('default/a'))).toEqual([])
    const admissions = story.fleet.commits
      .slice(from)
      .filter((c) => c.resource === 'inventories.lockstep.dev' && c.verb !== 'status')
      .map((c) => c.key.replace(/.*m\.(\w)\.edge/, '$1'))
    expect(admissions.indexOf('k')).toBeLessThan(admissions.indexOf('b'))
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('another attempt of A: all that needs it is verified again, in order, without a write to the cluster', async () => {
    const story = await checked('attempt')
    const from = story.fleet.commits.length
    await story.module('a', 'a-1', { attempt: 1 })
    expect(await story.until(() => ['a', 'k', 'b'].every((m) => serial(story, m) === 2))).toBe(true)
    expect(await story.until(() => ['a', 'k', 'b'].every((m) => story.isReady(m)))).toBe(true)
    expect(story.writes('edge', from)).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a checkpoint with expressions', () => {
  const MACHINES = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    labels: { role: 'machine' },
    current: "object.data.phase == 'Running'",
  }
  const USER = { purpose: 'user', manager: 'capi', precondition: 'any', force: true } as const
  const machine = async (story: Story, name: string, phase: string): Promise<void> => {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', labels: { role: 'machine' } },
      data: { phase },
    }
    must(await story.during(story.fleet.clusters.get('edge')!.client.apply(configMapKind, map, USER)))
  }
  const checkpoint = (story: Story, entry: object, health: object = {}) =>
    story.module('k', undefined, { health: { expressions: [{ ...MACHINES, ...entry }], ...health } })
  const message = (story: Story) => story.inventory('k', 'edge')?.status?.blockers?.[0]?.message

  it('waits for objects that others make, and lets through what needs it; nothing is waved through', async () => {
    const story = await Story.begin('machines', ['edge'])
    await checkpoint(story, { minCount: 2 })
    await story.config('b-1', configManifest('b', '1'))
    await story.module('b', 'b-1', { dependsOn: ['k'] })
    await story.pass(5)
    expect(message(story)).toBe('ConfigMap default/*: 0 of at least 2 ConfigMaps')
    await machine(story, 'one', 'Running')
    await machine(story, 'two', 'Pending')
    await story.pass(5)
    expect(message(story)).toBe(
      'ConfigMap default/*: ConfigMap two: spec.health.expressions[0].current is false',
    )
    expect(story.live('edge', 'configmaps', 'b')).toBeUndefined()
    await machine(story, 'two', 'Running')
    expect(await story.until(() => story.isReady('k') && story.isReady('b'), 10)).toBe(true)
    await machine(story, 'one', 'Failed')
    expect(await story.until(() => !story.isReady('k'), 10)).toBe(true)
    expect(story.live('edge', 'configmaps', 'b')).toBeDefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('has to stay ready for settleSeconds, and fails when it is not ready in time', async () => {
    const story = await Story.begin('settles', ['edge'])
    await checkpoint(story, { settleSeconds: 20 }, { timeoutSeconds: 30 })
    await story.pass(40)
    expect(story.inventory('k', 'edge')?.status?.health).toBe('Failed')
    expect(message(story)).toBe('ConfigMap default/* is not healthy after 30s: 0 of at least 1 ConfigMaps')
    await machine(story, 'one', 'Running')
    await story.pass(10)
    expect(message(story)).toMatch(/ready, waiting \d+s more/)
    await machine(story, 'one', 'Pending')
    await story.pass(2)
    await machine(story, 'one', 'Running')
    const isReady = () => story.inventory('k', 'edge')?.status?.state === 'Ready'
    await story.pass(15)
    expect(isReady()).toBe(false)
    expect(await story.until(isReady, 10)).toBe(true)
  })

  it('another attempt looks again, live, and writes nothing to the cluster', async () => {
    const story = await Story.begin('again', ['edge'])
    await machine(story, 'one', 'Running')
    await checkpoint(story, {})
    expect(await story.until(() => story.isReady('k'))).toBe(true)
    const watches = new HeldWatches()
    story.manager.stop()
    story.manager = watches.startController(story.fleet)
    await story.pass(10)
    watches.hold('configmaps')
    await machine(story, 'one', 'Failed')
    const from = watches.requests.length
    await story.module('k', undefined, { attempt: 1, health: { expressions: [MACHINES] } })
    await story.pass(10)
    expect(story.isReady('k')).toBe(false)
    expect(watches.requests.slice(from)).toContain('GET /api/v1/namespaces/default/configmaps')
    expect(message(story)).toBe(
      'ConfigMap default/*: ConfigMap one: spec.health.expressions[0].current is false',
    )
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('an entry without a kind selects nothing: it is refused', async () => {
    const story = await Story.begin('kindless', ['edge'])
    await story.module('k', undefined, {
      health: { expressions: [{ apiVersion: 'v1', current: 'true' }] },
    })
    await story.pass(5)
    expect(story.blockers('k')).toEqual([
      'InvalidSpec: spec.health.expressions[0].kind: a checkpoint selects objects of one kind',
    ])
  })
})
