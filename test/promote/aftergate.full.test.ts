/** X16: what people and clocks change between the moment at which a promotion may begin and the one at which something is done. */
import { describe, expect, it } from 'vitest'
import type { SimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import type { FaultMatch } from '../../packages/simulators/src/githost/hostfault.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory, REPOSITORY } from './pipelinestory.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const AUTO = { pullRequest: { autoMerge: true } }
/** The commit is prepared, and nothing is pushed. */
const FIRST_LOOK: FaultMatch = { method: 'GET', path: /\/pulls\?/, nth: 1 }
const MINUTE = 60
const HOLD = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Hold',
  metadata: { name: 'wait', namespace: NAMESPACE },
  spec: {
    targetRef: { kind: 'Pipeline', name: 'podinfo' },
    action: 'Suspend',
    environments: ['staging'],
    reason: 'we look at it',
  },
}

/** dev and staging at 1.0.0, nothing to be done; `to` the second of the day. */
async function settled(seed: string, promotion: object, to = 0): Promise<PipelineStory> {
  const story = await PipelineStory.open(`aftergate/${seed}`)
  await story.pushSecret('token-1')
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({
    dev: {},
    staging: { promotion: 'strategy' in promotion ? promotion : { ...AUTO, ...promotion } },
  })
  if ('approval' in promotion) await approved(story)
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 400)).toBe(true)
  await passTo(story, to)
  return story
}

const passTo = (story: PipelineStory, second: number): Promise<void> =>
  story.pass(Math.max(0, second - story.fleet.env.clock.steady() / 1000))

async function approved(story: PipelineStory): Promise<void> {
  // One of an earlier epoch may be there.
  const isAsked = () => /^(AwaitingApproval|ApprovalForOther)/.test(story.waits('staging')[0] ?? '')
  expect(await story.until(isAsked)).toBe(true)
  const promotion = story.last('staging')!
  await story.approve(promotion)
}

const branches = async (story: PipelineStory) => [
  ...(await story.during(story.repository.store.branches())).keys(),
]

async function succeedsOnce(story: PipelineStory): Promise<void> {
  expect(await story.until(() => story.phase('staging') === 'Converging', 120)).toBe(true)
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
  expect(story.promotions('staging').map((p) => p.spec.epoch)).toEqual([1, 2])
  expect(story.repository.pulls.list().map((p) => p.state)).toEqual(['merged'])
}

