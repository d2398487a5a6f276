/** A process that knows only what was: of what has happened since it has heard nothing, and it acts all the same. */
import { expect } from 'vitest'
import type { Net } from '../../../packages/kube/src/env/net.ts'
import { startManager } from '../../../packages/lockstep/src/controllers/manager/manager.ts'
import type { FaultMatch } from '../../../packages/simulators/src/githost/hostfault.ts'
import { HeldWatches } from '../../fleet/heldwatches.ts'
import { backInTime } from '../../promote/backintime.ts'
import type { FleetCase } from '../fleet.cases.ts'
import type { Corner } from '../fleetsubject.ts'
import { CREATE, MERGE, PUSH } from './once.cases.ts'
import { AUTO, type PromotionStage, withPlace } from './promotionstage.ts'

const NEXT = [2, '6.1.0'] as const

/** Controllers of another process, between which and the hub the network is another one. */
async function withAnother(c: Corner, around: (net: Net) => Net, work: () => Promise<void>): Promise<void> {
  const { env, controllerClient } = c.subject
  const other = startManager(env, controllerClient(around), { identity: 'other' })
  try {
    await work()
  } finally {
    other.stop()
  }
}

const alone = (name: string, run: (p: PromotionStage) => Promise<void>): FleetCase => ({
  name,
  alone: true,
  patienceSeconds: 120,
  run: (c) => withPlace(c, run),
})

/** From the first of these requests to the host on it hears nothing of pipelines and promotions; of targets it does. */
const deafFrom = (what: string, where: FaultMatch): FleetCase =>
  alone(
    `X7: a second process hears nothing from the ${what} on, and acts on what it knows: all is done once`,
    async (place) => {
      const held = new HeldWatches()
      await withAnother(
        place.c,
        (net) => held.around(net),
        async () => {
          await place.settled(AUTO)
          let isDeaf = false
          const act = async () => {
            held.hold('pipelines', 'promotions')
            isDeaf = true
          }
          place.host.faults.add({ ...where, nth: 1 }, { kind: 'before', act })
          await place.runs('dev', '6.1.0')
          const done = await place.succeeds(NEXT)
          expect(isDeaf).toBe(true)
          // What it hears of targets wakes it.
          for (const environment of ['dev', 'prod'] as const)
            await place.runs(environment, '6.1.0', { ready: false })
          await place.quiet(3)
          for (const environment of ['dev', 'prod'] as const) await place.runs(environment, '6.1.0')
          await place.quiet(5)
          place.once(done)
          held.hold()
          await place.quiet(3)
          place.once(done)
          expect([(await place.promotions()).map((p) => p.spec.epoch), await place.holds()]).toEqual([
            [1, 2],
            [],
          ])
        },
      )
    },
  )

export const staleCases: readonly FleetCase[] = [
  deafFrom('push', PUSH),
  deafFrom('pull request', CREATE),
  deafFrom('merge', MERGE),
  alone(
    'X8: after a restart a cache of targets is older than what it was before: what is read just now counts, and nothing begins',
    async (place) => {
      const { c } = place
      await place.settled(AUTO)
      await place.runs('dev', '6.1.0')
      const done = await place.succeeds(NEXT)
      await place.untilEnvironment('prod', 'promoted', (e) => e.promoted === '6.1.0')
      c.controllers.kill()
      const old = (net: Net) => backInTime(net, c.namespace, { is: '6.1.0', was: '6.0.0' })
      try {
        await withAnother(c, old, async () => {
          const prod = await place.untilEnvironment(
            'prod',
            'not led back',
            (e) => e.blockers?.[0]?.reason === 'SourceNotSettled',
          )
          expect(prod.blockers?.[0]?.message).toBe(
            'waiting for environment dev: it is at 6.1.0, not at 6.0.0',
          )
          await place.quiet(3)
          place.once(done)
          expect((await place.promotions()).map((p) => p.spec.epoch)).toEqual([1, 2])
        })
      } finally {
        c.controllers.start()
      }
    },
  ),
]
