/** Who acts says so before, in a swap that the leader before it loses; and has time enough for what it does. */
import { describe, expect, it } from 'vitest'
import type { LeaderTerm } from '../../packages/kube/src/leaderelection/election.ts'
import { promotionKind } from '../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import type { FaultMatch } from '../../packages/simulators/src/githost/hostfault.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'

const LOOK: FaultMatch = { method: 'GET', path: /\/pulls\/1$/ }
const CREATE: FaultMatch = { method: 'POST', path: /\/pulls$/ }
const MERGE: FaultMatch = { method: 'PUT', path: /\/merge$/ }
const PUSH: FaultMatch = { method: 'POST', path: /push$/ }
const AUTO = { promotion: { pullRequest: { autoMerge: true } } }

/** The Lease of a process, of which a test says how long it still lasts. */
type Lease = { -readonly [K in keyof LeaderTerm]: LeaderTerm[K] }
const lease = (generation: number): Lease => ({ generation, isHeld: true, leftMs: 15_000 })

/** dev and staging at 1.0.0; `a` leads. */
async function led(seed: string): Promise<{ story: PipelineStory; first: Lease }> {
  const story = await PipelineStory.open(`fence/${seed}`, { isManaged: false })
  const first = lease(4)
  story.manager = story.start(story.fleet.env, { identity: 'a', term: first })
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: AUTO })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return { story, first }
}

const fence = (story: PipelineStory) => story.last('staging')?.status?.fence
const calls = (story: PipelineStory, { method, path }: FaultMatch) =>
  story.host.requests.filter((r) => r.method === method && path!.test(r.path)).length

/** Whose fence is stored at the moments at which these arrive at the host. */
function watched(story: PipelineStory, ...effects: readonly FaultMatch[]): string[] {
  const seen: string[] = []
  for (const where of effects) {
    const act = async () => void seen.push(`${where.method} ${fence(story)?.holder}`)
    story.host.faults.add(where, { kind: 'before', act })
  }
  return seen
}

describe('the fence in the status of a promotion', () => {
  it('is there before anything is done, and is not written again by who has it', async () => {
    const { story } = await led('first')
    const seen = watched(story, PUSH, CREATE)
    story.repository.needsChecks = true
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(seen).toEqual(['POST a', 'POST a'])
    expect(fence(story)).toEqual({ holder: 'a', transitions: 4 })
    const { name } = story.last('staging')!.metadata
    const swaps = story.fleet.commits.filter(
      ({ resource, key, old, next }) =>
        resource.startsWith('promotions.') &&
        key.endsWith(name) &&
        JSON.stringify(fenceOf(old)) !== JSON.stringify(fenceOf(next)),
    )
    expect(swaps).toHaveLength(1)
  })

  it('names who goes on, before that one does anything; only looking does not change it', async () => {
    const { story } = await led('second')
    story.repository.needsChecks = true
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    story.manager.stop()
    story.manager = story.start(story.fleet.env, { identity: 'b', term: lease(5) })
    await story.pass(120)
    expect([calls(story, MERGE), fence(story)?.holder]).toEqual([0, 'a'])
    const seen = watched(story, MERGE)
    story.repository.block(1, false)
    expect(await story.until(() => story.phase('staging') === 'Converging', 130)).toBe(true)
    expect(seen).toEqual(['PUT b'])
    expect(fence(story)).toEqual({ holder: 'b', transitions: 5 })
  })

  it('is another one for the same process in another term', async () => {
    const { story } = await led('again')
    story.repository.needsChecks = true
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    story.manager.stop()
    story.manager = story.start(story.fleet.env, { identity: 'a', term: lease(6) })
    story.repository.block(1, false)
    expect(await story.until(() => story.phase('staging') === 'Converging', 130)).toBe(true)
    expect(fence(story)).toEqual({ holder: 'a', transitions: 6 })
  })

  it('that is lost to somebody else lets nothing be done: it is looked at again first', async () => {
    const { story } = await led('lost')
    story.repository.needsChecks = true
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    story.manager.stop()
    story.manager = story.start(story.fleet.env, { identity: 'b', term: lease(5) })
    await story.pass(70)
    story.repository.block(1, false)
    // After its last look, and before its swap, who led before writes once more.
    let late = 0
    const act = async () => {
      late++
      const { name } = story.last('staging')!.metadata
      const status = { precondition: { holder: 'late', transitions: 4 } }
      const o = {
        purpose: 'status',
        manager: 'lockstep',
        precondition: 'any',
        subresource: 'status',
      } as const
      await story.fleet.hub.patch(promotionKind, { namespace: NAMESPACE, name }, { status } as never, o)
    }
    story.host.faults.add({ ...LOOK, nth: 1 }, { kind: 'before', act })
    const seen = watched(story, MERGE)
    expect(await story.until(() => story.phase('staging') === 'Converging', 200)).toBe(true)
    expect([late, seen, calls(story, MERGE)]).toEqual([1, ['PUT b'], 1])
    expect(fence(story)).toEqual({ holder: 'b', transitions: 5 })
  })
})

describe('what is left of a Lease', () => {
  it('has to be 12 s, of which a request has 10: with less nothing is done, and what is looked at is', async () => {
    const { story, first } = await led('short')
    first.leftMs = 11_999
    const before = calls(story, { method: 'GET', path: /\/pulls\?/ })
    await story.runs('dev', '2.0.0')
    await story.pass(120)
    expect([calls(story, PUSH), calls(story, CREATE)]).toEqual([0, 0])
    expect(story.phase('staging')).toBe('Applying')
    expect(calls(story, { method: 'GET', path: /\/pulls\?/ })).toBeGreaterThan(before)
    first.leftMs = 12_000
    expect(await story.until(() => story.phase('staging') === 'Converging', 130)).toBe(true)
  })

  it('ends what is under way: an effect has 10 s, and not the minute that looks have', async () => {
    const { story } = await led('deadline')
    story.host.faults.add({ ...MERGE, nth: 1 }, { kind: 'delay', ms: 600_000 })
    const sent = calls(story, MERGE)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => calls(story, MERGE) > sent)).toBe(true)
    await story.pass(9)
    expect(story.last('staging')!.status?.attempt).toBeUndefined()
    expect(await story.until(() => story.last('staging')!.status?.attempt === 1, 3)).toBe(true)
  })

  it('of somebody who has lost it does not count', async () => {
    const { story, first } = await led('deposed')
    story.repository.needsChecks = true
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    first.isHeld = false
    const merges = calls(story, MERGE)
    story.repository.block(1, false)
    await story.pass(300)
    expect([calls(story, MERGE), story.phase('staging')]).toEqual([merges, 'Open'])
  })
})

const fenceOf = (o: unknown) => (o as { status?: { fence?: object } } | undefined)?.status?.fence
