/** Keys for digests over secrets: another one changes nothing. */
import { describe, expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const HOUR = 3600
export const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const
export const KEY = { namespace: 'lockstep-system', name: 'lockstep-hmac' }

export const secretManifest = (name: string, value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: default}\nstringData: {value: "${value}"}\n`

const named = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${letter}${i}`)

/** As many modules of one Secret each on as many clusters. */
export interface Size {
  readonly modules: number
  readonly clusters: number
}

/** Modules `m0`, `m1` and so on, of two Secrets each, and one of plain objects, on `c0`, `c1` and so on. */
export async function begin(name: string, size: Size): Promise<Story> {
  const clusters = named('c', size.clusters)
  const story = await Story.begin(name, clusters)
  for (const m of named('m', size.modules)) {
    await story.secret(m, `${secretManifest(m, 'one')}---\n${secretManifest(`${m}-b`, 'same')}`)
    await story.module(m, { secrets: [{ name: m }] })
  }
  await story.config('plain', configManifest('plain', '1'))
  await story.module('plain', 'plain')
  return story
}

export const allReady = (story: Story, { modules }: Size): boolean =>
  [...named('m', modules), 'plain'].every((m) => story.isReady(m))

async function rotate(story: Story, value: string): Promise<void> {
  const patch = { metadata: { annotations: { 'lockstep.dev/rotate': value } } }
  must(await story.during(story.fleet.hub.patch(secretKind, KEY, patch, USER)))
}

export async function keys(story: Story): Promise<string[]> {
  const { data = {} } = must(await story.during(story.fleet.hub.get(secretKind, KEY, USER)))
  return Object.keys(data).filter((k) => k !== 'current')
}

/** On targets, by the executor; and ControllerRevisions. */
export const moved = (story: Story, from: number): string[] => [
  ...[...story.fleet.clusters.keys()].flatMap((c) => story.writes(c, from).map((w) => `${c} ${w}`)),
  ...story.fleet.commits
    .slice(from)
    .filter((c) => c.resource === 'controllerrevisions.apps' && c.old === undefined)
    .map((c) => `hub ${c.key}`),
]

/** Keys that change while modules are delivered. */
export function keyCases(size: Size): void {
  describe(`another key, with ${size.modules * size.clusters} units`, () => {
    it('five of them while a rollout is under way: every object is written once, every revision made once', async () => {
      const story = await begin('rotate', size)
      for (let n = 0; n < 5; n++) {
        await rotate(story, `${n}`)
        await story.pass(1)
      }
      expect(await story.until(() => allReady(story, size), 600)).toBe(true)
      const creates = moved(story, 0)
      expect(new Set(creates).size).toBe(creates.length)
      expect(await keys(story)).toHaveLength(6)
      const from = story.fleet.commits.length
      await rotate(story, 'again')
      await rotate(story, 'and again')
      await story.pass(60)
      // Nor after a restart, which computes everything anew.
      story.manager.stop()
      story.manager = story.fleet.startController()
      await story.pass(60)
      expect(allReady(story, size)).toBe(true)
      expect(moved(story, from)).toEqual([])
      expect(await keys(story)).toHaveLength(8)
    })

    it('is used for what changes, alone; the old ones go within two hours of the last digest that names them', async () => {
      const story = await begin('moveon', size)
      expect(await story.until(() => allReady(story, size), 600)).toBe(true)
      const [first] = await keys(story)
      await rotate(story, 'one')
      await story.pass(10)
      const second = (await keys(story)).find((k) => k !== first)!
      const from = story.fleet.commits.length
      await story.secret('m0', `${secretManifest('m0', 'two')}---\n${secretManifest('m0-b', 'same')}`)
      await story.pass(3)
      expect(await story.until(() => allReady(story, size), 600)).toBe(true)
      const writes = moved(story, from)
      expect(writes.filter((w) => w.includes('secrets')).sort()).toEqual(
        named('c', size.clusters)
          .map((c) => `${c} apply secrets default/m0`)
          .sort(),
      )
      expect(writes.filter((w) => w.startsWith('hub'))).toHaveLength(1)
      expect(story.see('m0').status?.bundle).toContain(`v1:${second}:`)
      expect(story.see('m1').status?.bundle).toContain(`v1:${first}:`)
      await story.pass(2 * HOUR)
      expect(await keys(story)).toHaveLength(2)
      for (const m of named('m', size.modules)) {
        await story.secret(m, secretManifest(m, 'three'))
        await story.module(m, { secrets: [{ name: m }] }, { revisionHistoryLimit: 0 })
      }
      await story.pass(30)
      // Twice, so that the revision before is of the new key too.
      for (const m of named('m', size.modules)) await story.secret(m, secretManifest(m, 'four'))
      await story.pass(5)
      expect(await story.until(() => allReady(story, size), 600)).toBe(true)
      await story.pass(5 * HOUR)
      expect(await keys(story)).toEqual([second])
      expect(story.fleet.oracles.violations).toEqual([])
    })
  })
}
