/** A refusal counts only while the object is as it was refused: its change or its deletion ends the wait within 5 s. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { FleetTraffic } from './fleettraffic.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'kubectl', precondition: 'any', force: true } as const
const KEY = { namespace: 'default', name: 'shared' }

const clientOf = (story: Story) => story.fleet.clusters.get('edge')!.client

const remove = async (story: Story) =>
  must(await story.during(clientOf(story).delete(configMapKind, KEY, USER)))

const patch = async (story: Story, body: object) =>
  must(await story.during(clientOf(story).patch(configMapKind, KEY, body as never, USER)))

const create = async (story: Story, more: object = {}) =>
  must(
    await story.during(
      clientOf(story).create(
        configMapKind,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: KEY,
          data: { value: 'foreign' },
          ...more,
        } as KubeObject,
        USER,
      ),
    ),
  )

async function begun(name: string): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await story.config('late', configManifest('shared', 'late'))
  return story
}

const isDelivered = (story: Story): boolean =>
  JSON.stringify(story.live('edge', 'configmaps', 'shared')?.data) === '{"value":"late"}'

/** How each refusal comes about; the end of its reason. */
const refusals: Readonly<Record<string, (story: Story) => Promise<string>>> = {
  async 'object of another Module'(story) {
    await story.config('early', configManifest('shared', 'early'))
    await story.module('early', 'early')
    expect(await story.until(() => story.isReady('early'))).toBe(true)
    await story.module('late', 'late')
    return 'OwnedByAnother'
  },
  async 'object of another Module whose label was removed'(story) {
    await story.config('early', configManifest('shared', 'early'))
    await story.module('early', 'early', { apply: { drift: 'Ignore' } })
    expect(await story.until(() => story.isReady('early'))).toBe(true)
    await patch(story, { metadata: { labels: null } })
    await story.module('late', 'late')
    return 'OwnedByAnother'
  },
  async 'object that may not be adopted'(story) {
    await create(story)
    await story.module('late', 'late', { apply: { adopt: 'Never' } })
    return 'AdoptionRefused'
  },
}

const conflict = async (story: Story) => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY, data: { value: 'foreign' } }
  const other = { purpose: 'user', manager: 'other-tool', precondition: 'any', force: true } as const
  must(await story.during(clientOf(story).apply(configMapKind, object, other)))
  await story.module('late', 'late', { apply: { adoptFrom: [], conflicts: 'Fail' } })
  return 'ApplyConflict'
}

describe('a refusal ends with its object', () => {
  for (const [name, refuse] of Object.entries({ ...refusals, 'field of another manager': conflict }))
    for (const seconds of [10, 100, 400])
      it(`${name}, deleted after ${seconds} s`, async () => {
        const story = await begun(`refusal-${name.length}-${seconds}`)
        const reason = await refuse(story)
        await story.pass(seconds)
        expect(story.blockers('late').join()).toContain(reason)
        if (name.includes('Module')) await story.deleteModule('early')
        else await remove(story)
        await story.until(() => story.live('edge', 'configmaps', 'shared') === undefined, 60)
        expect(await story.until(() => isDelivered(story), 5)).toBe(true)
        expect(await story.until(() => story.inventory('late', 'edge')?.status?.state === 'Ready', 30)).toBe(
          true,
        )
        expect(story.fleet.oracles.violations).toEqual([])
      })

  it('object of another Module whose marks are removed', async () => {
    const story = await begun('refusal-marks')
    await story.config('early', configManifest('shared', 'early'))
    await story.module('early', 'early', { apply: { drift: 'Ignore' } })
    expect(await story.until(() => story.isReady('early'))).toBe(true)
    // A name with a binding is met when the object is written.
    await story.config('late', configManifest('$(NAME)', 'late'))
    await story.module('late', 'late', { bindings: [{ name: 'NAME', value: 'shared' }] })
    await story.pass(200)
    expect(story.blockers('late').join()).toContain('OwnedByAnother')
    expect(story.see('late').status?.clusters?.failed).toBe(0)
    expect(isDelivered(story)).toBe(false)
    await patch(story, { metadata: { labels: null, annotations: null } })
    expect(await story.until(() => isDelivered(story), 5)).toBe(true)
  })

  it('object that may be adopted after a change of its annotations', async () => {
    const story = await begun('refusal-annotations')
    await create(story, {
      metadata: { ...KEY, annotations: { 'meta.helm.sh/release-name': 'web' } },
    })
    await story.module('late', 'late', { apply: { adopt: 'Unowned' } })
    await story.pass(200)
    expect(story.blockers('late').join()).toContain('AdoptionRefused')
    await patch(story, { metadata: { annotations: null } })
    expect(await story.until(() => isDelivered(story), 5)).toBe(true)
  })
})

describe('an object that changes all the time', () => {
  it('brings a try each second at first, and one each minute at last', async () => {
    const story = await begun('refusal-busy')
    await refusals['object that may not be adopted']!(story)
    await story.pass(20)
    const traffic = new FleetTraffic(story.fleet)
    for (let i = 0; i < 300; i++) {
      await patch(story, { metadata: { annotations: { tick: `${i}` } } })
      await story.pass(1)
    }
    const tries = traffic.asked.filter((a) => a.what !== 'watch' && a.path.includes('/configmaps/shared'))
    expect(tries.length).toBeGreaterThan(4)
    expect(tries.length).toBeLessThanOrEqual(30)
    expect(isDelivered(story)).toBe(false)
  })
})