describe('X16: after the gate', () => {
  it('somebody holds the environment: it is read once more before anything is done', async () => {
    const story = await settled('hold', {})
    const act = () => story.fleet.hub.create(holdKind, HOLD as never, USER)
    story.host.faults.add(FIRST_LOOK, { kind: 'before', act })
    await story.runs('dev', '2.0.0')
    await story.pass(600)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Prepared', ['Held']])
    expect(await branches(story)).toEqual(['main'])
    await story.dropHolds()
    await succeedsOnce(story)
  })

  it('somebody takes the consent back: nothing is done before there is another', async () => {
    const story = await settled('approval', { approval: 'Required' })
    await story.runs('dev', '2.0.0')
    const act = () => {
      const name = `ok-${story.last('staging')!.metadata.name}`
      return story.fleet.hub.delete(approvalKind, { namespace: NAMESPACE, name }, USER)
    }
    story.host.faults.add(FIRST_LOOK, { kind: 'before', act })
    await approved(story)
    await story.pass(600)
    expect([story.phase('staging'), story.waits('staging')]).toEqual([
      ...['Prepared', ['ApprovalForOtherRevision']],
    ])
    expect(await branches(story)).toEqual(['main'])
    await approved(story)
    await succeedsOnce(story)
  })

  it.each([
    ['push', { method: 'GET', path: /\/refs$/, nth: 3 }],
    ['merge', { method: 'GET', path: /\/pulls\/1$/, nth: 1 }],
  ] as const)(
    'somebody holds it during the look before the %s: it is read once more then, too',
    async (what, at) => {
      const push = { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } }
      const story = await settled(`late-hold/${what}`, what === 'push' ? { strategy: 'push', push } : {})
      const act = () => story.fleet.hub.create(holdKind, HOLD as never, USER)
      story.host.faults.add(at, { kind: 'before', act })
      await story.runs('dev', '2.0.0')
      await story.pass(600)
      expect(story.holds()).toHaveLength(1)
      expect([story.phase('staging'), await story.atBase('staging')]).toEqual([
        what === 'push' ? 'Applying' : 'Open',
        '1.0.0',
      ])
      await story.dropHolds()
      expect(await story.until(() => story.phase('staging') === 'Converging', 120)).toBe(true)
    },
  )

  it('somebody takes the consent back while a push is refused: it is not tried again without', async () => {
    const push = { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } }
    const story = await settled('late-approval', { strategy: 'push', push, approval: 'Required' })
    const limit = { kind: 'limit', which: 'primary', seconds: 60 } as const
    story.host.faults.add({ method: 'POST', path: /push$/, nth: 1 }, limit)
    await story.runs('dev', '2.0.0')
    await approved(story)
    expect(await story.until(() => story.phase('staging') === 'Applying')).toBe(true)
    await story.pass(5)
    const name = `ok-${story.last('staging')!.metadata.name}`
    await story.during(story.fleet.hub.delete(approvalKind, { namespace: NAMESPACE, name }, USER))
    await story.pass(600)
    expect([story.phase('staging'), story.waits('staging'), await story.atBase('staging')]).toEqual([
      ...['Applying', ['ApprovalForOtherRevision'], '1.0.0'],
    ])
    await approved(story)
    expect(await story.until(() => story.phase('staging') === 'Converging', 60)).toBe(true)
  })

  it.each([
    ['fails', false],
    ['is held', true],
  ])('its source %s while it waits: nothing begins from that', async (_, isHeld) => {
    const story = await settled(`source/${isHeld}`, { approval: 'Required' })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.waits('staging')[0] === 'ApprovalForOtherRevision')).toBe(true)
    const hold = { ...HOLD, spec: { ...HOLD.spec, environments: ['dev'] } }
    if (isHeld) await story.during(story.fleet.hub.create(holdKind, hold as never, USER))
    else await story.runs('dev', '2.0.0', { ready: false })
    await story.approve(story.last('staging')!)
    await story.pass(600)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Pending', ['SourceNotSettled']])
    if (isHeld) await story.dropHolds()
    else await story.runs('dev', '2.0.0')
    await succeedsOnce(story)
  })

  it('its window closes while the host is looked at: nothing is done before it opens', async () => {
    const windows = [{ action: 'Deny', schedule: '30 0 * * *', durationSeconds: 10 * MINUTE }]
    const story = await settled('window', { windows }, 30 * MINUTE - 4)
    story.host.faults.add(FIRST_LOOK, { kind: 'delay', ms: 8000 })
    await story.runs('dev', '2.0.0')
    await passTo(story, 39 * MINUTE)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Prepared', ['WindowClosed']])
    expect(await branches(story)).toEqual(['main'])
    await passTo(story, 40 * MINUTE + 5)
    await succeedsOnce(story)
  })

  it('its window closes while a push is refused: that is not tried again before it opens', async () => {
    const push = { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } }
    const windows = [{ action: 'Deny', schedule: '30 0 * * *', durationSeconds: 30 * MINUTE }]
    const story = await settled('push', { strategy: 'push', push, windows }, 29 * MINUTE)
    const limit = { kind: 'limit', which: 'primary', seconds: 5 * MINUTE } as const
    story.host.faults.add({ method: 'POST', path: /push$/, nth: 1 }, limit)
    await story.runs('dev', '2.0.0')
    await passTo(story, 59 * MINUTE)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Applying', ['WindowClosed']])
    expect(await story.atBase('staging')).toBe('1.0.0')
    await passTo(story, 60 * MINUTE)
    expect(await story.until(() => story.phase('staging') === 'Converging', 5)).toBe(true)
    expect(await story.atBase('staging')).toBe('2.0.0')
  })

  it.each([-1, 1])(
    'the clock of the process is wrong by %i h: windows are those of the hub',
    async (hours) => {
      // In every other hour: of two clocks with an hour between them one is in it.
      const windows = [{ action: 'Deny', schedule: '30 */2 * * *', durationSeconds: 30 * MINUTE }]
      const story = await settled(`clock/${hours}`, { windows })
      story.manager.stop()
      story.manager = story.start(skewed(story.fleet.env, hours))
      await passTo(story, 31 * MINUTE)
      await story.runs('dev', '2.0.0')
      await passTo(story, 59 * MINUTE)
      expect([story.phase('staging'), story.waits('staging')]).toEqual(['Pending', ['WindowClosed']])
      await passTo(story, 60 * MINUTE + 5)
      await succeedsOnce(story)
      await passTo(story, 95 * MINUTE)
      await story.runs('dev', '3.0.0')
      expect(await story.until(() => story.phase('staging') === 'Converging', 120)).toBe(true)
    },
  )
})

/** A process whose clock is so far ahead of everybody else's. */
const skewed = (env: SimEnv, hours: number): SimEnv => ({
  ...env,
  clock: { ...env.clock, now: () => env.clock.now() + hours * 3_600_000 },
})
