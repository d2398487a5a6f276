/** Back to an earlier release: dependants first, whoever is published first. */
import { describe, expect, it } from 'vitest'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const CHAIN = { a: [], b: ['a'], c: ['b'] } as const
type Name = keyof typeof CHAIN

const publish = (story: Story, name: Name, n: number): Promise<void> =>
  story.module(name, `${name}-${n}`, { release: `r${n}`, dependsOn: CHAIN[name] })

/** C on B on A, delivered at r1, then at r2. */
async function atSecond(name: string, ofA = (n: number) => configManifest('a', String(n))): Promise<Story> {
  const story = await Story.begin(name, ['edge'], { delays: LIFELIKE })
  for (const n of [1, 2]) {
    await story.config(`a-${n}`, ofA(n))
    for (const m of ['b', 'c'] as const) await story.config(`${m}-${n}`, configManifest(m, String(n)))
    for (const m of ['a', 'b', 'c'] as const) await publish(story, m, n)
    expect(await story.until(() => allReady(story, n))).toBe(true)
  }
  return story
}

const allReady = (story: Story, n: number): boolean =>
  (['a', 'b', 'c'] as const).every((m) => story.isReady(m, `r${n}`))

/** Who was written to on the cluster, in order. */
const written = (story: Story, from: number): string[] =>
  story.writes('edge', from).map((line) => line.replace('apply configmaps default/', ''))

describe('all go back', () => {
  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']], [['b', 'c', 'a']]] as const)(
    'published in the order %s: C, then B, then A',
    async (order) => {
      const story = await atSecond(`back ${order.join('')}`)
      const from = story.fleet.commits.length
      for (const m of order) await publish(story, m, 1)
      expect(await story.until(() => allReady(story, 1)), story.blockers('a').join('\n')).toBe(true)
      expect(written(story, from)).toEqual(['c', 'b', 'a'])
      expect(story.fleet.oracles.violations).toEqual([])
    },
  )

  it('also when what they rely on is broken, which is why', async () => {
    const image = (n: number) => deploymentManifest('a', `a:${n}`)
    const story = await atSecond('back broken', image)
    story.fleet.clusters.get('edge')!.world.fail({ image: 'a:2', outcome: 'CrashLoop' })
    expect(await story.until(() => !story.isReady('a'))).toBe(true)
    const from = story.fleet.commits.length
    for (const m of ['a', 'b', 'c'] as const) await publish(story, m, 1)
    expect(await story.until(() => allReady(story, 1)), story.blockers('a').join('\n')).toBe(true)
    expect(written(story, from)).toEqual(['c', 'b', 'apply deployments.apps default/a'])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('what others rely on goes back alone', () => {
  it('not before they do; that is said, with a way out; nothing is written', async () => {
    const story = await atSecond('back alone')
    const from = story.fleet.commits.length
    await publish(story, 'a', 1)
    await story.pass(20)
    expect(story.blockers('a')).toEqual([
      expect.stringMatching(
        /^DependentAhead: dependent b on edge requires a@r2; publish b at r1 too, or a at r2$/,
      ),
    ])
    expect(written(story, from)).toEqual([])
    await publish(story, 'b', 1)
    await story.pass(20)
    expect(story.blockers('b')).toEqual([
      expect.stringMatching(/^DependentAhead: dependent c on edge requires b@r2; publish c at r1 too/),
    ])
    await publish(story, 'a', 2)
    await publish(story, 'b', 2)
    expect(await story.until(() => allReady(story, 2))).toBe(true)
    expect(written(story, from)).toEqual([])
  })

  it('goes when its dependant has left', async () => {
    const story = await atSecond('back left')
    await publish(story, 'a', 1)
    await story.deleteModule('c')
    await story.deleteModule('b')
    expect(await story.until(() => story.isReady('a', 'r1')), story.blockers('a').join('\n')).toBe(true)
    expect(story.live('edge', 'configmaps', 'a')?.data).toEqual({ value: '1' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('and one that only wants it healthy, at any release, does not hold it up', async () => {
    const story = await Story.begin('back any', ['edge'])
    const publishB = (n: number) =>
      story.module('b', `b-${n}`, { release: `r${n}`, dependsOn: [{ on: 'a', release: 'Any' }] })
    for (const n of [1, 2]) {
      for (const m of ['a', 'b']) await story.config(`${m}-${n}`, configManifest(m, String(n)))
      await publish(story, 'a', n)
      await publishB(n)
      expect(await story.until(() => ['a', 'b'].every((m) => story.isReady(m, `r${n}`)))).toBe(true)
    }
    await publish(story, 'a', 1)
    expect(await story.until(() => story.isReady('a', 'r1')), story.blockers('a').join('\n')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('B goes forward while A goes back', () => {
  const inventory = (name: string): string =>
    `/apis/lockstep.dev/v1alpha1/namespaces/${NAMESPACE}/inventories/m.${name}.edge`

  const A_AT_FIRST = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: 'a', namespace: NAMESPACE },
    spec: { targets: { clusterSelector: {} }, release: 'r1', source: { configMaps: [{ name: 'a-1' }] } },
  }

  it('never do both: B had read A before, and writes after A had read B', async () => {
    const story = await Story.begin('skew', ['edge'])
    for (const n of [1, 2])
      for (const m of ['a', 'b'] as const) await story.config(`${m}-${n}`, configManifest(m, String(n)))
    for (const m of ['a', 'b'] as const) await publish(story, m, 1)
    expect(await story.until(() => story.isReady('b', 'r1'))).toBe(true)
    await publish(story, 'a', 2)
    expect(await story.until(() => story.isReady('a', 'r2'))).toBe(true)

    const { clock } = story.fleet.env
    const wait = (ms: number) => new Promise<void>((resolve) => void clock.at(clock.steady() + ms, resolve))
    let isBack: () => void = () => {}
    const goesBack = new Promise<void>((resolve) => {
      isBack = resolve
    })
    const met: string[] = []
    story.fleet.env.net.wire('https://hub.test', {
      async before({ method, path, body }) {
        const [to, release] = [path.split('?')[0], /"release":"(r\d)"/.exec(String(body))?.[1]]
        if (method !== 'PUT') return undefined
        if (to === inventory('b') && release === 'r2' && met.length === 0) {
          met.push('B is about to write')
          void story.fleet.hub.apply(moduleKind, A_AT_FIRST, { ...USER, force: true })
          await goesBack
        } else if (to === inventory('a') && release === 'r1' && met.length === 1) {
          met.push('A is about to write')
          isBack()
          await wait(1000)
        }
        return undefined
      },
    })
    await publish(story, 'b', 2)
    expect(await story.until(() => met.length === 2)).toBe(true)
    await story.pass(30)
    expect(story.fleet.oracles.violations).toEqual([])
    expect(['a', 'b'].map((m) => story.inventory(m, 'edge')!.spec.admitted!.release)).toEqual(['r1', 'r1'])
    expect(story.blockers('b')).toEqual(['ReleaseMismatch: dependency a is at release r1, b requires r2'])
  })
})
