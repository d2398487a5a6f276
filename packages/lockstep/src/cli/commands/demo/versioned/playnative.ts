/** The scenario under Lockstep: the same objects as modules, with the real controllers. */

import { AFTER, BEFORE, type ScenarioUnit } from '@lockstep/simulators/flux'
import { type Module, moduleKind } from '../../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../../api/labels.ts'
import { FLEET_NAMESPACE } from '../../../kit/localfleet/index.ts'
import { type DemoFleet, startDemoFleet } from '../demofleet.ts'
import { isComplete } from '../demostory.ts'
import { CHECKPOINT_SPEC, versionedScenario } from './versionedscenario.ts'
import { DELAYS, furnishMachines, makeSlow, TraceRecorder, type VersionedTrace } from './versionedtrace.ts'

const CLUSTER = 'prod'
const REST_MS = 3000
const PATIENCE_MS = 600_000

export async function playNative(seed: string, system: string): Promise<VersionedTrace> {
  const recorder = new TraceRecorder()
  const fleet = await startDemoFleet(seed, [CLUSTER], {
    delays: DELAYS,
    machines: true,
    watch: (c, env) => {
      if (c.cluster === CLUSTER) recorder.add(c, env)
    },
  })
  const { env, local } = fleet
  furnishMachines(local.clusters.get(CLUSTER)!.local)
  for (const u of versionedScenario.units) await apply(fleet, u, BEFORE)
  await env.clock.run(() => isComplete(fleet.snapshot(), BEFORE), PATIENCE_MS)
  if (!isComplete(fleet.snapshot(), BEFORE)) throw new Error(`${system} reached no steady state`)
  await env.clock.run(() => false, REST_MS)
  const begunMs = env.clock.steady()
  makeSlow(env, local.worlds.get(CLUSTER)!)
  const checkpoint = versionedScenario.units.find((u) => u.checkpoint)!
  let checkedMs: number | undefined
  const stopWatch = local.hub.local.watch('modules.lockstep.dev', ({ object }) => {
    if (object.metadata.name === checkpoint.name && isVerified(fleet, checkpoint.name))
      checkedMs ??= env.clock.steady()
  })
  for (const step of versionedScenario.steps) {
    await until(fleet, begunMs + step.atMs)
    if ('write' in step)
      await apply(fleet, versionedScenario.units.find((u) => u.name === step.write)!, AFTER)
  }
  await until(fleet, begunMs + versionedScenario.endMs)
  stopWatch()
  fleet.stop()
  // A checkpoint has nothing but rules here.
  const units = versionedScenario.units.map((u) => (u.checkpoint ? { ...u, objects: () => [] } : u))
  return recorder.trace(system, units, begunMs, checkedMs)
}

/** One module is at the new release, and Ready there. */
const isVerified = (fleet: DemoFleet, name: string): boolean => {
  const s = fleet.snapshot()
  return isComplete({ ...s, modules: s.modules.filter((m) => m.metadata.name === name) }, AFTER)
}

async function until({ env }: DemoFleet, atMs: number): Promise<void> {
  await env.clock.run(() => false, Math.max(0, atMs - env.clock.steady()))
}

async function apply(fleet: DemoFleet, u: ScenarioUnit, release: string): Promise<void> {
  const done = await fleet.wait(
    fleet.user.apply(moduleKind, moduleOf(u, release), {
      purpose: 'user',
      manager: CLI_MANAGER,
      precondition: 'any',
      validate: 'Strict',
    }),
  )
  if (!done.ok) throw new Error(`Module ${u.name}: ${JSON.stringify(done.error)}`)
}

const moduleOf = (u: ScenarioUnit, release: string): Module =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: u.name, namespace: FLEET_NAMESPACE },
    spec: {
      release,
      targets: { clusterSelector: {} },
      dependsOn: (u.needs ?? []).map((name) => ({ id: name, module: { kind: 'Module', name } })),
      ...(u.checkpoint ? CHECKPOINT_SPEC : { source: { inline: { objects: u.objects(release) } } }),
    },
  }) as unknown as Module
