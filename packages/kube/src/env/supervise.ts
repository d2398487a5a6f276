/** Exceptions of loops and timers: each goes to the supervisor of its scope, and no exception ends the process unseen. */
import type { Env, Supervisor } from './env.ts'

/** Throws again: an exception without a scope is for the process. */
export const unsupervised: Supervisor = {
  failed(error) {
    throw error
  },
}

/** Starts a loop without waiting for its end. The only place for a promise that is not awaited. */
export function supervise({ supervisor }: Pick<Env, 'supervisor'>, loop: () => unknown): void {
  const run = async (): Promise<void> => {
    try {
      await loop()
    } catch (error) {
      supervisor.failed(error)
    }
  }
  void run()
}

/** The environment of a scope: exceptions of its loops and timers go to `supervisor`. */
export function supervised(env: Env, supervisor: Supervisor): Env {
  const { clock } = env
  return {
    ...env,
    supervisor,
    clock: {
      now: () => clock.now(),
      steady: () => clock.steady(),
      at: (steadyMs, fn) =>
        clock.at(steadyMs, () => {
          try {
            fn()
          } catch (error) {
            supervisor.failed(error)
          }
        }),
    },
  }
}
