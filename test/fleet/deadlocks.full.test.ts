/** Deadlocks of every kind that a user can make, each way out of them, and waits that are none. */
import { describe, expect, it } from 'vitest'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { budget } from './budgets.ts'
import { bothReady, bothStuck, conditions, pairOfDeadlock, put, sourcesOfDeadlock } from './deadlockstory.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, type EdgeOptions, type ModuleOptions, type Story } from './steps.ts'

const revision = (story: Story, name: string): string => story.see(name).status!.currentRevision!

describe('dependencies in a ring', () => {
  /** `a` needed `b`, then `b` needs `a`; an undo of `a` brings the first dependency back. */
  async function undone(name: string): Promise<{ story: Story; from: string; to: string }> {
    const story = await sourcesOfDeadlock(name, ['c1'])
    await put(story, 'b')
    await put(story, 'a', { dependsOn: ['b'] })
    await bothReady(story)
    const to = revision(story, 'a')
    await put(story, 'a')
    await put(story, 'b', { dependsOn: ['a'] })
    await bothReady(story)
    const from = revision(story, 'a')
    await put(story, 'a', { rollout: { undo: { from, to } } })
    const text = await bothStuck(story)
    expect(text).toBe(
      'Deadlock: b@c1 → a@c1 → b@c1: b waits for a (DependencyNotStarted), a for b (DependencyNotReady); remove a from spec.dependsOn of b, or remove spec.rollout.undo from a',
    )
    return { story, from, to }
  }

  it('by an undo: ends without the dependency', async () => {
    const { story } = await undone('ring undo without')
    await put(story, 'b')
    expect(await story.until(() => story.isReady('b'), 60)).toBe(true)
    expect(story.see('a').status?.clusters).toMatchObject({ ready: 1, total: 1 })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('by an undo: ends without the undo', async () => {
    const { story } = await undone('ring undo ends')
    await put(story, 'a')
    await bothReady(story, 60)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('that an undo has closed before refuse the second dependency', async () => {
    const story = await sourcesOfDeadlock('ring refused', ['c1'])
    await put(story, 'b')
    await put(story, 'a', { dependsOn: ['b'] })
    await bothReady(story)
    const to = revision(story, 'a')
    await put(story, 'a')
    await bothReady(story)
    await put(story, 'a', { rollout: { undo: { from: revision(story, 'a'), to } } })
    await story.pass(10)
    await put(story, 'b', { dependsOn: ['a'] })
    await story.pass(70)
    expect(story.blockers('b')[0]).toMatch(/^CycleDetected: spec\.dependsOn: b → a → b/)
    expect(conditions(story, 'a')).not.toContain('Deadlock')
    await put(story, 'b')
    expect(await story.until(() => story.isReady('b'), 60)).toBe(true)
  })
})

describe('a removal and the next release of a dependent', () => {
  const ways: readonly (readonly [string, readonly EdgeOptions[]])[] = [
    ['without the dependency', []],
    ['with an optional one', [{ on: 'a', optional: true }]],
  ]
  it.each(ways)('of a deleted Module: ends %s', async (name, dependsOn) => {
    const story = await pairOfDeadlock(`deleted ${name}`)
    await story.deleteModule('a')
    await put(story, 'b', { release: 'r2', dependsOn: ['a'] })
    expect(await bothStuck(story)).toBe(
      'Deadlock: b → a → b: b waits for a (DependencyDeleting), a for b (DependentsRemain) on 2 clusters (c1, c2); remove a from spec.dependsOn of b, or set optional: true on the dependency a of b',
    )
    await put(story, 'b', { release: 'r2', dependsOn })
    const isGone = () => story.live('c1', 'configmaps', 'a') === undefined
    expect(await story.until(() => story.isReady('b', 'r2') && isGone(), 60)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('one place of a DisruptionBudget', () => {
  /** `b` on c1 needs `a` on c2, and keeps the place until `a` is deployed at its next revision, which needs the place. */
  async function placed(name: string, rollout: ModuleOptions['rollout'] = {}) {
    const story = await sourcesOfDeadlock(name, ['c1', 'c2'])
    const b: ModuleOptions = {
      targets: { clusters: ['c1'] },
      dependsOn: [{ on: 'a', cluster: 'c2' }],
      rollout,
    }
    const a: ModuleOptions = { targets: { clusters: ['c2'] } }
    await put(story, 'a', a)
    await put(story, 'b', b)
    await bothReady(story)
    await budget(story, 'all', { maxUnavailable: 1 })
    const { world } = story.fleet.clusters.get('c1')!
    const failure = { image: 'b:2', outcome: 'CrashLoop' } as const
    world.fail(failure)
    await put(story, 'b', b, 'b-2')
    await story.pass(20)
    await put(story, 'a', a, 'a-2')
    await story.pass(5)
    world.heal(failure)
    return { story, b }
  }
  const RING =
    'Deadlock: b@c1 → a@c2 → b@c1: b waits for a@c2 (DependencyNotStarted), a@c2 for b (DisruptionBudget)'

  it('ends with a larger budget', async () => {
    const { story } = await placed('place raised')
    expect(await bothStuck(story)).toBe(
      `${RING}; remove a from spec.dependsOn of b, or raise DisruptionBudget all`,
    )
    await budget(story, 'all', { maxUnavailable: 2 })
    await bothReady(story, 60)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('ends without the dependency', async () => {
    const { story, b } = await placed('place without')
    await bothStuck(story)
    await put(story, 'b', { ...b, dependsOn: [] }, 'b-2')
    await bothReady(story, 60)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('supersede: Wait: only the budget is named, since the next revision of the dependent would wait', async () => {
    const { story, b } = await placed('place waits', { supersede: 'Wait' })
    expect(await bothStuck(story)).toBe(`${RING}; raise DisruptionBudget all`)
    await put(story, 'b', { ...b, dependsOn: [] }, 'b-2')
    await story.pass(70)
    expect(conditions(story, 'b')).toBe('FFT Deadlock')
    expect(story.blockers('b').join()).toContain('RolloutInProgress')
    await budget(story, 'all', { maxUnavailable: 2 })
    await bothReady(story, 120)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('survives a restart of the controller without a gap', async () => {
    const { story } = await placed('place restarts')
    await bothStuck(story)
    const from = story.fleet.commits.length
    await story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(60)
    const reports = story.fleet.commits.slice(from).filter((c) => c.resource === 'modules.lockstep.dev')
    const lost = reports.filter(
      (c) => !JSON.stringify((c.next as { status?: unknown }).status).includes('Deadlock'),
    )
    expect(lost).toEqual([])
    expect(await bothStuck(story)).toContain(RING)
  })
})

describe('objects that two Modules hold for each other', () => {
  it.each(['a', 'b'] as const)('ends once %s lists the other one', async (taker) => {
    const story = await sourcesOfDeadlock(`held ${taker}`, ['c1'])
    await story.config('ab', `${configManifest('a', '1')}---\n${configManifest('b', '1')}`)
    await put(story, 'a')
    await put(story, 'b')
    await bothReady(story)
    await put(story, 'a', {}, 'ab')
    await put(story, 'b', {}, 'ab')
    expect(await bothStuck(story)).toBe(
      'Deadlock: b@c1 → a@c1 → b@c1: b waits for a (OwnedByAnother), a for b (OwnedByAnother); list b in spec.apply.takeOverFrom of a, or list a in spec.apply.takeOverFrom of b',
    )
    const giver = taker === 'a' ? 'b' : 'a'
    await put(story, taker, { apply: { takeOverFrom: [{ kind: 'Module', name: giver }] } }, 'ab')
    await story.pass(60)
    for (const m of ['a', 'b']) expect(conditions(story, m)).not.toContain('Deadlock')
    expect(conditions(story, taker)).toBe('TFF Complete')
  })
})

describe('waits that are none', () => {
  it('a Hold, a pin, another release and a deployment that takes its time', async () => {
    const story = await pairOfDeadlock('no deadlock')
    const hold = (name: string, spec: object) => ({
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Hold',
      metadata: { name, namespace: NAMESPACE },
      spec: { targetRef: { kind: 'Module', name: 'a' }, reason: 'test', ...spec },
    })
    must(
      await story.during(
        story.fleet.hub.apply(holdKind, hold('stop', { action: 'Pause' }) as never, { ...USER, force: true }),
      ),
    )
    await put(story, 'a', { release: 'r2' })
    await put(story, 'b', { release: 'r2', dependsOn: ['a'] })
    await story.pass(90)
    for (const m of ['a', 'b']) expect(conditions(story, m)).not.toContain('Deadlock')
    must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'stop' }, USER)))
    await bothReady(story)
    await put(story, 'b', { release: 'r3', dependsOn: ['a'] })
    await story.pass(90)
    expect(conditions(story, 'b')).toBe('FTF ReleaseMismatch')
    for (const { world } of story.fleet.clusters.values()) world.fail({ image: 'a:2', outcome: 'CrashLoop' })
    await put(story, 'a', { release: 'r3' }, 'a-2')
    await story.pass(90)
    for (const m of ['a', 'b']) expect(conditions(story, m)).not.toContain('Deadlock')
  })
})
