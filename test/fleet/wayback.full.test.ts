/** Rollouts that lead back: by themselves, by a person, with what they depend on; and what waits for another to end. */
import { describe, expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { type JsonValue, short10 } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import {
  CLI_MANAGER,
  OUTCOME_ANNOTATION,
  OUTCOME_CLUSTERS_ANNOTATION,
  RETRY_ANNOTATION,
} from '../../packages/lockstep/src/api/labels.ts'
import { LIFELIKE, type WorkloadFailure } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { CLUSTERS, eightWith, OPTIONS, ROLLOUT } from './starts/eight.ts'
import { forked } from './starts/start.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const publish = (
  story: Story,
  n: number,
  rollout: Readonly<Record<string, unknown>> = ROLLOUT,
): Promise<void> => story.module('web', `v${n}`, { ...OPTIONS, rollout })

/** All eight at 1, of four contents. */
const begun = (name: string, rollout: Readonly<Record<string, unknown>> = ROLLOUT): Promise<Story> =>
  forked(eightWith(rollout), name)

/** From now on an image cannot be pulled there; the answer mends that. */
function breaks(story: Story, image: string, clusters: readonly string[] = CLUSTERS): () => void {
  const worlds = clusters.map((c) => story.fleet.clusters.get(c)!.world)
  const failure: WorkloadFailure = { image, outcome: 'ImagePull' }
  for (const w of worlds) w.fail(failure)
  return () => {
    for (const w of worlds) w.heal(failure)
  }
}

const imageAt = (story: Story, cluster: string): unknown => {
  const spec = story.live(cluster, 'deployments.apps', 'web')?.spec as
    | { template: { spec: { containers: { image: string }[] } } }
    | undefined
  return spec?.template.spec.containers[0]?.image
}
const at = (story: Story, image: string): string[] => CLUSTERS.filter((c) => imageAt(story, c) === image)
const rolloutOf = (story: Story) => story.see('web').status!.rollout!
const phase = (story: Story): string | undefined => story.see('web').status?.rollout?.phase

/** `outcome clusters` of all revisions, in the order in which they were published. */
const history = (story: Story): string[] =>
  [...story.manager.hub.revisions.store.by('module', `Module/${NAMESPACE}/web`)]
    .sort((a, b) => a.number - b.number)
    .map(({ stored: { annotations } }) =>
      [annotations?.[OUTCOME_ANNOTATION], annotations?.[OUTCOME_CLUSTERS_ANNOTATION]].join(' '),
    )

const patch = async (story: Story, body: JsonValue, manager: string = USER.manager): Promise<void> => {
  const key = { namespace: NAMESPACE, name: 'web' }
  must(
    await story.during(
      story.fleet.hub.patch(moduleKind, key, body, { ...USER, manager, precondition: 'any' }),
    ),
  )
}

