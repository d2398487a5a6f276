/** A client deletes an object soon after each create. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'cleaner', precondition: 'any' } as const
const KEY = { namespace: 'default', name: 'a' }

const MINUTE = 60

class Cleaner {
  private readonly story: Story
  private readonly afterSeconds: number

  constructor(story: Story, afterSeconds: number) {
    this.story = story
    this.afterSeconds = afterSeconds
  }

  get creates(): number {
    return this.story.writes('edge').filter((w) => w === 'create configmaps default/a').length
  }

  /** Deletes the object `afterSeconds` after each create; returns the numbers of seconds at which the Module was ready. */
  async run(seconds: number, isDeleting = true): Promise<number> {
    const { story } = this
    const { client } = story.fleet.clusters.get('edge')!
    let age = 0
    let ready = 0
    for (let s = 0; s < seconds; s++) {
      await story.pass(1)
      if (story.isReady('m')) ready++
      age = story.live('edge', 'configmaps', 'a') ? age + 1 : 0
      if (isDeleting && age > this.afterSeconds) {
        must(await story.during(client.delete(configMapKind, KEY, USER)))
        age = 0
      }
    }
    return ready
  }
}

async function begun(afterSeconds: number): Promise<{ story: Story; cleaner: Cleaner }> {
  const story = await Story.begin(`cleaner-${afterSeconds}`, ['edge'])
  await story.config('a', configManifest('a', '1'))
  await story.module('m', 'a')
  return { story, cleaner: new Cleaner(story, afterSeconds) }
}

describe('a client that deletes after each create', () => {
  for (const afterSeconds of [0, 5, 45])
    it(`${afterSeconds} s: 5 creates in 10 minutes at most, then one, and the Module is not ready`, async () => {
      const { story, cleaner } = await begun(afterSeconds)
      await cleaner.run(10 * MINUTE)
      expect(cleaner.creates).toBeGreaterThanOrEqual(4)
      expect(cleaner.creates).toBeLessThanOrEqual(5)
      expect(story.blockers('m')[0]).toMatch(
        /^DeletionFight: ConfigMap default\/a was deleted 4 times in 10m, within \d+s of each create; something on edge deletes it; recreated at \d\d:\d\d UTC$/,
      )
      const before = cleaner.creates
      const ready = await cleaner.run(30 * MINUTE)
      expect(cleaner.creates - before).toBeGreaterThanOrEqual(2)
      expect(cleaner.creates - before).toBeLessThanOrEqual(3)
      expect(ready).toBe(0)
      expect(story.fleet.oracles.violations).toEqual([])
    })

  it('ends: the Module is ready a minute after the next create, and drift is reverted at once again', async () => {
    const { story, cleaner } = await begun(1)
    await cleaner.run(3 * MINUTE)
    expect(story.isReady('m')).toBe(false)
    await cleaner.run(12 * MINUTE, false)
    expect(story.isReady('m')).toBe(true)
    const creates = cleaner.creates
    const { client } = story.fleet.clusters.get('edge')!
    must(await story.during(client.delete(configMapKind, KEY, USER)))
    expect(await story.until(() => cleaner.creates > creates, 15)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

it('deletions later than a minute after a create are reverted each time', async () => {
  const { story, cleaner } = await begun(70)
  await cleaner.run(12 * MINUTE)
  expect(cleaner.creates).toBeGreaterThan(8)
  expect(story.blockers('m')).toEqual([])
})

it('the owner in the ownerReferences is named', async () => {
  const story = await Story.begin('cleaner-owner', ['edge'])
  const owner = '{apiVersion: apps/v1, kind: Deployment, name: gone, uid: 0-1}'
  await story.config(
    'a',
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, ownerReferences: [${owner}]}\ndata: {a: "1"}\n`,
  )
  await story.module('m', 'a')
  await new Cleaner(story, 1).run(3 * MINUTE)
  expect(story.blockers('m')[0]).toMatch(
    /^DeletionFight: .*; its ownerReferences name Deployment gone \(uid 0-1\)$/,
  )
})
