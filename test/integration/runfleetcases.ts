/** Runs the table of cases on a fleet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ManagerOptions } from '../../packages/lockstep/src/controllers/runtime/options.ts'
import { auditProblems } from '../audit/auditproblems.ts'
import { strangers } from '../egress/contacts.ts'
import { TIER } from '../tier.ts'
import type { FleetCase } from './fleet.cases.ts'
import {
  Corner,
  type FleetSubject,
  NAMESPACES,
  PATIENCE_SECONDS,
  SubjectControllers,
} from './fleetsubject.ts'
import { installHub } from './installhub.ts'

interface CaseFleet {
  readonly subject: FleetSubject
  readonly controllers: SubjectControllers
}

/** All on one fleet: beside each other those that can be, then one after the other those that want it for themselves. */
export function runFleetCases(
  title: string,
  make: () => Promise<FleetSubject>,
  cases: readonly FleetCase[],
  options: ManagerOptions = {},
): void {
  describe(title, () => {
    let fleet: CaseFleet
    beforeAll(async () => {
      fleet = await start(make, options)
    })
    afterAll(() => stop(fleet))
    const add = (c: FleetCase): void => it.skipIf(isLeftOut(c))(c.name, () => play(fleet, c), limitMs(c))
    // Who has the most patience waits longest: begun last, all else would be over, and it alone would be waited for.
    const patience = (c: FleetCase): number => c.patienceSeconds ?? PATIENCE_SECONDS
    const beside = cases.filter((c) => !c.alone).sort((a, b) => patience(b) - patience(a))
    if (beside.length > 0)
      describe('beside each other', { concurrent: true }, () => {
        for (const c of beside) add(c)
      })
    for (const c of cases) if (c.alone) add(c)
  })
}

/** Each on a fleet of its own, so that none has to wait for another. */
export function runOnFleetsApart(
  title: string,
  make: () => Promise<FleetSubject>,
  cases: readonly FleetCase[],
): void {
  describe(title, { concurrent: true }, () => {
    for (const c of cases)
      it(
        c.name,
        async () => {
          const fleet = await start(make)
          await play(fleet, c).finally(() => stop(fleet))
        },
        limitMs(c),
      )
  })
}

/** Without `--long`, real servers do not wait for what takes long. */
const isLeftOut = (c: FleetCase): boolean =>
  TIER === 'real' && c.isLong === true && process.env.LOCKSTEP_LONG !== '1'

/** A test waits for several things. */
const limitMs = ({ patienceSeconds = PATIENCE_SECONDS }: FleetCase): number => 2000 * patienceSeconds

async function start(make: () => Promise<FleetSubject>, options: ManagerOptions = {}): Promise<CaseFleet> {
  const subject = await make()
  await installHub(subject.hub.client)
  const controllers = new SubjectControllers(subject, options)
  controllers.start()
  return { subject, controllers }
}

async function play({ subject, controllers }: CaseFleet, { run, patienceSeconds }: FleetCase): Promise<void> {
  const corner = new Corner(subject, controllers, patienceSeconds ?? PATIENCE_SECONDS)
  await corner.open()
  await run(corner).finally(() => corner.close())
}

async function stop({ subject, controllers }: CaseFleet): Promise<void> {
  controllers.kill()
  await subject.stop()
  const hub = { isAdmin: true, argocdNamespaces: NAMESPACES }
  if (subject.contacts) expect(strangers(subject.contacts)).toEqual([])
  if (subject.audit) expect(auditProblems(subject.audit, hub)).toEqual([])
}
