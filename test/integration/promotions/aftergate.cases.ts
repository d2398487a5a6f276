/** X16: what people and clocks change between the moment at which a promotion may begin and the one at which something is done. */
import { expect } from 'vitest'
import { value, WRITE } from '../../../packages/kube/src/client/client.cases.ts'
import { approvalKind } from '../../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { holdKind } from '../../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { startManager } from '../../../packages/lockstep/src/controllers/manager/manager.ts'
import { keyOfPromotion } from '../../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import type { FaultMatch } from '../../../packages/simulators/src/githost/hostfault.ts'
import type { FleetCase } from '../fleet.cases.ts'
import { ANY, AUTO, PIPELINE, type PromotionStage, withPlace } from './promotionstage.ts'

const NEXT = [2, '6.1.0'] as const
const NEWER = [3, '6.2.0'] as const
/** The commit is prepared, and nothing is pushed. */
const FIRST_LOOK: FaultMatch = { method: 'GET', path: /\/pulls\?.*head=/, nth: 1 }
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

const of = (
  name: string,
  work: (p: PromotionStage) => Promise<void>,
  o: { alone?: boolean } = {},
): FleetCase => ({
  name,
  patienceSeconds: 180,
  ...o,
  run: (c) => withPlace(c, work),
})

const untilPrepared = (place: PromotionStage, reason: string) =>
  place.until(
    NEXT,
    `prepared, and waiting: ${reason}`,
    ({ status }) => status?.phase === 'Prepared' && status.blockers?.[0]?.reason === reason,
  )

/** Closed every day from this minute on, for so many of them. */
function closedFrom(ms: number, minutes: number): object {
  const at = new Date(ms)
  const schedule = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`
  return { windows: [{ action: 'Deny', schedule, durationSeconds: 60 * minutes }] }
}

export const afterGateCases: readonly FleetCase[] = [
  of('X16: it is held while the host is looked at: nothing is pushed before it is let go', async (place) => {
    const { hub, namespace } = place.c
    await place.settled(AUTO)
    const hold = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Hold',
      metadata: { name: 'wait', namespace },
      spec: {
        targetRef: { kind: 'Pipeline', name: PIPELINE },
        action: 'Suspend',
        environments: ['prod'],
        reason: 'we look at it',
      },
    }
    const act = async () => value(await hub.create(holdKind, hold as never, WRITE))
    place.host.faults.add(FIRST_LOOK, { kind: 'before', act })
    await place.runs('dev', '6.1.0')
    await untilPrepared(place, 'Held')
    await place.quiet(3)
    expect(await place.branches()).toEqual(['main'])
    value(await hub.delete(holdKind, { namespace, name: 'wait' }, ANY))
    place.once(await place.succeeds(NEXT))
  }),
  of(
    'X16: its Approval is taken back while the host is looked at: nothing without another',
    async (place) => {
      const { hub, namespace } = place.c
      await Promise.all([place.runs('dev', '6.0.0'), place.runs('prod', '6.0.0')])
      await place.pipeline({ ...AUTO, approval: 'Required' })
      await place.approve(await place.untilWaits([1, '6.0.0'], 'AwaitingApproval'))
      await place.untilEnvironment('prod', 'at what was there before', (e) => e.arrived !== undefined)
      await place.runs('dev', '6.1.0')
      const waiting = await place.untilWaits(NEXT, 'ApprovalForOtherRevision')
      const name = `ok-${waiting.metadata.name}`
      const act = async () => value(await hub.delete(approvalKind, { namespace, name }, ANY))
      place.host.faults.add(FIRST_LOOK, { kind: 'before', act })
      await place.approve(waiting)
      await untilPrepared(place, 'ApprovalForOtherRevision')
      await place.quiet(3)
      expect(await place.branches()).toEqual(['main'])
      await place.approve(waiting)
      place.once(await place.succeeds(NEXT))
    },
  ),
  of('X16: its window closes while the host is looked at: nothing is done before it opens', async (place) => {
    const { clock } = place.c.subject.env
    // The next minute that leaves time for what comes before it.
    const closesMs = Math.ceil((clock.now() + 30_000) / MINUTE_MS) * MINUTE_MS
    await place.settled({ ...AUTO, ...closedFrom(closesMs, 1) })
    await place.quiet((closesMs - 6000 - clock.now()) / 1000)
    place.host.faults.add(FIRST_LOOK, { kind: 'delay', ms: 7500 })
    await place.runs('dev', '6.1.0')
    const waiting = await place.untilWaits(NEXT, 'WindowClosed')
    // Where a server was slow it has not begun at all.
    expect(['Prepared', 'Pending']).toContain(waiting.status?.phase)
    expect(await place.branches()).toEqual(['main'])
    const done = await place.succeeds(NEXT)
    place.once(done)
    const [opened] = place.repository.journal.pullsOf(keyOfPromotion(done.spec))
    expect(opened!.openedAt).toBeGreaterThanOrEqual(closesMs + MINUTE_MS)
  }),
  of(
    'X16: the clock of the process is an hour ahead: windows are those of the hub',
    async (place) => {
      const { c } = place
      const { env, controllerClient } = c.subject
      const now = () => env.clock.now() + HOUR_MS
      await place.settled(AUTO)
      c.controllers.kill()
      const other = startManager({ ...env, clock: { ...env.clock, now } }, controllerClient())
      try {
        await place.pipeline({ ...AUTO, ...closedFrom(env.clock.now() - MINUTE_MS, 15) })
        await place.runs('dev', '6.1.0')
        const waiting = await place.untilWaits(NEXT, 'WindowClosed')
        expect([waiting.status?.phase, place.changes()]).toEqual(['Pending', []])
        await place.pipeline({ ...AUTO, ...closedFrom(now() - MINUTE_MS, 15) })
        await place.runs('dev', '6.2.0')
        place.once(await place.succeeds(NEWER))
      } finally {
        other.stop()
        c.controllers.start()
      }
    },
    { alone: true },
  ),
]
