/** What a leader may find, whoever died, whatever was lost and whoever did what meanwhile, and the only end that is allowed. */
import { describe, expect, it } from 'vitest'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Promotion } from '../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import type { FaultMatch } from '../../packages/simulators/src/githost/hostfault.ts'
import { HeldWatches } from '../fleet/heldwatches.ts'
import { spawn } from '../simulation/process.ts'
import { backInTime } from './backintime.ts'
import { PipelineStory, REPOSITORY } from './pipelinestory.ts'

const AUTO = { pullRequest: { autoMerge: true } }
const PUSH_TO_BASE = {
  strategy: 'push',
  push: { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } },
}
const PUSH: FaultMatch = { method: 'POST', path: /push$/ }
const CREATE: FaultMatch = { method: 'POST', path: /\/pulls$/ }
const MERGE: FaultMatch = { method: 'PUT', path: /\/merge$/ }
const EDIT: FaultMatch = { method: 'PATCH', path: /\/pulls\/\d+$/ }

/** dev and staging at 1.0.0, and nothing to be done. */
async function settled(seed: string, promotion: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(`matrix/${seed}`)
  await story.pushSecret('token-1')
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

/** A process that dies at this request, and no other one yet. */
async function died(story: PipelineStory, at: FaultMatch, after: boolean): Promise<void> {
  story.manager.stop()
  const of = (r: NetRequest) => r.method === at.method && (at.path?.test(r.path) ?? true)
  const crash = { write: 1, after, of }
  const process = spawn(story.fleet.env, 'first', { delayMs: 2, lossRate: 0, dropRate: 0, crash })
  story.manager = story.start(process.env)
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => !process.alive, 300)).toBe(true)
}

/** To its end, with what delivers the base. */
async function succeeds(story: PipelineStory, seconds = 300): Promise<void> {
  expect(await story.until(() => story.phase('staging') === 'Converging', seconds)).toBe(true)
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
  expect(await story.atBase('staging')).toBe('2.0.0')
}

/** One Promotion, one change of the base, so many pull requests. */
function once(story: PipelineStory, pulls = 1): void {
  const { journal } = story.repository
  const key = keyOfPromotion(story.last('staging')!.spec)
  expect(story.promotions('staging').map((p) => p.spec.epoch)).toEqual([1, 2])
  expect([journal.pullsOf(key).length, journal.changesOf(key, 'main').length]).toEqual([pulls, 1])
}

const held = (story: PipelineStory) => story.holds().map((h) => h.metadata.name)

describe('a process died', () => {
  it.each<[string, object, FaultMatch, boolean, number]>([
    ['X1: before it made the Promotion', AUTO, { method: 'POST', path: /\/promotions/ }, false, 1],
    ['X1: after it made the Promotion', AUTO, { method: 'POST', path: /\/promotions/ }, true, 1],
    ['X2: before the push', AUTO, PUSH, false, 1],
    ['X2: after the push: the branch is at our commit', AUTO, PUSH, true, 1],
    ['X3: after it opened the pull request, which is at our head', AUTO, CREATE, true, 1],
    ['X4: after the merge', AUTO, MERGE, true, 1],
    ['X5: after the push to the base, which has our trailer', PUSH_TO_BASE, PUSH, true, 0],
  ])('%s: it is done once', async (seed, promotion, at, after, pulls) => {
    const story = await settled(seed, promotion)
    await died(story, at, after)
    story.manager = story.start()
    await succeeds(story)
    once(story, pulls)
  })

  it('X6: after the push to the base, which somebody reverted: it is not done again, and held', async () => {
    const story = await settled('x6', PUSH_TO_BASE)
    await died(story, PUSH, true)
    const { to } = story.repository.journal.changes.at(-1)!
    await story.during(story.repository.revert(to!))
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Failed')).toBe(true)
    expect(story.last('staging')!.status?.reason).toBe('RevertedInGit')
    await story.pass(600)
    expect(held(story)).toEqual(['podinfo-staging-2-reverted'])
    expect(await story.atBase('staging')).toBe('1.0.0')
    once(story, 0)
  })
})

