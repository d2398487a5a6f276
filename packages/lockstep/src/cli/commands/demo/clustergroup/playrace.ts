/** Plays the race for one player, on a hub and a cluster of its own, with the real controllers, in virtual time. */

import { configMapKind } from '@lockstep/kube/kinds'
import type { KubeObject } from '@lockstep/kube/object'
import { seededRandom } from '@lockstep/kube/sim'
import { patternDefinitions } from '@lockstep/simulators/olm'
import { moduleKind } from '../../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../../api/labels.ts'
import { type DemoFleet, startDemoFleet } from '../demofleet.ts'
import { isReady } from '../demostory.ts'
import { lagOf, type Milestones, milestonesOf, type ObservedWrite } from './milestones.ts'
import { pollByJob } from './pollbyjob.ts'
import {
  JOBS_NAMESPACE,
  operatorPlans,
  RACE_CLUSTER,
  type RacePlayer,
  raceModule,
  raceValues,
} from './raceplayers.ts'

/** Far beyond what it takes: then it never comes. */
const PATIENCE_MS = 10 * 60_000
const REST_MS = 3000
/** After the storage operator is healthy: whoever waits now waits for its class, which takes longer. */
const MEANWHILE_MS = 25_000

export interface RaceResult {
  readonly player: RacePlayer
  readonly milestones: Milestones
  /** What the module says of itself while the class is not there. */
  readonly meanwhile: { readonly isReady: boolean; readonly waitsFor: readonly string[] }
}

export async function playRace(seed: string, player: RacePlayer): Promise<RaceResult> {
  const writes: ObservedWrite[] = []
  const fleet = await startDemoFleet(seed, [RACE_CLUSTER], {
    operators: operatorPlans(seededRandom(seed).fork('operators')),
    watch: ({ cluster, old, next }, env) => {
      if (cluster === RACE_CLUSTER) writes.push({ atMs: env.clock.steady(), old, next })
    },
  })
  const { env, local } = fleet
  const { local: api } = local.clusters.get(RACE_CLUSTER)!
  furnishPattern(fleet)
  const endPolls = pollByJob(env, api, local.worlds.get(RACE_CLUSTER)!)
  await env.clock.run(() => false, REST_MS)
  const begunMs = env.clock.steady()
  const seen = (): Milestones => milestonesOf(writes, begunMs)
  await deliver(fleet, player)
  await env.clock.run(() => seen().storageHealthyMs !== undefined, PATIENCE_MS)
  await env.clock.run(() => false, MEANWHILE_MS)
  const meanwhile = { isReady: isAllReady(fleet), waitsFor: blockersOf(fleet) }
  await env.clock.run(() => lagOf(seen()) !== undefined && isAllReady(fleet), PATIENCE_MS)
  await env.clock.run(() => false, REST_MS)
  endPolls()
  fleet.stop()
  return { player, milestones: seen(), meanwhile }
}

/** What OpenShift has before anything is delivered. */
function furnishPattern(fleet: DemoFleet): void {
  const { local } = fleet.local.clusters.get(RACE_CLUSTER)!
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: JOBS_NAMESPACE } }
  for (const o of [...patternDefinitions(), namespace]) {
    const made = local.create(o as KubeObject, 'demo')
    if (!made.ok) throw new Error(`${o.kind} ${o.metadata.name}: ${made.error.message}`)
  }
}

async function deliver(fleet: DemoFleet, player: RacePlayer): Promise<void> {
  const write = { purpose: 'user', manager: CLI_MANAGER, precondition: 'any', validate: 'Strict' } as const
  const values = await fleet.wait(fleet.user.apply(configMapKind, raceValues(player) as never, write))
  const module = await fleet.wait(fleet.user.apply(moduleKind, raceModule(player), write))
  for (const done of [values, module])
    if (!done.ok) throw new Error(`${player.name}: ${JSON.stringify(done.error)}`)
}

const isAllReady = (fleet: DemoFleet): boolean => fleet.snapshot().modules.every(isReady)

const blockersOf = (fleet: DemoFleet): readonly string[] =>
  fleet.snapshot().modules.flatMap((m) => (m.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`))