describe('onFailure: Rollback', () => {
  it('the canary fails: it goes back by itself, the others never see it, and it is not tried again', async () => {
    const story = await begun('rollback')
    const good = rolloutOf(story).revision!
    breaks(story, 'web:2')
    await publish(story, 2)
    expect(await story.until(() => phase(story) === 'RolledBack', 600)).toBe(true)
    expect(at(story, 'web:1')).toEqual(CLUSTERS)
    const bad = story.see('web').status!.currentRevision!
    expect(rolloutOf(story)).toMatchObject({ revision: good, cause: 'Rollback', refused: bad })
    expect(story.blockers('web')[0]).toMatch(
      /^RolledBack: [0-9a-f]{10} failed on 1 of 8 clusters \(c[01]\): .*; rolled back to [0-9a-f]{10} on 8 of 8 clusters$/,
    )
    const conditions = story.see('web').status!.conditions!
    expect(conditions.find((c) => c.type === 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'RolledBack',
    })
    const from = story.fleet.commits.length
    await story.pass(600)
    expect(CLUSTERS.flatMap((c) => story.writes(c, from))).toEqual([])
    expect(history(story)).toEqual(['Complete 8/8', 'RolledBack 2/8'])
    await publish(story, 3)
    await story.pass(3)
    expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
    expect([at(story, 'web:3'), rolloutOf(story).refused]).toEqual([CLUSTERS, undefined])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('past the canaries: all that have it go back, no more than two down at once', async () => {
    const story = await begun('rollback late')
    breaks(story, 'web:2', ['c5'])
    await publish(story, 2)
    expect(await story.until(() => phase(story) === 'RollingBack', 600)).toBe(true)
    expect(await story.until(() => phase(story) === 'RolledBack', 600)).toBe(true)
    expect(at(story, 'web:1')).toEqual(CLUSTERS)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a retry tries it again', async () => {
    const story = await begun('rollback retry')
    const mend = breaks(story, 'web:2')
    await publish(story, 2)
    expect(await story.until(() => phase(story) === 'RolledBack', 600)).toBe(true)
    mend()
    await patch(story, { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } })
    expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
    expect(at(story, 'web:2')).toEqual(CLUSTERS)
    expect(history(story)).toEqual(['Complete 8/8', 'Complete 8/8'])
  })

  it('with nothing to go back to it halts, and says so', async () => {
    const story = await Story.begin('rollback first', CLUSTERS, { delays: LIFELIKE })
    await story.config('v1', deploymentManifest('web', 'web:1'))
    breaks(story, 'web:1')
    await publish(story, 1)
    expect(await story.until(() => phase(story) === 'Halted', 600)).toBe(true)
    expect(story.blockers('web')[0]).toMatch(
      /^NothingToRollBackTo: revision [0-9a-f]{10} failed, and no other revision was complete before; the rollout is halted$/,
    )
  })

  it('with the content of what was complete gone it halts, and writes nothing', async () => {
    const story = await begun('rollback to nothing')
    const name = `lockstep-bundle-${short10(story.see('web').status!.bundle!)}-0`
    breaks(story, 'web:2')
    await publish(story, 2)
    expect(await story.until(() => at(story, 'web:2').length > 0, 600)).toBe(true)
    must(await story.during(story.fleet.hub.delete(secretKind, { namespace: NAMESPACE, name }, USER)))
    expect(await story.until(() => phase(story) === 'Halted', 600)).toBe(true)
    const from = story.fleet.commits.length
    await story.pass(600)
    expect(story.blockers('web')[0]).toMatch(/^NothingToRollBackTo: /)
    expect(CLUSTERS.flatMap((c) => story.writes(c, from))).toEqual([])
  })

  it('what cannot go back either is told, and nothing turns round again', async () => {
    const whole = { strategy: 'Replace', onFailure: 'Rollback' }
    const story = await begun('rollback fails', whole)
    breaks(story, 'web:2')
    await publish(story, 2, whole)
    expect(await story.until(() => at(story, 'web:2').length === 8, 600)).toBe(true)
    breaks(story, 'web:1', ['c0', 'c1'])
    expect(await story.until(() => phase(story) === 'RolledBack', 900)).toBe(true)
    expect(story.blockers('web').find((b) => b.startsWith('RollbackFailed'))).toMatch(
      /^RollbackFailed: rollback failed on 2 clusters \((c0 and c1|c1 and c0)\): /,
    )
    await story.pass(300)
    expect([phase(story), at(story, 'web:2')]).toEqual(['RolledBack', []])
  })
})

describe('undo', () => {
  it('holds against what is published, until another revision is', async () => {
    const story = await begun('undo')
    const first = rolloutOf(story).revision!
    await publish(story, 2)
    await story.pass(3)
    expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
    const undo = { from: short10(rolloutOf(story).revision!), to: short10(first), reason: 'slow' }
    await publish(story, 2, { ...ROLLOUT, undo })
    expect(await story.until(() => story.isReady('web') && rolloutOf(story).cause === 'Undo', 600)).toBe(true)
    expect(at(story, 'web:1')).toEqual(CLUSTERS)
    expect(history(story)).toEqual(['Complete 8/8', 'Undone 8/8'])
    await publish(story, 3, { ...ROLLOUT, undo })
    await story.pass(3)
    expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
    expect([at(story, 'web:3'), rolloutOf(story).cause]).toEqual([CLUSTERS, 'Publish'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a Git tool that applies again what it has, without the undo, does not end it; its next commit does', async () => {
    const story = await begun('undo and git')
    const to = rolloutOf(story).revision!
    await publish(story, 2)
    await story.pass(3)
    expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
    const undo = { from: rolloutOf(story).revision!, to }
    await patch(story, { spec: { rollout: { undo } } }, CLI_MANAGER)
    expect(await story.until(() => story.isReady('web') && rolloutOf(story).cause === 'Undo', 600)).toBe(true)
    const from = story.fleet.commits.length
    await publish(story, 2)
    await story.pass(600)
    expect([at(story, 'web:1'), rolloutOf(story).cause]).toEqual([CLUSTERS, 'Undo'])
    expect(CLUSTERS.flatMap((c) => story.writes(c, from))).toEqual([])
    await publish(story, 3)
    await story.pass(3)
    expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
    expect([at(story, 'web:3'), rolloutOf(story).cause]).toEqual([CLUSTERS, 'Publish'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('to what has been collected since: nothing moves, and it says what is kept', async () => {
    const story = await Story.begin('undo collected', ['c0'])
    const revisions: string[] = []
    const publishOne = async (n: number, rollout: object = {}): Promise<void> => {
      await story.module('web', `v${n}`, {
        revisionHistoryLimit: 1,
        rollout: { strategy: 'Replace', ...rollout },
      })
      await story.pass(3)
      expect(await story.until(() => story.isReady('web'))).toBe(true)
    }
    for (const n of [1, 2, 3, 4, 5]) {
      await story.config(`v${n}`, configManifest('web', String(n)))
      await publishOne(n)
      revisions.push(rolloutOf(story).revision!)
    }
    const kept = () =>
      [...story.manager.hub.revisions.store.by('module', `Module/${NAMESPACE}/web`)].map((r) => r.revision)
    expect(await story.until(() => !kept().includes(revisions[0]!), 4 * 3600)).toBe(true)
    const others = kept().filter((r) => r !== revisions[4])
    expect(others.length).toBeGreaterThan(0)
    await story.module('web', 'v5', {
      revisionHistoryLimit: 1,
      rollout: { strategy: 'Replace', undo: { from: revisions[4]!, to: revisions[0]! } },
    })
    await story.pass(10)
    const [said = ''] = story.blockers('web')
    expect(said).toContain(
      `RollbackTargetUnknown: spec.rollout.undo.to: revision ${short10(revisions[0]!)} is not in the history; it has `,
    )
    for (const r of others) expect(said).toContain(short10(r))
    expect(story.live('c0', 'configmaps', 'web')).toMatchObject({ data: { value: '5' } })
  })

  it('to what the history does not have says what it has', async () => {
    const story = await begun('undo unknown')
    const from = rolloutOf(story).revision!
    await publish(story, 1, { ...ROLLOUT, undo: { from, to: '0123456789' } })
    await story.pass(5)
    expect(story.blockers('web')).toEqual([
      'RollbackTargetUnknown: spec.rollout.undo.to: revision 0123456789 is not in the history; it has only the published revision',
    ])
  })
})

describe('supersede: Wait', () => {
  it('the newest starts when the one under way has ended; what came between never does', async () => {
    const rollout = { ...ROLLOUT, supersede: 'Wait', onFailure: 'Halt' }
    const story = await begun('wait', rollout)
    await publish(story, 2, rollout)
    expect(await story.until(() => at(story, 'web:2').length === 2)).toBe(true)
    await publish(story, 3, rollout)
    await story.pass(2)
    expect(story.blockers('web')[0]).toMatch(
      /^RolloutInProgress: revision [0-9a-f]{10} waits for the rollout of [0-9a-f]{10} to complete \(supersede: Wait\)$/,
    )
    await publish(story, 4, rollout)
    let saw3 = false
    const isThere = () => {
      saw3 ||= at(story, 'web:3').length > 0
      return at(story, 'web:4').length > 0
    }
    expect(await story.until(() => at(story, 'web:2').length === 8 || isThere(), 600)).toBe(true)
    expect(at(story, 'web:2')).toEqual(CLUSTERS)
    expect(await story.until(() => isThere() && story.isReady('web'), 600)).toBe(true)
    expect([saw3, at(story, 'web:4')]).toEqual([false, CLUSTERS])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it.each([
    ['has failed on all canaries, and that is tolerated', { onFailure: 'Halt', maxFailed: 2 }],
    ['has failed on all canaries, which hold up nobody', { onFailure: 'Continue' }],
  ])('what can never end is not waited for: it %s', async (why, how) => {
    const rollout = { ...ROLLOUT, supersede: 'Wait', ...how }
    const story = await begun(`wait ${why}`, rollout)
    breaks(story, 'web:2', ['c0', 'c1'])
    await publish(story, 2, rollout)
    expect(await story.until(() => story.see('web').status?.clusters?.failed === 2, 600)).toBe(true)
    await publish(story, 3, rollout)
    expect(await story.until(() => story.isReady('web'), 900), story.blockers('web').join('\n')).toBe(true)
    expect(at(story, 'web:3')).toEqual(CLUSTERS)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('with dependants', () => {
  const module = (story: Story, name: 'a' | 'b', n: number, rollout: Readonly<Record<string, unknown>>) =>
    story.module(name, `${name}-${n}`, {
      release: `r${n}`,
      rollout,
      health: { timeoutSeconds: 20 },
      ...(name === 'b' ? { dependsOn: ['a'] } : {}),
    })

  /** B on A, both at r1; then r2, with which A breaks on the second cluster after B has followed on the first. */
  async function broken(name: string, rollout: Readonly<Record<string, unknown>>): Promise<Story> {
    const story = await Story.begin(name, ['c0', 'c1'], { delays: LIFELIKE })
    for (const n of [1, 2]) {
      await story.config(`a-${n}`, deploymentManifest('web', `web:${n}`))
      await story.config(`b-${n}`, configManifest('b', String(n)))
    }
    for (const m of ['a', 'b'] as const) await module(story, m, 1, rollout)
    expect(await story.until(() => story.isReady('a', 'r1') && story.isReady('b', 'r1'))).toBe(true)
    const later = {
      ...rollout,
      stages: [
        { name: 'one', clusters: ['c0'], soakSeconds: 60 },
        { name: 'two', clusterSelector: {} },
      ],
      strategy: 'Staged',
    }
    breaks(story, 'web:2', ['c1'])
    for (const m of ['a', 'b'] as const) await module(story, m, 2, m === 'a' ? later : rollout)
    const isB2 = () =>
      (story.live('c0', 'configmaps', 'b')?.data as { value: string } | undefined)?.value === '2'
    expect(await story.until(isB2, 300)).toBe(true)
    return story
  }
  const phaseOf = (story: Story, m: string) => story.see(m).status?.rollout?.phase

  it('they go back before it', async () => {
    const story = await broken('back together', { onFailure: 'Rollback' })
    expect(await story.until(() => phaseOf(story, 'a') === 'RolledBack', 900)).toBe(true)
    expect(await story.until(() => phaseOf(story, 'b') === 'RolledBack', 60)).toBe(true)
    expect(story.blockers('b')[0]).toMatch(
      /^RolledBackWithDependency: rolled back to [0-9a-f]{10} with Module a \(release r1\) on /,
    )
    const back = story.writes('c0').slice(-2)
    expect(back).toEqual(['apply configmaps default/b', 'apply deployments.apps default/web'])
    expect(story.fleet.oracles.violations).toEqual([])
    // Repaired, and published as another release: both go on.
    for (const n of [3]) {
      await story.config('a-3', deploymentManifest('web', 'web:3'))
      await story.config('b-3', configManifest('b', '3'))
      for (const m of ['a', 'b'] as const) await module(story, m, n, { onFailure: 'Rollback' })
    }
    expect(await story.until(() => story.isReady('a', 'r3') && story.isReady('b', 'r3'), 300)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('withDependents: false: it waits for them', async () => {
    const story = await broken('back alone', { onFailure: 'Rollback', rollback: { withDependents: false } })
    expect(await story.until(() => phaseOf(story, 'a') === 'RollingBack', 900)).toBe(true)
    await story.pass(120)
    expect(
      story.blockers('a').some((b) => b.startsWith('DependentAhead: dependent b on c0 requires a@r2')),
    ).toBe(true)
    expect(phaseOf(story, 'b')).not.toBe('RolledBack')
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