describe('somebody has meanwhile', () => {
  it('X4: squashed the pull request and deleted its branch: it converges', async () => {
    const story = await settled('x4')
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const { branch } = story.last('staging')!.status!.intent!
    await story.during(story.repository.merge(1, { method: 'squash', by: 'person', message: 'mine' }))
    await story.during(story.repository.deleteBranch(branch!))
    await succeeds(story)
    once(story)
  })

  it('X11: rewritten the base before the push: the same change is made on the new one', async () => {
    const story = await settled('x11/before', AUTO)
    const first = (await story.during(story.repository.store.branches())).get('main')!
    await story.during(story.repository.push('main', { 'note.md': 'x' }, 'more'))
    const act = () => story.repository.forcePush('main', first)
    story.host.faults.add({ ...PUSH, nth: 1 }, { kind: 'before', act })
    await story.runs('dev', '2.0.0')
    await succeeds(story)
    once(story)
  })

  it('X11: rewritten the base after it was done: it is held, and not done again', async () => {
    const story = await settled('x11/after', AUTO)
    const first = (await story.during(story.repository.store.branches())).get('main')!
    await story.runs('dev', '2.0.0')
    await succeeds(story)
    await story.during(story.repository.forcePush('main', first))
    await story.deliver()
    await story.pass(600)
    expect(held(story)).toEqual(['podinfo-staging-2-left'])
    once(story)
  })

  it('X11: changed the same line at the base: rebuilt once, with the same key, on the same pull request', async () => {
    const story = await settled('x11/conflict', AUTO)
    story.repository.needsChecks = true
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const files = await story.during(
      story.repository.push('main', { 'apps/staging.yaml': conflicting }, 'mine'),
    )
    expect(files).toBeDefined()
    story.repository.block(1, false)
    await succeeds(story)
    expect(story.last('staging')!.status?.rebuilt).toBe(1)
    once(story)
  })

  it('X12: deleted the branch before there was a pull request: it is pushed again', async () => {
    const story = await settled('x12/before', AUTO)
    const act = async () => {
      const { branch } = story.last('staging')!.status!.intent!
      await story.repository.deleteBranch(branch!)
    }
    story.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'before', act })
    await story.runs('dev', '2.0.0')
    await succeeds(story)
    once(story)
  })

  it('X12: deleted the branch of an open pull request: Rejected for good, and whoever reopens it is told', async () => {
    const story = await settled('x12/after')
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const { branch, commit } = story.last('staging')!.status!.intent!
    await story.during(story.repository.deleteBranch(branch!))
    expect(await story.until(() => story.phase('staging') === 'Rejected', 61)).toBe(true)
    await story.during(story.repository.forcePush(branch!, commit!))
    expect(await story.during(story.repository.reopen(1))).toBe(true)
    await story.pass(120)
    expect(story.phase('staging')).toBe('Rejected')
    expect(story.repository.pulls.get(1)).toMatchObject({
      state: 'open',
      comments: [expect.stringContaining('has ended')],
    })
  })

  it('X14: merged the old pull request while it was to be closed: the old one converges, and the base ends at the new one', async () => {
    const story = await settled('x14')
    await story.runs('dev', '1.5.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const act = () => story.repository.merge(1, { method: 'merge', by: 'person' })
    story.host.faults.add({ ...EDIT, nth: 1 }, { kind: 'before', act })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.promotions('staging')[1]?.status?.phase === 'Converging')).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Open', 120)).toBe(true)
    await story.during(story.repository.merge(2, { method: 'merge', by: 'person' }))
    await succeeds(story)
    expect(story.promotions('staging').map((p) => p.status?.phase)).toEqual(Array(3).fill('Succeeded'))
  })
})

