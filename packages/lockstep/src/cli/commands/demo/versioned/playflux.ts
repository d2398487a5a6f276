/** The scenario under a simulated Flux, as it is or with checkpoints whose names carry the release. */
import { createApiServer } from '@lockstep/apiserver/server'
import { at, isArray, type KubeObject } from '@lockstep/kube/object'
import { createSimEnv } from '@lockstep/kube/sim'
import { fluxDefinitions, type PlayOptions, play, settle, startFlux } from '@lockstep/simulators/flux'
import { startWorld } from '@lockstep/simulators/world'
import { CHECK_JOB, versionedScenario } from './versionedscenario.ts'
import {
  checkMachines,
  DELAYS,
  furnishMachines,
  makeSlow,
  TraceRecorder,
  type VersionedTrace,
} from './versionedtrace.ts'

const REST_MS = 3000

export async function playFlux(seed: string, system: string, dialect: PlayOptions): Promise<VersionedTrace> {
  const env = createSimEnv(seed)
  const recorder = new TraceRecorder()
  const { local } = createApiServer(env, { name: 'prod', onCommit: (c) => recorder.add(c, env) })
  for (const d of fluxDefinitions()) local.create(d, 'demo')
  furnishMachines(local)
  const world = startWorld(env, local, { name: 'prod', delays: DELAYS, machines: true })
  const endCheck = checkMachines(local, world)
  const flux = startFlux(env, local, { name: 'prod' })
  const stage = { env, api: local, flux }
  if (!(await settle(stage, versionedScenario, dialect))) throw new Error(`${system} reached no steady state`)
  await env.clock.run(() => false, REST_MS)
  const begunMs = env.clock.steady()
  makeSlow(env, world)
  await play(stage, versionedScenario, dialect)
  const checked = recorder.writes.find((w) => w.atMs > begunMs && isChecked(w.old, w.next))
  flux.stop()
  endCheck()
  world.stop()
  return recorder.trace(system, versionedScenario.units, begunMs, checked?.atMs)
}

/** The checking Job has come to its end just now. */
const isChecked = (old: KubeObject | undefined, next: KubeObject | undefined): boolean =>
  next?.kind === 'Job' &&
  next.metadata.name?.startsWith(CHECK_JOB) === true &&
  isComplete(next) &&
  !(old && isComplete(old))

function isComplete(job: KubeObject): boolean {
  const list = at(job, 'status', 'conditions')
  return isArray(list) && list.some((c) => at(c, 'type') === 'Complete' && at(c, 'status') === 'True')
}
