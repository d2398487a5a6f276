/** What people decide: consent, Holds, windows, closing, merging, and leading back. */
import { expect } from 'vitest'
import { holdKind } from '../../../packages/lockstep/src/api/kinds/index.ts'
import type { FleetCase } from '../fleet.cases.ts'
import { condition } from '../fleetsubject.ts'
import { AUTO, type PromotionStage, withPlace } from './promotionstage.ts'

const NEXT = [2, '6.1.0'] as const
const isConverging = ['Converging', 'Verifying', 'Succeeded']

const of = (name: string, work: (p: PromotionStage) => Promise<void>): FleetCase => ({
  name,
  patienceSeconds: 120,
  run: (c) => withPlace(c, work),
})

export const peopleCases: readonly FleetCase[] = [
  of('P6: what is led back by hand is held, and a request promotes once again', async (place) => {
    const { c } = place
    await place.settled(AUTO)
    await place.runs('dev', '6.1.0')
    place.once(await place.succeeds(NEXT))
    const name = place.name(...NEXT)
    await place.untilEnvironment('prod', 'seen at what was promoted', (e) => e.arrived === name)
    await place.runs('prod', '6.0.0')
    const hold = await c.until(c.hub, holdKind, 'podinfo-prod-2-left', 'made', (h) => h !== undefined)
    expect(hold.spec).toMatchObject({ targetRef: { kind: 'Pipeline' }, environments: ['prod'] })
    await place.runs('dev', '6.2.0')
    await place.untilWaits([3, '6.2.0'], 'Held')
    expect(await place.atBase()).toBe('6.1.0')
    for (let i = 0; i < 2; i++) await place.ask('r1')
    await place.untilPhase([4, '6.2.0'], ...isConverging)
    expect(await place.holds()).toEqual([])
    expect((await place.promotions()).map((p) => p.spec.epoch)).toEqual([1, 2, 3, 4])
  }),
  of(
    'P8: what is closed is rejected for good; a request, and another revision, have their own',
    async (place) => {
      await place.settled()
      await place.runs('dev', '6.1.0')
      await place.untilPhase(NEXT, 'Open')
      await place.repository.close(1)
      // A look at its host follows on whatever happens to it, at the latest in a minute.
      await place.untilPhase(NEXT, 'Rejected')
      for (let i = 0; i < 2; i++) await place.ask('r1')
      await place.untilPhase([3, '6.1.0'], 'Open')
      expect(place.pulls()).toEqual(['#1 closed 6.1.0', '#2 open 6.1.0'])
      await place.runs('dev', '6.2.0')
      await place.untilPhase([4, '6.2.0'], 'Open')
      expect(place.pulls()).toEqual(['#1 closed 6.1.0', '#2 closed 6.1.0', '#3 open 6.2.0'])
    },
  ),
  of('P12: nothing is done outside before the consent to this very promotion', async (place) => {
    await Promise.all([place.runs('dev', '6.0.0'), place.runs('prod', '6.0.0')])
    await place.pipeline({ ...AUTO, approval: 'Required' })
    await place.untilEnvironment('prod', 'at what was there before', (e) => e.phase === 'Pending')
    await place.runs('dev', '6.1.0')
    const before = await place.until(
      NEXT,
      'waiting for consent',
      (p) => condition(p, 'Ready')?.reason === 'AwaitingApproval',
    )
    await place.runs('dev', '6.2.0')
    await place.untilWaits([3, '6.2.0'], 'AwaitingApproval')
    await place.approve(before)
    const waiting = await place.untilWaits([3, '6.2.0'], 'ApprovalForOtherRevision')
    expect(place.changes()).toEqual([])
    await place.approve(waiting)
    const done = await place.succeeds([3, '6.2.0'])
    expect(done.status?.result?.pullRequest).toMatchObject({ number: 1, state: 'merged' })
    await place.untilEnvironment('prod', 'promoted', (e) => e.promoted === '6.2.0')
  }),
  of(
    'P13, P11: what somebody else has pushed is not merged by us, nor overwritten; by them it may be merged',
    async (place) => {
      await place.settled(AUTO)
      place.repository.needsChecks = true
      await place.runs('dev', '6.1.0')
      const open = await place.untilPhase(NEXT, 'Open')
      const { branch = '' } = open.status!.intent!
      await place.repository.push(branch, { 'note.md': 'mine' }, 'More of it')
      place.repository.block(1, false)
      const waiting = await place.untilWaits(NEXT, 'BranchModified')
      expect(waiting.status?.blockers?.[0]?.message).toContain('#1')
      expect(await place.textAt(branch, 'note.md')).toBe('mine')
      expect(await place.atBase()).toBe('6.0.0')
      await place.repository.merge(1, { method: 'merge', by: 'person' })
      await place.succeeds(NEXT)
      expect(await place.textAt('main', 'note.md')).toBe('mine')
    },
  ),
  of('P18: what fails its check is followed once by the way back, and held', async (place) => {
    const checks = [{ name: 'slo', readyExpr: "revision == '6.0.0'" }]
    const verify = { soakSeconds: 0, timeoutSeconds: 3, checks }
    await place.settled({ ...AUTO, verify, rollback: 'OnFailure' })
    await place.runs('dev', '6.1.0')
    await place.untilPhase(NEXT, 'Converging')
    await place.deliver()
    const failed = await place.untilPhase(NEXT, 'Failed')
    expect(failed.status).toMatchObject({ reason: 'VerificationFailed', endedIn: 'Verifying' })
    const back = [3, '6.0.0'] as const
    const rollback = await place.untilPhase(back, 'Converging', 'Verifying')
    expect(rollback.spec.rollbackOf).toBe(failed.metadata.name)
    expect(await place.atBase()).toBe('6.0.0')
    await place.deliver()
    await place.untilPhase(back, 'Succeeded')
    await place.runs('dev', '6.2.0')
    await place.untilWaits([4, '6.2.0'], 'Held')
    expect((await place.holds()).map((h) => [h.metadata.name, h.spec.passedBy])).toEqual([
      ['podinfo-prod-2-rollback', rollback.metadata.name],
    ])
  }),
  of('P18: a closed window lets nothing start, and what is open stays open', async (place) => {
    await place.settled()
    await place.runs('dev', '6.1.0')
    await place.untilPhase(NEXT, 'Open')
    const windows = [{ action: 'Deny', schedule: '* * * * *', durationSeconds: 3600 }]
    await place.pipeline({ windows })
    await place.runs('dev', '6.2.0')
    const waiting = await place.untilWaits([3, '6.2.0'], 'WindowClosed')
    expect(waiting.status?.phase ?? 'Pending').toBe('Pending')
    expect(place.pulls()[0]).toMatch(/^#1 /)
    expect(await place.atBase()).toBe('6.0.0')
  }),
]
