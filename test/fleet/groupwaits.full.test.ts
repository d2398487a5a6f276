/** Later waves of a cluster group wait for its applications of earlier ones, which are Modules that wait for its earlier waves. */
import { describe, expect, it } from 'vitest'
import { at } from '../../packages/kube/src/object/index.ts'
import { subjectOf } from '../../packages/lockstep/src/api/blocker.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { Oracles } from '../../packages/simulators/src/oracle/oracle.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { clientOf, must, NAMESPACE } from './simfleet.ts'
import { SimSources } from './simsources.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody', precondition: 'any', force: true } as const
const WAVE = 'argocd.argoproj.io/sync-wave'

/** A ConfigMap of each of the waves; applications by name, with their wave, and what of them is asked for. */
function values(n: string, waves: readonly number[], applications: Readonly<Record<string, string>>): string {
  const objects = waves.map(
    (wave) =>
      `    w${wave}: {apiVersion: v1, kind: ConfigMap, metadata: {name: w${wave}, namespace: default, annotations: {${WAVE}: "${wave}"}}, data: {value: "${n}"}}\n`,
  )
  const apps = Object.entries(applications).map(([name, wave]) => {
    const annotations = wave === '' ? '' : `, annotations: {${WAVE}: "${wave}"}`
    return `    ${name}: {name: ${name}, namespace: default, path: ${name}-${n}, kustomize: true${annotations}}\n`
  })
  return `global: {pattern: edge, repoURL: 'https://git.test/p', targetRevision: main}
clusterGroup:
  name: hub
  extraObjects:\n${objects.join('')}  applications:\n${apps.join('')}`
}

class GroupStory extends Story {
  readonly sources = new SimSources()

  static async of(name: string, clusters: readonly string[] = ['edge']): Promise<GroupStory> {
    const begun = await Story.begin(`group waits ${name}`, clusters, { delays: LIFELIKE })
    begun.manager.stop()
    const story = new GroupStory(begun.fleet)
    story.manager.stop()
    story.restart()
    return story
  }

  override restart(): void {
    this.manager.stop()
    const { env } = this.fleet
    this.manager = startManager(env, clientOf(env, 'hub', 'lockstep-controller'), {
      sources: this.sources.open,
    })
  }

  async group(spec: object = {}): Promise<void> {
    await this.module('group', 'group', {
      render: { namespace: 'default', clusterGroup: { valuesFiles: ['all.yaml'], applications: 'Modules' } },
      ...spec,
    })
  }

  value(name: string, cluster = 'edge'): string | undefined {
    return (this.live(cluster, 'configmaps', name) as { data?: { value?: string } } | undefined)?.data?.value
  }

  /** The place of the commit with which a thing on the cluster was made, or changed, from there on. */
  place(what: RegExp, from = 0): number {
    return this.fleet.commits.findIndex(
      (c, i) => i >= from && c.cluster === 'edge' && what.test(`${c.verb} ${c.resource} ${c.key}`),
    )
  }

  ready(...names: string[]): boolean {
    return names.every((n) => this.isReady(n))
  }
}

const never = async (story: GroupStory, seconds = 60) => {
  await story.pass(seconds)
  expect(story.value('w10')).toBeUndefined()
}

