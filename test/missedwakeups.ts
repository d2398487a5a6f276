/**
 * The safety net of a controller queues what no change has queued, so that nothing waits for ever. No test may need it: the
 * surroundings of simulated fleets are registered here, and asked after each test.
 */
import type { SimEnv } from '../packages/kube/src/env/sim/simenv.ts'

const surroundings: Pick<SimEnv, 'meters'>[] = []

export const registerSurroundings = (env: Pick<SimEnv, 'meters'>): void => void surroundings.push(env)

/** Requests that the safety net had to queue, by controller. */
export const missedWakeups = (): string[] =>
  surroundings.flatMap((env) =>
    env.meters
      .read()
      .filter(({ name }) => name === 'lockstep_invariant_violations_total')
      .map(({ labels, value }) => `a change did not queue requests of ${labels.controller}: ${value}`),
  )

export const forgetSurroundings = (): void => void surroundings.splice(0)