describe('X8: a cache of targets that goes back in time after a restart', () => {
  it('begins nothing: what is read just now says otherwise', async () => {
    const story = await settled('x8', AUTO)
    await story.runs('dev', '2.0.0')
    await succeeds(story)
    await story.pass(700)
    story.manager.stop()
    const { env } = story.fleet
    const net = backInTime(env.net, 'dev', { is: '2.0.0', was: '1.0.0' })
    story.manager = story.start({ ...env, net })
    await story.pass(120)
    expect(story.promotions('staging')).toHaveLength(2)
    expect(story.environment('staging')?.blockers).toMatchObject([
      {
        reason: 'SourceNotSettled',
        message: 'waiting for environment dev: it is at 2.0.0, not at 1.0.0',
      },
    ])
    once(story)
  })

  it('is not taken for one that somebody has led back: nothing is held', async () => {
    const story = await settled('x8 destination', AUTO)
    await story.runs('dev', '2.0.0')
    await succeeds(story)
    await story.pass(700)
    story.manager.stop()
    const { env } = story.fleet
    const net = backInTime(env.net, 'staging', { is: '2.0.0', was: '1.0.0' })
    story.manager = story.start({ ...env, net })
    await story.pass(600)
    expect(story.environment('staging')?.current).toBe('1.0.0')
    expect(story.holds()).toEqual([])
    // What really leads it there is held.
    await story.runs('staging', '1.0.0')
    await story.pass(5)
    expect(story.holds().map((h) => h.metadata.name)).toEqual(['podinfo-staging-2-left'])
  })
})

const conflicting = `# staging
spec:
  chart:
    version: 1.1.0 # {"$promotion": "platform:podinfo:staging"}
`