describe('a later wave of a group', () => {
  it('begins once all applications of earlier waves are ready, and says for which it waits', async () => {
    const story = await GroupStory.of('ready')
    const { world } = story.fleet.clusters.get('edge')!
    world.fail({ image: 'crash', outcome: 'CrashLoop' })
    story.sources.push('five-1', deploymentManifest('five', 'crash:1'))
    story.sources.push('zero-1', configManifest('zero', '1'))
    await story.config('group', values('1', [0, 5, 10], { five: '5', zero: '0' }))
    await story.group()
    expect(await story.until(() => story.ready('group-zero') && story.value('w5') === '1')).toBe(true)
    await never(story)
    expect(story.blockers('group')).toEqual([
      expect.stringMatching(
        /^DependencyNotReady: waiting for dependency group-five on edge: deploying: .*five/,
      ),
    ])
    story.sources.push('five-1', deploymentManifest('five', 'good:1'))
    expect(await story.until(() => story.ready('group', 'group-five'))).toBe(true)
    expect(story.place(/^create configmaps default\/w10$/)).toBeGreaterThan(
      story.place(/^create deployments.apps default\/five$/),
    )
    expect(story.fleet.oracles.violations).toEqual([])
    // An oracle sees it: the same history, in which the application was never said to be healthy.
    const oracles = new Oracles(() => 0)
    for (const c of structuredClone(story.fleet.commits)) {
      const status = at(c.next, 'status') as { health?: string } | undefined
      if (c.key === `${NAMESPACE}/m.group-five.edge` && status?.health === 'Healthy')
        status.health = 'Progressing'
      oracles.observe(c)
    }
    expect(oracles.violations.map((v) => `${v.invariant} ${v.message}`)).toContainEqual(
      expect.stringMatching(
        /^I4 edge configmaps default\/w10 was written before application five was ready$/,
      ),
    )
  })

  it('does not wait for one in its own wave, in none, or behind all of the group', async () => {
    const story = await GroupStory.of('free')
    for (const name of ['own', 'none', 'last'])
      story.sources.push(`${name}-1`, deploymentManifest(name, `crash:1`))
    story.fleet.clusters.get('edge')!.world.fail({ image: 'crash', outcome: 'CrashLoop' })
    await story.config('group', values('1', [0, 10], { own: '10', none: '', last: '20' }))
    await story.group()
    expect(await story.until(() => story.ready('group'))).toBe(true)
    expect(story.value('w10')).toBe('1')
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('of another revision, waits for what that has of its applications; a new process knows no more', async () => {
    const story = await GroupStory.of('revisions')
    for (const n of ['1', '2']) story.sources.push(`five-${n}`, configManifest('five', n))
    await story.config('group', values('1', [0, 10], { five: '5' }))
    await story.group()
    expect(await story.until(() => story.ready('group', 'group-five'))).toBe(true)
    story.fleet.clusters.get('edge')!.world.fail({ image: 'crash', outcome: 'CrashLoop' })
    story.sources.push(
      'five-2',
      `${configManifest('five', '2')}---\n${deploymentManifest('slow', 'crash:2')}`,
    )
    await story.config('group', values('2', [0, 10], { five: '5' }))
    expect(await story.until(() => story.value('w0') === '2' && story.value('five') === '2')).toBe(true)
    story.restart()
    await story.pass(60)
    expect([story.value('w10'), story.blockers('group')[0]]).toEqual([
      '1',
      expect.stringMatching(/^DependencyNotReady: waiting for dependency group-five on edge: deploying: /),
    ])
    story.sources.push('five-2', configManifest('five', '2'))
    expect(await story.until(() => story.ready('group') && story.value('w10') === '2')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('once met stays so: an application that fails later holds nothing, and nothing is written', async () => {
    const story = await GroupStory.of('met')
    story.sources.push('five-1', deploymentManifest('five', 'good:1'))
    await story.config('group', values('1', [0, 10], { five: '5' }))
    await story.group()
    expect(await story.until(() => story.ready('group', 'group-five'))).toBe(true)
    story.fleet.clusters.get('edge')!.world.fail({ image: 'crash', outcome: 'CrashLoop' })
    story.sources.push('five-1', deploymentManifest('five', 'crash:2'))
    expect(await story.until(() => !story.ready('group-five'))).toBe(true)
    await story.pass(120)
    expect(story.ready('group')).toBe(true)
  })

  it('of a group that is pinned takes applications as they stand', async () => {
    const story = await GroupStory.of('pinned')
    for (const n of ['1', '2']) story.sources.push(`five-${n}`, configManifest('five', n))
    await story.config('group', values('1', [0, 10], { five: '5' }))
    await story.group()
    expect(await story.until(() => story.ready('group', 'group-five'))).toBe(true)
    const first = story.see('group').status?.currentRevision
    await story.config('group', values('2', [0, 10], { five: '5' }))
    expect(await story.until(() => story.value('w10') === '2' && story.ready('group', 'group-five'))).toBe(
      true,
    )
    const pin = { action: 'Pin', clusters: ['edge'], revision: first }
    const hold = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Hold',
      metadata: { name: 'back', namespace: NAMESPACE },
      spec: { targetRef: { kind: 'Module', name: 'group' }, reason: 'r2 is bad', ...pin },
    }
    must(await story.during(story.fleet.hub.create(holdKind, hold as never, USER)))
    expect(await story.until(() => story.value('w10') === '1', 300)).toBe(true)
    expect(story.value('five')).toBe('2')
  })
})

describe('a group at a release', () => {
  it('and its applications go forward and back together', async () => {
    const story = await GroupStory.of('releases', ['edge', 'far'])
    for (const n of ['1', '2'])
      for (const name of ['five', 'loose', 'ten']) story.sources.push(`${name}-${n}`, configManifest(name, n))
    const all = ['group', 'group-five', 'group-ten', 'group-loose']
    const apps = { five: '5', ten: '10', loose: '' }
    for (const n of ['1', '2', '1']) {
      const from = story.fleet.commits.length
      await story.config('group', values(n, [0, 5, 10, 15], apps))
      await story.group({ release: `r${n}`, rollout: { maxUnavailable: 1 } })
      const isThere = () => all.every((m) => story.isReady(m, `r${n}`)) && story.value('w15', 'far') === n
      expect(await story.until(isThere, 600), n).toBe(true)
      expect(['five', 'ten', 'loose'].map((name) => story.value(name))).toEqual([n, n, n])
      const last = story.place(/configmaps default\/w15$/, from)
      expect(last).toBeGreaterThan(story.place(/configmaps default\/five$/, from))
      expect(last).toBeGreaterThan(story.place(/configmaps default\/ten$/, from))
    }
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('an application that a group waits for', () => {
  it('on many clusters is one blocker of its group, with their number', async () => {
    const story = await GroupStory.of('many', ['edge', 'far', 'third'])
    for (const { world } of story.fleet.clusters.values())
      world.fail({ image: 'crash', outcome: 'CrashLoop' })
    story.sources.push('five-1', deploymentManifest('five', 'crash:1'))
    await story.config('group', values('1', [0, 10], { five: '5' }))
    await story.group({ rollout: { strategy: 'Replace' } })
    const waiting = () =>
      (story.see('group').status?.blockers ?? []).map((b) => [b.reason, subjectOf(b.on), b.count].join(' '))
    // The application goes to one cluster first.
    const expected = ['DependencyNotReady Module/group-five 1', 'DependencyNotStarted Module/group-five 2']
    expect(await story.until(() => waiting().sort().join() === expected.join())).toBe(true)
  })

  it('and that somebody holds is named with that', async () => {
    const story = await GroupStory.of('held')
    for (const n of ['1', '2']) story.sources.push(`five-${n}`, configManifest('five', n))
    await story.config('group', values('1', [0, 10], { five: '5' }))
    await story.group()
    expect(await story.until(() => story.ready('group', 'group-five'))).toBe(true)
    const hold = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Hold',
      metadata: { name: 'stop', namespace: NAMESPACE },
      spec: { targetRef: { kind: 'Module', name: 'group-five' }, reason: 'not now' },
    }
    must(await story.during(story.fleet.hub.create(holdKind, hold as never, USER)))
    await story.config('group', values('2', [0, 10], { five: '5' }))
    expect(await story.until(() => story.value('w0') === '2')).toBe(true)
    await story.pass(60)
    expect([story.value('w10'), story.blockers('group')]).toEqual([
      '1',
      [
        'DependencyNotStarted: waiting for dependency group-five on edge: other content is deployed, held by Hold stop',
      ],
    ])
    must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'stop' }, USER)))
    expect(await story.until(() => story.value('w10') === '2')).toBe(true)
  })

  it('goes with the group, in the middle of that', async () => {
    const story = await GroupStory.of('deleted')
    story.fleet.clusters.get('edge')!.world.fail({ image: 'crash', outcome: 'CrashLoop' })
    story.sources.push('five-1', deploymentManifest('five', 'crash:1'))
    await story.config('group', values('1', [0, 10], { five: '5' }))
    await story.group()
    expect(await story.until(() => story.blockers('group')[0]?.includes('group-five') === true)).toBe(true)
    await story.deleteModule('group')
    const isGone = () => [...story.manager.hub.modules.store.all()].length === 0
    expect(await story.until(isGone, 300)).toBe(true)
    expect(story.value('w0')).toBeUndefined()
  })
})
