/** Older content is published again, to modules with stages: what goes back first asks for no turn of its own. */
import { describe, expect, it } from 'vitest'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

type Name = 'a' | 'b' | 'c'
const NEEDS: Readonly<Record<Name, readonly Name[]>> = { a: [], b: ['a'], c: ['b'] }
const stages = (...clusters: readonly string[]) => ({
  strategy: 'Staged',
  stages: clusters.map((c) => ({ name: `of-${c}`, clusters: [c] })),
})
/** The dependants have it the other way round. */
const ROLLOUT: Readonly<Record<Name, object>> = {
  a: stages('c0', 'c1'),
  b: stages('c1', 'c0'),
  c: stages('c1', 'c0'),
}

interface Options {
  readonly rollout?: object
  readonly clusters?: readonly string[]
}

const publish = (story: Story, name: Name, n: number, o: Options = {}): Promise<void> =>
  story.module(name, `${name}-${n}`, {
    release: `r${n}`,
    dependsOn: NEEDS[name],
    targets: { clusters: o.clusters ?? ['c0', 'c1'] },
    rollout: (o.rollout ?? { strategy: 'Replace' }) as Record<string, unknown>,
  })

/** All at r2, which the dependants on c1 have been at alone: they are new to r1, and have to follow. */
async function atSecond(name: string, names: readonly Name[]): Promise<Story> {
  const story = await Story.begin(name, ['c0', 'c1'], { delays: LIFELIKE })
  for (const n of [1, 2]) {
    for (const m of names) {
      await story.config(`${m}-${n}`, configManifest(m, String(n)))
      await publish(story, m, n, m === 'a' ? {} : { clusters: ['c0'] })
    }
    expect(await story.until(() => names.every((m) => story.isReady(m, `r${n}`)), 300)).toBe(true)
  }
  for (const m of names) await publish(story, m, 2)
  const isOn = (m: Name) => story.live('c1', 'configmaps', m) !== undefined
  expect(await story.until(() => names.every((m) => isOn(m) && story.isReady(m, 'r2')), 300)).toBe(true)
  return story
}

/** Who was written to, in order: `b on c0`. */
const written = (story: Story, from: number): string[] =>
  story.fleet.commits.slice(from).flatMap(({ cluster, resource, key, next }) => {
    const isOurs = resource === 'configmaps' && key.startsWith('default/') && next !== undefined
    return cluster !== 'hub' && isOurs ? [`${key.replace('default/', '')} on ${cluster}`] : []
  })

describe('stages of a dependant against stages of what it needs', () => {
  it.each([[['a', 'b']], [['a', 'b', 'c']], [['c', 'b', 'a']]] as readonly (readonly [readonly Name[]])[])(
    'published in the order %s: all come to it',
    async (order) => {
      const names = [...order].sort()
      const story = await atSecond(`staged back ${order.join('')}`, names)
      const from = story.fleet.commits.length
      for (const m of order) await publish(story, m, 1, { rollout: ROLLOUT[m] })
      const isBack = () => names.every((m) => story.isReady(m, 'r1'))
      expect(await story.until(isBack, 600), names.map((m) => story.blockers(m).join()).join('\n')).toBe(true)
      const back = [...names].reverse()
      expect(written(story, from)).toEqual([
        ...back.map((m) => `${m} on c0`),
        ...names.map((m) => `${m} on c1`),
      ])
      expect(story.fleet.oracles.violations).toEqual([])
      expect(story.fleet.rollouts.problems).toEqual([])
    },
  )

  it('what is not waited for keeps to its own stages', async () => {
    const story = await atSecond('no demand', ['a', 'b'])
    const first = { ...stages('c1', 'c0') }
    const held = { name: 'gate', clusters: [], approval: 'Required' }
    await publish(story, 'b', 1, { rollout: ROLLOUT.b })
    await publish(story, 'a', 1, { rollout: { ...first, stages: [held, ...first.stages] } })
    const from = story.fleet.commits.length
    await story.pass(120)
    // The turn of A on c0 has not come.
    expect(written(story, from)).toEqual([])
  })

  it('people who are to consent are asked all the same', async () => {
    const story = await atSecond('consent', ['a', 'b'])
    const of = stages('c1', 'c0').stages
    const asking = { strategy: 'Staged', stages: [{ ...of[0], approval: 'Required' }, of[1]] }
    await publish(story, 'a', 1, { rollout: ROLLOUT.a })
    await publish(story, 'b', 1, { rollout: asking })
    const from = story.fleet.commits.length
    await story.pass(120)
    expect(written(story, from)).toEqual([])
    const body = {
      apiVersion: API_VERSION,
      kind: 'Approval',
      metadata: { name: 'yes', namespace: NAMESPACE },
      spec: {
        targetRef: { kind: 'Module' as const, name: 'b' },
        stage: 'of-c1',
        point: 'After' as const,
        revisionHash: story.see('b').status!.currentRevision!,
        approvedBy: 'ann',
      },
    }
    must(await story.during(story.fleet.hub.create(approvalKind, body, USER)))
    expect(await story.until(() => ['a', 'b'].every((m) => story.isReady(m, 'r1')), 600)).toBe(true)
    expect(written(story, from)).toEqual(['b on c0', 'a on c0', 'a on c1', 'b on c1'])
    expect(story.fleet.oracles.violations).toEqual([])
    expect(story.fleet.rollouts.problems).toEqual([])
  })
})
