/** Keys for digests over secrets: another one changes nothing, a lost one is waited for. */
import { describe, expect, it } from 'vitest'
import { secretKind } from '../../src/api/kinds/foreign.ts'
import { encodeJson } from '../../src/object/object.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { why: 'user', manager: 'user', fence: 'any' } as const
const KEY = { namespace: 'lockstep-system', name: 'lockstep-hmac' }
const HOUR = 3600

const secretManifest = (name: string, value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: default}\nstringData: {value: "${value}"}\n`

const modules = Array.from({ length: 10 }, (_, i) => `m${i}`)
const clusters = ['c1', 'c2', 'c3']

/** Modules of one Secret each, and one of plain objects. */
async function begin(name: string): Promise<Story> {
  const story = await Story.begin(name, clusters)
  for (const m of modules) {
    await story.secret(m, `${secretManifest(m, 'one')}---\n${secretManifest(`${m}-b`, 'same')}`)
    await story.module(m, { secrets: [{ name: m }] })
  }
  await story.config('plain', configManifest('plain', '1'))
  await story.module('plain', 'plain')
  return story
}

const allReady = (story: Story): boolean => [...modules, 'plain'].every((m) => story.isReady(m))

async function rotate(story: Story, value: string): Promise<void> {
  const patch = { metadata: { annotations: { 'lockstep.dev/rotate': value } } }
  must(await story.during(story.fleet.hub.patch(secretKind, KEY, patch, USER)))
}

async function keys(story: Story): Promise<string[]> {
  const { data = {} } = must(await story.during(story.fleet.hub.get(secretKind, KEY, USER)))
  return Object.keys(data).filter((k) => k !== 'current')
}

/** On targets, by the executor; and ControllerRevisions. */
const moved = (story: Story, from: number): string[] => [
  ...clusters.flatMap((c) => story.writes(c, from).map((w) => `${c} ${w}`)),
  ...story.fleet.commits
    .slice(from)
    .filter((c) => c.resource === 'controllerrevisions.apps' && c.old === undefined)
    .map((c) => `hub ${c.key}`),
]

describe('another key', () => {
  it('five of them while a rollout is under way: every object is written once, every revision made once', async () => {
    const story = await begin('rotate')
    for (let n = 0; n < 5; n++) {
      await rotate(story, `${n}`)
      await story.pass(1)
    }
    expect(await story.until(() => allReady(story), 600)).toBe(true)
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
    expect(allReady(story)).toBe(true)
    expect(moved(story, from)).toEqual([])
    expect(await keys(story)).toHaveLength(8)
  })

  it('is used for what changes, alone; the old ones go within two hours of the last digest that names them', async () => {
    const story = await begin('moveon')
    expect(await story.until(() => allReady(story), 600)).toBe(true)
    const [first] = await keys(story)
    await rotate(story, 'one')
    await story.pass(10)
    const second = (await keys(story)).find((k) => k !== first)!
    const from = story.fleet.commits.length
    await story.secret('m0', `${secretManifest('m0', 'two')}---\n${secretManifest('m0-b', 'same')}`)
    await story.pass(3)
    expect(await story.until(() => allReady(story), 600)).toBe(true)
    const writes = moved(story, from)
    expect(writes.filter((w) => w.includes('secrets')).sort()).toEqual(
      clusters.map((c) => `${c} apply secrets default/m0`),
    )
    expect(writes.filter((w) => w.startsWith('hub'))).toHaveLength(1)
    expect(story.see('m0').status?.bundle).toContain(`v1:${second}:`)
    expect(story.see('m1').status?.bundle).toContain(`v1:${first}:`)
    await story.pass(2 * HOUR)
    expect(await keys(story)).toHaveLength(2)
    for (const m of modules) {
      await story.secret(m, secretManifest(m, 'three'))
      await story.module(m, { secrets: [{ name: m }] }, { revisionHistoryLimit: 0 })
    }
    await story.pass(30)
    // Twice, so that the revision before is of the new key too.
    for (const m of modules) await story.secret(m, secretManifest(m, 'four'))
    await story.pass(5)
    expect(await story.until(() => allReady(story), 600)).toBe(true)
    await story.pass(5 * HOUR)
    expect(await keys(story)).toEqual([second])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a key that is lost', () => {
  it('is not made anew while a digest names it: what needs it waits, the rest goes on; restored, nothing is written', async () => {
    const story = await begin('lost')
    expect(await story.until(() => allReady(story), 600)).toBe(true)
    const saved = must(await story.during(story.fleet.hub.get(secretKind, KEY, USER)))
    must(await story.during(story.fleet.hub.delete(secretKind, KEY, USER)))
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(60)
    const from = story.fleet.commits.length
    await story.secret('m0', secretManifest('m0', 'two'))
    await story.config('plain', configManifest('plain', '2'))
    await story.pass(1200)
    expect(story.blockers('m0')[0]).toMatch(
      /^HmacKeyMissing: ControllerRevision platform\/m0-[0-9a-f]+ names key [0-9a-f]{8}, Secret lockstep-system\/lockstep-hmac does not exist; restore/,
    )
    expect(story.inventory('m1', 'c1')?.status?.blockers?.[0]).toMatchObject({ reason: 'HmacKeyMissing' })
    expect(story.isReady('plain')).toBe(true)
    expect(moved(story, from).filter((w) => !w.includes('plain'))).toEqual([])
    await expect(keys(story)).rejects.toThrow('NotFound')
    await story.secret('m0', `${secretManifest('m0', 'one')}---\n${secretManifest('m0-b', 'same')}`)
    const { uid: _, resourceVersion: __, creationTimestamp: ___, ...metadata } = saved.metadata
    must(await story.during(story.fleet.hub.create(secretKind, { ...saved, metadata }, USER)))
    await story.pass(5)
    expect(await story.until(() => allReady(story), 600)).toBe(true)
    expect(moved(story, from).filter((w) => !w.includes('plain'))).toEqual([])
    expect(encodeJson(story.blockers('m0'))).toBe('[]')
  })

  it('is made anew where nothing names it', async () => {
    const story = await Story.begin('unneeded', [])
    await story.pass(5)
    const [first] = await keys(story)
    must(await story.during(story.fleet.hub.delete(secretKind, KEY, USER)))
    await story.pass(5)
    expect(await keys(story)).toHaveLength(1)
    expect(first).toMatch(/^[0-9a-f]{8}$/)
  })
})
