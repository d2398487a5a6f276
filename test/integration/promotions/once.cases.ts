/** Once: whoever dies, whatever answer is lost, and whoever else does it. */
import { expect } from 'vitest'
import { value } from '../../../packages/kube/src/client/client.cases.ts'
import { pipelineKind } from '../../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { promotionKind } from '../../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { startManager } from '../../../packages/lockstep/src/controllers/manager/manager.ts'
import { keyOfPromotion } from '../../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import type { FaultMatch, HostFault } from '../../../packages/simulators/src/githost/hostfault.ts'
import { ControllerReplicas, type Replica } from '../controllerreplicas.ts'
import type { FleetCase } from '../fleet.cases.ts'
import type { Corner } from '../fleetsubject.ts'
import { ANY, AUTO, PIPELINE, withPlace } from './promotionstage.ts'

export const PUSH: FaultMatch = { method: 'POST', path: /git-receive-pack$/ }
export const CREATE: FaultMatch = { method: 'POST', path: /\/pulls$/ }
export const MERGE: FaultMatch = { method: 'PUT', path: /\/merge$/ }
const NEXT = [2, '6.1.0'] as const

/** What a host does, as a person reads it. */
const AT: Readonly<Record<string, FaultMatch>> = { push: PUSH, 'pull request': CREATE, merge: MERGE }

/** The controllers of all the cases rest; one is a process of its own, which can be killed like any other. */
export async function withProcess(
  c: Corner,
  story: (replicas: ControllerReplicas, first: Replica) => Promise<void>,
): Promise<void> {
  c.controllers.kill()
  const replicas = new ControllerReplicas(c.subject.hub.kubeconfig, c.namespace, 'usual')
  try {
    await story(replicas, await replicas.start())
  } finally {
    await replicas.stop()
    c.controllers.start()
  }
}

const killed = (name: string, when: 'before' | 'after'): FleetCase => ({
  name: `P2: kill -9 ${when} the ${name}: another process does it once`,
  alone: true,
  patienceSeconds: 180,
  run: (c) =>
    withProcess(c, (replicas, first) =>
      withPlace(c, async (place) => {
        await place.settled(AUTO)
        const dead = new Promise<void>((resolve) => {
          const act = async () => {
            first.kill('SIGKILL')
            await first.ended
            resolve()
          }
          place.host.faults.add({ ...AT[name]!, nth: 1 }, { kind: when, act })
        })
        await place.runs('dev', '6.1.0')
        await dead
        await replicas.start()
        place.once(await place.succeeds(NEXT))
      }),
    ),
})

const lost = (name: string, wheres: readonly FaultMatch[], fault: HostFault): FleetCase => ({
  name,
  patienceSeconds: 120,
  run: (c) =>
    withPlace(c, async (place) => {
      await place.settled({ ...AUTO, retryPolicy: { initial: '1s' } })
      for (const where of wheres) place.host.faults.add({ ...where, nth: 1 }, fault)
      await place.runs('dev', '6.1.0')
      place.once(await place.succeeds(NEXT))
      expect((await place.promotions()).map((p) => p.status?.phase)).toEqual(['Succeeded', 'Succeeded'])
    }),
})

