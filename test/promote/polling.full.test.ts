/** How often a Git host is asked about what waits for people: by counts. */
import { describe, expect, it } from 'vitest'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'

const LIST = /^\/api\/v3\/repos\/o\/r\/pulls\?/
const ONE = /^\/api\/v3\/repos\/o\/r\/pulls\/\d+$/
const REFS = /\/refs$/

/** So many environments of each pipeline, all of which follow dev by a pull request that is open. */
async function open(
  seed: string,
  pipelines: readonly string[],
  each: number,
  pullRequest: object = {},
  before: (s: PipelineStory) => void = () => {},
) {
  const story = await PipelineStory.open(`polling/${seed}`)
  before(story)
  const names = Array.from({ length: each }, (_, i) => `e${i}`)
  const files: Record<string, string> = {}
  for (const p of pipelines)
    for (const e of names)
      files[`apps/${p}-${e}.yaml`] = `version: 1.0.0 # {"$promotion": "${NAMESPACE}:${p}:${e}"}\n`
  await story.during(story.repository.push('main', files, 'more of them'))
  await story.runs('dev', '2.0.0')
  await story.runs('staging', '1.0.0')
  const environment = { from: ['dev'], targets: [{ namespace: 'staging' }], promotion: { pullRequest } }
  for (const name of pipelines)
    await story.pipeline(
      { dev: {}, ...Object.fromEntries(names.map((e) => [e, environment])) },
      { name, spec: { identity: name } },
    )
  const wanted = pipelines.length * each
  const isOpen = () => story.repository.pulls.list().filter((p) => p.state === 'open').length === wanted
  expect(await story.until(isOpen, 600)).toBe(true)
  const phases = () => names.flatMap((e) => story.promotions(e).map((p) => p.status?.phase))
  expect(await story.until(() => phases().every((p) => p === 'Open'), 120)).toBe(true)
  const count = async (seconds: number) => {
    const before = story.host.requests.length
    await story.pass(seconds)
    const sent = story.host.requests.slice(before)
    const of = (path: RegExp) => sent.filter((r) => r.method === 'GET' && path.test(r.path)).length
    return { lists: of(LIST), ones: of(ONE), refs: of(REFS), all: sent.length }
  }
  return { story, count, names, phases }
}

describe('pull requests that wait for people', () => {
  it('50 in one repository, of two pipelines, are looked at by one list a minute', {
    timeout: 120_000,
  }, async () => {
    const { story, count, phases } = await open('fifty', ['a', 'b'], 25)
    await story.pass(240)
    const writes = story.writes()
    expect(await count(600)).toEqual({ lists: 10, ones: 0, refs: 10, all: 20 })
    expect(story.writes()).toBe(writes)
    await story.during(story.repository.merge(7, { method: 'merge', by: 'person' }))
    await story.during(story.repository.close(8))
    expect(
      await story.until(() => phases().includes('Converging') && phases().includes('Rejected'), 61),
    ).toBe(true)
    // Their base is another one now: whether they still can be merged is asked once more.
    const { lists, ones } = await count(600)
    expect(lists).toBeLessThanOrEqual(10 + 4)
    expect(ones).toBeLessThanOrEqual(3 * 48)
    expect(await count(600)).toMatchObject({ lists: 10, ones: 0, refs: 10 })
  })

  it('which we merge are asked about one by one, in turns, within half of what the host allows', async () => {
    const { story, count } = await open('blocked', ['a'], 20, { autoMerge: true }, (s) => {
      s.repository.needsChecks = true
    })
    // As many as may be looked at: 10 a minute.
    story.host.limits.perHour = 1200
    await story.pass(120)
    const { lists, ones, all } = await count(1200)
    expect(lists).toBeGreaterThanOrEqual(15)
    expect(lists + ones).toBeLessThanOrEqual(20 * 10)
    expect(all).toBeLessThanOrEqual(20 * 10 + 20)
    const asked = story.host.requests.slice(-all).flatMap((r) => /pulls\/(\d+)$/.exec(r.path)?.[1] ?? [])
    expect(new Set(asked).size).toBe(20)
    story.repository.block(20, false)
    const merged = () => story.repository.pulls.list().filter((p) => p.state === 'merged').length
    expect(await story.until(() => merged() === 1, 300)).toBe(true)
  })
})

describe('a limit that is nearly used up', () => {
  it('is left to what changes something: it is said until when, and nothing is lost', async () => {
    const { story, count, phases } = await open('tenth', ['a'], 3)
    const { limits } = story.host
    await story.pass(61)
    // Somebody else uses the same credential.
    while (limits.left().remaining > 400) limits.count('github', 'GET')
    await story.pass(125)
    const [blocker] = story.last('e0')!.status!.blockers!
    expect(blocker!.reason).toBe('HostRateLimited')
    const [, left, until] =
      /has (\d+) of 5000 requests left at github: until (\S+) only changes are sent/.exec(blocker!.message)!
    expect(Number(left)).toBeLessThan(500)
    expect(Math.abs(Date.parse(until!) - limits.left().resetsAt)).toBeLessThanOrEqual(2000)
    expect(await count(1200)).toMatchObject({ lists: 0, ones: 0 })
    const { resetsAt } = limits.left()
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    expect(await story.until(() => phases().includes('Converging'), 3600)).toBe(true)
    const { clock } = story.fleet.env
    expect(clock.now()).toBeGreaterThanOrEqual(resetsAt)
    expect(clock.now()).toBeLessThan(resetsAt + 65_000)
  })
})
