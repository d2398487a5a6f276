/** Plays the race for one player, on a hub and a cluster of its own, with the real controllers, in virtual time. */
import { configMapKind } from '../../../../../../kube/src/kinds/types.ts'
import { CLI_MANAGER } from '../../../../api/labels.ts'
import { moduleKind } from '../../../../api/registry.ts'
import { patternDefinitions } from '../../../../../../simulators/src/olm/patterndefinitions.ts'
import { seededRandom } from '../../../../../../kube/src/env/sim/seededrandom.ts'
import type { KubeObject } from '../../../../../../kube/src/object/index.ts'
import { type DemoFleet, startDemoFleet } from '../demofleet.ts'
import { isReady } from '../demostory.ts'
import { lagOf, type Milestones, milestonesOf, type Seen } from './milestones.ts'
import { pollByJob } from './pollbyjob.ts'
import { CLUSTER, JOBS_NAMESPACE, moduleOf, type Player, plansOf, valuesOf } from './raceplayers.ts'

/** Far beyond what it takes: then it never comes. */
const PATIENCE_MS = 10 * 60_000
const REST_MS = 3000
/** After the storage operator is healthy: whoever waits now waits for its class, which takes longer. */
const MEANWHILE_MS = 25_000

export interface Played {
  readonly player: Player
  readonly milestones: Milestones
  /** What the module says of itself while the class is not there. */
  readonly meanwhile: { readonly isReady: boolean; readonly waitsFor: readonly string[] }
}

export async function play(seed: string, player: Player): Promise<Played> {
  const writes: Seen[] = []
  const fleet = await startDemoFleet(seed, [CLUSTER], {
    operators: plansOf(seededRandom(seed).fork('operators')),
    watch: ({ cluster, old, next }, env) => {
      if (cluster === CLUSTER) writes.push({ atMs: env.clock.steady(), old, next })
    },
  })
  const { env, local } = fleet
  const { local: api } = local.clusters.get(CLUSTER)!
  furnishPattern(fleet)
  const endPolls = pollByJob(env, api, local.worlds.get(CLUSTER)!)
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
  const { local } = fleet.local.clusters.get(CLUSTER)!
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: JOBS_NAMESPACE } }
  for (const o of [...patternDefinitions(), namespace]) {
    const made = local.create(o as KubeObject, 'demo')
    if (!made.ok) throw new Error(`${o.kind} ${o.metadata.name}: ${made.error.message}`)
  }
}

async function deliver(fleet: DemoFleet, player: Player): Promise<void> {
  const write = { why: 'user', manager: CLI_MANAGER, fence: 'any', validate: 'Strict' } as const
  const values = await fleet.wait(fleet.user.apply(configMapKind, valuesOf(player) as never, write))
  const module = await fleet.wait(fleet.user.apply(moduleKind, moduleOf(player), write))
  for (const done of [values, module])
    if (!done.ok) throw new Error(`${player.name}: ${JSON.stringify(done.error)}`)
}

const isAllReady = (fleet: DemoFleet): boolean => fleet.snapshot().modules.every(isReady)

const blockersOf = (fleet: DemoFleet): readonly string[] =>
  fleet.snapshot().modules.flatMap((m) => (m.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`))