export const onceCases: readonly FleetCase[] = [
  {
    name: 'P1: one Promotion, one commit, one pull request, with its number; and nothing more while it is open',
    patienceSeconds: 120,
    run: (c) =>
      withPlace(c, async (place) => {
        await place.settled()
        await place.runs('dev', '6.1.0')
        const open = await place.untilPhase(NEXT, 'Open')
        expect(open.status?.result?.pullRequest).toMatchObject({
          number: 1,
          url: expect.stringContaining('/shop/fleet/pull/1'),
        })
        const { resourceVersion } = (await place.untilWaits(NEXT, 'AwaitingMerge')).metadata
        const done = place.changes()
        for (let i = 0; i < 50; i++) {
          const metadata = { annotations: { looked: String(i) } }
          const key = { namespace: c.namespace, name: PIPELINE }
          value(await c.hub.patch(pipelineKind, key, { metadata }, ANY))
        }
        await place.quiet(3)
        expect(place.changes()).toEqual(done)
        expect((await place.promotions()).at(-1)!.metadata.resourceVersion).toBe(resourceVersion)
        await place.repository.merge(1, { method: 'merge', by: 'person' })
        place.once(await place.succeeds(NEXT))
        expect(await place.branches()).toEqual(['main'])
      }),
  },
  ...Object.keys(AT).flatMap((name) => [killed(name, 'before'), killed(name, 'after')]),
  ...Object.entries(AT).map(([name, where]) =>
    lost(`P3: the answer of the ${name} is lost: it is done once`, [where], { kind: 'lose' }),
  ),
  lost('P3: all of these answers are lost: it is done once', Object.values(AT), { kind: 'lose' }),
  lost('X17: a host that does it, and answers 502: it is done once', Object.values(AT), {
    kind: 'status',
    status: 502,
    isDone: true,
  }),
  {
    name: 'X18: two processes that both believe they lead: one pull request, one change',
    alone: true,
    patienceSeconds: 120,
    run: (c) =>
      withPlace(c, async (place) => {
        const { env, controllerClient } = c.subject
        const other = startManager(env, controllerClient(), { identity: 'other' })
        try {
          await place.settled(AUTO)
          await place.runs('dev', '6.1.0')
          place.once(await place.succeeds(NEXT))
        } finally {
          other.stop()
        }
      }),
  },
  {
    name: 'P4: what was sent arrives long after its sender has given it up: the stray pull request is closed, the base changes once',
    patienceSeconds: 180,
    run: (c) =>
      withPlace(c, async (place) => {
        const pullRequest = { ...AUTO.pullRequest, mergeMethod: 'squash', deleteBranch: false }
        await place.settled({ pullRequest, retryPolicy: { initial: '1s' } })
        place.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'late', ms: 40_000 })
        await place.runs('dev', '6.1.0')
        const done = await place.succeeds(NEXT)
        const { journal } = place.repository
        const pulls = () => journal.pullsOf(keyOfPromotion(done.spec))
        while (!pulls().some((p) => p.closedAt !== undefined)) await place.quiet(1)
        const [stray] = pulls().filter((p) => p.closedAt !== undefined)
        expect(stray!.closedAt! - stray!.openedAt).toBeLessThanOrEqual(70_000)
        place.once(done, 2)
      }),
  },
  {
    name: 'P5: 6.1.0, 6.0.0, 6.1.0: each has its epoch; the first pull request is closed, a second one opened',
    patienceSeconds: 120,
    run: (c) =>
      withPlace(c, async (place) => {
        await place.settled()
        await place.runs('dev', '6.1.0')
        await place.untilPhase(NEXT, 'Open')
        await place.runs('dev', '6.0.0')
        await place.untilPhase([3, '6.0.0'], 'Succeeded')
        await place.runs('dev', '6.1.0')
        await place.untilPhase([4, '6.1.0'], 'Open')
        expect((await place.promotions()).map((p) => p.status?.phase)).toEqual([
          ...['Succeeded', 'Superseded', 'Succeeded', 'Open'],
        ])
        expect(place.pulls()).toEqual(['#1 closed 6.1.0', '#2 open 6.1.0'])
      }),
  },
  {
    name: 'P9: a host that fails four times is asked a fifth; after five it is let be, and that is said',
    patienceSeconds: 120,
    run: (c) =>
      withPlace(c, async (place) => {
        await place.settled({ retryPolicy: { initial: '500ms' } })
        place.host.faults.add({ ...CREATE, nth: 1, times: 4 }, { kind: 'status', status: 502 })
        place.host.faults.add({ ...CREATE, nth: 6, times: 5 }, { kind: 'status', status: 502 })
        await place.runs('dev', '6.1.0')
        await place.untilPhase(NEXT, 'Open')
        await place.runs('dev', '6.2.0')
        const failed = await place.untilPhase([3, '6.2.0'], 'Failed')
        expect(failed.status).toMatchObject({
          reason: 'RetriesExhausted',
          message: expect.stringMatching(/^5 attempts failed in .*: POST \/repos\/shop\/fleet\/pulls: 502/),
        })
        const creates = () => place.changes().filter((r) => r.endsWith('/pulls')).length
        expect(creates()).toBe(10)
        await place.quiet(5)
        expect(creates()).toBe(10)
      }),
  },
  {
    name: 'P10: a limit of the host is waited for, and costs no attempt',
    patienceSeconds: 120,
    run: (c) =>
      withPlace(c, async (place) => {
        await place.settled()
        // So long that it lasts while it is looked at below, also where the machine is busy.
        place.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'limit', which: 'secondary', seconds: 20 })
        await place.runs('dev', '6.1.0')
        const waiting = await place.untilWaits(NEXT, 'HostRateLimited')
        const asked = place.host.requests.length
        await place.quiet(4)
        expect(place.host.requests.length).toBe(asked)
        expect(waiting.status?.attempt).toBeUndefined()
        await place.untilPhase(NEXT, 'Open')
      }),
  },
  {
    name: 'P11: a base that moves before each of three pushes gets one commit, on the last of them',
    patienceSeconds: 120,
    run: (c) =>
      withPlace(c, async (place) => {
        const push = { strategy: 'push', push: place.push, retryPolicy: { initial: '500ms' } }
        await place.settled(push)
        let moved = 0
        const act = async () => {
          moved++
          await place.repository.push('main', { [`note-${moved}.md`]: 'x' }, 'meanwhile')
        }
        place.host.faults.add({ ...PUSH, nth: 1, times: 3 }, { kind: 'before', act })
        await place.runs('dev', '6.1.0')
        place.once(await place.succeeds(NEXT), 0)
        expect(moved).toBe(3)
        expect(await place.textAt('main', 'note-3.md')).toBe('x')
      }),
  },
  {
    name: 'P20: a pipeline that is made anew finds its pull request; with the same identity a second one does nothing',
    patienceSeconds: 120,
    run: (c) =>
      withPlace(c, async (place) => {
        await place.settled()
        await place.runs('dev', '6.1.0')
        await place.untilPhase(NEXT, 'Open')
        const key = { namespace: c.namespace, name: PIPELINE }
        value(await c.hub.delete(pipelineKind, key, ANY))
        for (const { metadata } of await place.promotions()) {
          const gone = await c.hub.delete(promotionKind, metadata, ANY)
          // They belong to the pipeline: whoever collects what has no owner may have been faster.
          if (!gone.ok && gone.error.kind !== 'NotFound') value(gone)
        }
        await c.untilGone(c.hub, promotionKind, place.name(...NEXT))
        await place.pipeline()
        await place.untilPhase(NEXT, 'Open')
        await place.pipeline({}, { name: 'second' })
        const stalled = await c.until(c.hub, pipelineKind, 'second', 'stalled', (p) =>
          (p?.status?.conditions ?? []).some((x) => x.type === 'Stalled' && x.status === 'True'),
        )
        expect(JSON.stringify(stalled.status?.conditions)).toContain('IdentityConflict')
        await place.repository.merge(1, { method: 'merge', by: 'person' })
        place.once(await place.succeeds(NEXT))
        expect(place.pulls()).toEqual(['#1 merged 6.1.0'])
      }),
  },
]