describe('at the host', () => {
  it('X13: a list lags 10 s behind a pull request whose answer was lost: it is adopted', async () => {
    const story = await settled('x13', AUTO)
    story.repository.listsBehindMs = 10_000
    story.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'lose' })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open', 120)).toBe(true)
    story.repository.listsBehindMs = 0
    await succeeds(story)
    once(story)
  })

  it.each([
    ['its host and git say so', /\/repos\/|\/-\/git\//, {}],
    ['its host says so', /\/repos\//, {}],
    ['only git says so', /\/-\/git\//, {}],
    ['git says so of the push', /push$/, {}],
    ['git says so to strategy push', /\/-\/git\//, PUSH_TO_BASE],
  ])('X15: the repository is gone, %s: it fails, and names it', async (seed, path, promotion) => {
    const story = await settled(`x15/${seed}`, promotion)
    story.host.faults.add({ path }, { kind: 'status', status: 404 })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Failed')).toBe(true)
    expect(story.last('staging')!.status).toMatchObject({
      reason: 'RepositoryNotFound',
      message: expect.stringContaining('https://git.test/o/r'),
    })
  })

  it('X15: the repository goes while its pull request is open, and only git says so: it fails, and names it', async () => {
    const story = await settled('x15/open')
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    story.host.faults.add({ path: /\/-\/git\// }, { kind: 'status', status: 404 })
    expect(await story.until(() => story.phase('staging') === 'Failed', 150)).toBe(true)
    expect(story.last('staging')!.status?.reason).toBe('RepositoryNotFound')
  })

  it('X15: the repository is gone before a process knows anything of it: that is said, and it goes on once it is back', async () => {
    const story = await settled('x15/fresh')
    story.manager.stop()
    story.host.faults.add({ path: /\/-\/git\// }, { kind: 'status', status: 404 })
    story.manager = story.start()
    await story.runs('dev', '2.0.0')
    const waits = () => (story.environment('staging')?.blockers ?? []).map((b) => b.reason)
    expect(await story.until(() => waits().includes('RepositoryNotFound'))).toBe(true)
    const asked = story.host.requests.length
    await story.pass(500)
    expect(story.host.requests.length - asked).toBeLessThan(3)
    story.host.faults.clear()
    expect(await story.until(() => story.phase('staging') === 'Open', 120)).toBe(true)
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    await succeeds(story)
    once(story)
  })

  it.each(
    [PUSH, CREATE, MERGE].flatMap((at) => [
      [`502 before ${at.path!.source}`, at, { kind: 'status', status: 502 }] as const,
      [`502 after ${at.path!.source}`, at, { kind: 'status', status: 502, isDone: true }] as const,
      [`a reset in the answer of ${at.path!.source}`, at, { kind: 'half' }] as const,
    ]),
  )('X17: %s: looked up before it is tried again, and done once', async (seed, at, fault) => {
    const story = await settled(seed, AUTO)
    story.host.faults.add({ ...at, nth: 1 }, fault)
    await story.runs('dev', '2.0.0')
    await succeeds(story)
    once(story)
  })

  it('P3: the answer of a close is lost: closed once, and the newer one has its own', async () => {
    const story = await settled('p3/close')
    await story.runs('dev', '1.5.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    story.host.faults.add({ ...EDIT, nth: 1 }, { kind: 'lose' })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '2.0.0')).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Open', 120)).toBe(true)
    expect(story.repository.pulls.list().map((p) => p.state)).toEqual(['closed', 'open'])
    expect(story.promotions('staging')[1]!.status?.phase).toBe('Superseded')
  })
})

describe('another leader', () => {
  it('X18: pushes and opens at the same moment: one pull request, one change', async () => {
    const story = await settled('x18', AUTO)
    story.manager.stop()
    for (const name of ['a', 'b']) {
      const process = spawn(story.fleet.env, name, { delayMs: 5, lossRate: 0, dropRate: 0 })
      story.manager = story.start(process.env, { identity: name })
    }
    await story.runs('dev', '2.0.0')
    await succeeds(story)
    once(story)
  })

  it('P4, X10: what was sent arrives after the Lease: a stray pull request is closed within 70 s, and the base changes once', async () => {
    const pullRequest = { ...AUTO.pullRequest, mergeMethod: 'squash', deleteBranch: false }
    const story = await settled('p4', { pullRequest })
    story.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'late', ms: 40_000 })
    await story.runs('dev', '2.0.0')
    await succeeds(story)
    await story.pass(120)
    const [stray] = story.repository.journal
      .pullsOf(keyOfPromotion(story.last('staging')!.spec))
      .filter((p) => p.closedAt !== undefined)
    expect(stray!.closedAt! - stray!.openedAt).toBeLessThanOrEqual(70_000)
    once(story, 2)
  })

  it.each(['Pending', 'Prepared', 'Applying', 'Open', 'Converging', 'Verifying'])(
    'X7: a process that knows it as %s, and nothing that came after, does nothing that was done',
    async (phase) => {
      const story = await settled(`x7 ${phase}`, { ...AUTO, verify: { soakSeconds: 20 } })
      const held = new HeldWatches()
      story.start(held.surroundings(story.fleet.env), { identity: 'late' })
      await story.pass(30)
      const isHeld = holdsAfter(story, held, phase)
      await story.runs('dev', '2.0.0')
      await succeeds(story)
      expect(isHeld()).toBe(true)
      const asked = held.requests.length
      await story.pass(600)
      // Nobody is asked without end meanwhile.
      expect(held.requests.length - asked).toBeLessThan(1200)
      once(story)
      held.hold()
      await story.pass(600)
      once(story)
      expect(story.holds()).toEqual([])
    },
  )
})

/** From where the promotion leaves this phase on, nothing of pipelines and promotions is heard. */
function holdsAfter(story: PipelineStory, held: HeldWatches, phase: string): () => boolean {
  const phaseOf = (o: KubeObject | undefined) => o && ((o as Stored<Promotion>).status?.phase ?? 'Pending')
  let isHeld = false
  const push = story.fleet.commits.push.bind(story.fleet.commits)
  story.fleet.commits.push = (...commits) => {
    for (const { resource, old, next } of commits) {
      if (isHeld || !resource.startsWith('promotions.')) continue
      if (phaseOf(old) !== phase || phaseOf(next) === phase) continue
      isHeld = true
      held.hold('pipelines', 'promotions')
    }
    return push(...commits)
  }
  return () => isHeld
}
